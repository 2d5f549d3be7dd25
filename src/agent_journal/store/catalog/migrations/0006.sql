-- Versions that grew and were not compared with the whole file since: their first `proven` bytes
-- were in the file at one time. In a mixed version, the bytes behind them are of different times.
CREATE TABLE growth (
    version_id INTEGER PRIMARY KEY,
    proven INTEGER NOT NULL,
    is_mixed INTEGER NOT NULL DEFAULT 0
);
INSERT INTO growth (version_id, proven)
SELECT files.version_id, 0
FROM files
WHERE role IN ('log', 'replay') AND version_id IN (
    SELECT version_id FROM version_frames GROUP BY version_id HAVING count(*) > 1
);
