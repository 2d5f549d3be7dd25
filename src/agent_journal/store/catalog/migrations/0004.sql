-- Two columns get names that say what they are.
ALTER TABLE files RENAME COLUMN settled TO is_current;
ALTER TABLE files RENAME COLUMN standing TO completeness;
