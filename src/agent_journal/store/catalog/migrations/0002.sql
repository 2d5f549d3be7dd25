-- Rows of usage and each state of a session's row are items, too, with ids from the one sequence.
-- And sums for each session, so that nobody has to read all rows. `quarter` is a time in quarters
-- of an hour, -1 when it is unknown.
ALTER TABLE sessions ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
INSERT OR IGNORE INTO meta VALUES ('last item', 0);
UPDATE usage
    SET id = id + (SELECT max(id) FROM usage) + (SELECT value FROM meta
    WHERE key = 'last item');
UPDATE meta
    SET value = max(value, (SELECT coalesce(max(id), 0) FROM usage))
    WHERE key = 'last item';
UPDATE sessions SET revision = id + (SELECT value FROM meta WHERE key = 'last item');
UPDATE meta
    SET value = max(value, (SELECT coalesce(max(revision), 0) FROM sessions))
    WHERE key = 'last item';
CREATE INDEX sessions_by_revision ON sessions (revision);
CREATE TABLE usage_sums (
    session_id INTEGER NOT NULL,
    quarter INTEGER NOT NULL,
    model TEXT NOT NULL,
    size_class INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    input_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_write_tokens INTEGER,
    cache_write_1h_tokens INTEGER,
    output_tokens INTEGER,
    reasoning_tokens INTEGER,
    cost_micro_usd INTEGER,
    premium_requests REAL,
    PRIMARY KEY (session_id, quarter, model, size_class)
) WITHOUT ROWID;
CREATE TABLE message_sums (
    session_id INTEGER NOT NULL,
    quarter INTEGER NOT NULL,
    prompts INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    PRIMARY KEY (session_id, quarter)
) WITHOUT ROWID;
CREATE TABLE tool_sums (
    session_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    calls INTEGER NOT NULL,
    ok INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    stopped INTEGER NOT NULL,
    timed INTEGER NOT NULL,
    total_ms INTEGER NOT NULL,
    longest_ms INTEGER,
    PRIMARY KEY (session_id, name, kind)
) WITHOUT ROWID;
CREATE TABLE edit_sums (
    session_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    edits INTEGER NOT NULL,
    added INTEGER,
    removed INTEGER,
    PRIMARY KEY (session_id, path)
) WITHOUT ROWID;
