-- The few rows of usage that are looked for in every session that grew, among tens of thousands.
CREATE INDEX usage_ranked ON usage (session_id, rank) WHERE rank > 0;
CREATE INDEX usage_totals ON usage (session_id, origin) WHERE origin = 'total';
-- What every sync asks first: the files of each agent, and the folders of all sessions.
CREATE INDEX files_by_agent ON files (agent, root, path, size, mtime_ns, inode)
    WHERE is_current = 1 AND vanished_at IS NULL;
CREATE INDEX sessions_by_project ON sessions (project_path)
    WHERE project_path IS NOT NULL AND is_known = 1;
