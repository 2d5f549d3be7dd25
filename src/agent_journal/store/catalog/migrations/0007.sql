-- The few rows of usage that are looked for in every session that grew, among tens of thousands.
CREATE INDEX usage_ranked ON usage (session_id, rank) WHERE rank > 0;
CREATE INDEX usage_totals ON usage (session_id, origin) WHERE origin = 'total';
-- What every sync asks: the files of each agent, which agents have files, and the folders of all
-- sessions.
CREATE INDEX files_by_agent ON files (agent, root, path, size, mtime_ns, inode)
    WHERE is_current = 1 AND vanished_at IS NULL;
CREATE INDEX files_gone ON files (agent) WHERE vanished_at IS NOT NULL;
CREATE INDEX sessions_by_project ON sessions (project_path)
    WHERE project_path IS NOT NULL AND is_known = 1;
-- The sessions that are listed (IS_MAIN and HAS_CONTENT), which every sync counts.
CREATE INDEX sessions_listed ON sessions (agent)
    WHERE is_known = 1 AND ((parent_uid IS NULL AND agent_name IS NULL) OR prompt_count > 0)
    AND (message_count > 0 OR edit_count > 0);
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
