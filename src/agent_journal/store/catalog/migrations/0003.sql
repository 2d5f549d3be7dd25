-- Messages are summed by model, too, and those without a time of their own with the beginning of
-- their session.
DROP TABLE message_sums;
CREATE TABLE message_sums (
    session_id INTEGER NOT NULL,
    quarter INTEGER NOT NULL,
    model TEXT NOT NULL,
    prompts INTEGER NOT NULL,
    answers INTEGER NOT NULL,
    PRIMARY KEY (session_id, quarter, model)
) WITHOUT ROWID;
DELETE FROM usage_sums;
DELETE FROM tool_sums;
DELETE FROM edit_sums;
INSERT INTO usage_sums
SELECT
    u.session_id,
    coalesce(max(-1, coalesce(u.timestamp, s.started_at) / 900000000), -1),
    coalesce(u.model, ''),
    CASE
        WHEN u.cost_micro_usd IS NOT NULL THEN -1
        WHEN u.input_tokens IS NULL OR u.output_tokens IS NULL THEN -2
        ELSE (((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0)
            + coalesce(u.cache_write_tokens, 0)) / max(1, u.requests)) > 32000)
        + (((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0)
            + coalesce(u.cache_write_tokens, 0)) / max(1, u.requests)) > 100000)
        + (((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0)
            + coalesce(u.cache_write_tokens, 0)) / max(1, u.requests)) > 128000)
        + (((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0)
            + coalesce(u.cache_write_tokens, 0)) / max(1, u.requests)) > 199999)
        + (((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0)
            + coalesce(u.cache_write_tokens, 0)) / max(1, u.requests)) > 200000)
        + (((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0)
            + coalesce(u.cache_write_tokens, 0)) / max(1, u.requests)) > 256000)
        + (((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0)
            + coalesce(u.cache_write_tokens, 0)) / max(1, u.requests)) > 272000)
        + (((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0)
            + coalesce(u.cache_write_tokens, 0)) / max(1, u.requests)) > 512000)
        + (((coalesce(u.input_tokens, 0) + coalesce(u.cache_read_tokens, 0)
            + coalesce(u.cache_write_tokens, 0)) / max(1, u.requests)) > 524288)
    END,
    sum(u.requests),
    sum(u.input_tokens),
    sum(u.cache_read_tokens),
    sum(u.cache_write_tokens),
    sum(u.cache_write_1h_tokens),
    sum(u.output_tokens),
    sum(u.reasoning_tokens),
    sum(u.cost_micro_usd),
    sum(u.premium_requests)
FROM usage u JOIN sessions s ON s.id = u.session_id
WHERE u.counted = 1 AND 1
GROUP BY 1, 2, 3, 4;
INSERT INTO message_sums
SELECT
    u.session_id,
    coalesce(max(-1, coalesce(u.timestamp, s.started_at) / 900000000), -1),
    coalesce(u.model, ''),
    sum(u.kind = 'prompt'),
    sum(u.kind = 'answer')
FROM messages u JOIN sessions s ON s.id = u.session_id
WHERE u.kind IN ('prompt', 'answer')
    AND u.state IS NOT 'hidden'
    AND (
        s.fork_of IS NULL
        OR NOT EXISTS (
            SELECT 1 FROM sessions o JOIN messages w ON w.session_id = o.id AND w.uid = u.uid
            WHERE o.uid = s.fork_of AND o.agent = s.agent
        )
        AND NOT (
            substr(u.uid, 1, length(s.fork_of) + 1) = s.fork_of || '@'
            AND EXISTS (
                SELECT 1 FROM sessions o
                WHERE o.uid = s.fork_of AND o.agent = s.agent AND o.is_known = 1
            )
        )
    )
    AND 1
GROUP BY 1, 2, 3;
INSERT INTO tool_sums
SELECT
    u.session_id,
    coalesce(u.name, ''),
    u.kind,
    count(*),
    coalesce(sum(u.status = 'ok'), 0),
    coalesce(sum(u.status IN ('error', 'failed')), 0),
    coalesce(sum(u.status IN ('denied', 'interrupted')), 0),
    count(u.duration_ms),
    coalesce(sum(u.duration_ms), 0),
    max(u.duration_ms)
FROM tool_calls u JOIN sessions s ON s.id = u.session_id
WHERE (
        s.fork_of IS NULL
        OR NOT EXISTS (
            SELECT 1 FROM sessions o JOIN tool_calls w ON w.session_id = o.id AND w.uid = u.uid
            WHERE o.uid = s.fork_of AND o.agent = s.agent
        )
        AND NOT (
            substr(u.uid, 1, length(s.fork_of) + 1) = s.fork_of || '@'
            AND EXISTS (
                SELECT 1 FROM sessions o
                WHERE o.uid = s.fork_of AND o.agent = s.agent AND o.is_known = 1
            )
        )
    )
    AND 1
GROUP BY 1, 2, 3;
INSERT INTO edit_sums
SELECT
    u.session_id,
    u.path,
    count(*),
    sum(u.lines_added),
    sum(u.lines_removed)
FROM file_edits u JOIN sessions s ON s.id = u.session_id
WHERE (
        u.origin <> 'copied'
        OR NOT EXISTS (
            SELECT 1 FROM sessions o
            WHERE o.uid = s.fork_of AND o.agent = s.agent AND o.is_known = 1
        )
    )
    AND u.kind <> 'backup'
    AND (
        u.origin <> 'response'
        OR NOT EXISTS (
            SELECT 1 FROM file_edits e
            WHERE e.session_id = u.session_id AND e.origin = 'editing-session'
        )
    )
    AND 1
GROUP BY 1, 2;
