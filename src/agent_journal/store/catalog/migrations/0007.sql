-- The sessions that earlier versions of a transcript with many sessions have, and where in the
-- version: 'from-to from-to'. is_read: no newer version or other file has it, so its rows are read
-- from this one. A row with an empty uid says that the version was looked at.
CREATE TABLE earlier_sessions (
    file_id INTEGER NOT NULL,
    version_id INTEGER NOT NULL,
    uid TEXT NOT NULL,
    started_at INTEGER,
    ranges TEXT NOT NULL,
    is_read INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (file_id, version_id, uid)
) WITHOUT ROWID;
