-- Some files are read again only when another one appears, not when it changes.
ALTER TABLE dependencies ADD COLUMN on_existence INTEGER NOT NULL DEFAULT 0;
-- How a session ended, and the web searches that were charged with a response.
ALTER TABLE sessions ADD COLUMN ended_as TEXT;
ALTER TABLE messages ADD COLUMN stopped TEXT;
ALTER TABLE messages ADD COLUMN is_question INTEGER;
ALTER TABLE usage ADD COLUMN web_searches INTEGER;
ALTER TABLE usage_sums ADD COLUMN web_searches INTEGER;
-- The last line of a session, and the titles that other files have for the session with that line.
ALTER TABLE sessions ADD COLUMN last_line TEXT;
CREATE INDEX sessions_by_last_line ON sessions (last_line) WHERE last_line IS NOT NULL;
CREATE TABLE line_titles (
    line TEXT NOT NULL,
    agent TEXT NOT NULL,
    file_id INTEGER NOT NULL,
    title TEXT NOT NULL,
    rank INTEGER NOT NULL,
    source TEXT NOT NULL,
    PRIMARY KEY (line, agent, file_id)
) WITHOUT ROWID;
CREATE INDEX line_titles_by_file ON line_titles (file_id);
-- An agent may begin several files with one session id: the parts of the session.
CREATE TABLE parts (
    file_id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    name TEXT NOT NULL
);
CREATE INDEX parts_by_session ON parts (agent, session, name);
-- Documents are items, too, and a call names the document with its whole result.
ALTER TABLE documents RENAME TO old_documents;
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL
);
INSERT INTO documents
SELECT
    (SELECT value FROM meta WHERE key = 'last item')
        + row_number() OVER (ORDER BY session_id, name, file_id),
    session_id,
    file_id,
    name,
    kind
FROM old_documents;
DROP TABLE old_documents;
UPDATE meta
    SET value = max(value, (SELECT coalesce(max(id), 0) FROM documents))
    WHERE key = 'last item';
CREATE UNIQUE INDEX documents_by_name ON documents (name, session_id, file_id);
CREATE INDEX documents_by_session ON documents (session_id);
ALTER TABLE tool_calls ADD COLUMN spilled_to TEXT;
CREATE INDEX tool_calls_by_spill ON tool_calls (spilled_to) WHERE spilled_to IS NOT NULL;
