-- Some files are read again only when another one appears, not when it changes.
ALTER TABLE dependencies ADD COLUMN on_existence INTEGER NOT NULL DEFAULT 0;
-- How a session ended, and the web searches that were charged with a response.
ALTER TABLE sessions ADD COLUMN ended_as TEXT;
ALTER TABLE usage ADD COLUMN web_searches INTEGER;
ALTER TABLE usage_sums ADD COLUMN web_searches INTEGER;
