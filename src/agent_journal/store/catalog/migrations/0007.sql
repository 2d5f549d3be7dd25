-- The few rows of usage that are looked for in every session that grew, among tens of thousands.
CREATE INDEX usage_ranked ON usage (session_id, rank) WHERE rank > 0;
CREATE INDEX usage_totals ON usage (session_id, origin) WHERE origin = 'total';
