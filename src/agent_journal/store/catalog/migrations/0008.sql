-- What a person said of sessions: a copy of marks.jsonl, which is what counts. Also of sessions that
-- are not in the journal. tags: as JSON, when each was given.
CREATE TABLE marks (
    agent TEXT NOT NULL,
    uid TEXT NOT NULL,
    starred_at INTEGER,
    title TEXT,
    titled_at INTEGER,
    tags TEXT,
    PRIMARY KEY (agent, uid)
) WITHOUT ROWID;
