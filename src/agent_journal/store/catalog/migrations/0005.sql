-- Some files are read again only when another one appears, not when it changes.
ALTER TABLE dependencies ADD COLUMN on_existence INTEGER NOT NULL DEFAULT 0;
