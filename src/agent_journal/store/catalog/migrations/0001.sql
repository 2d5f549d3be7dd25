CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value
) WITHOUT ROWID;
-- A pack with a torn or damaged end is closed: nothing is cut off, new frames go into the next one.
CREATE TABLE packs (
    number INTEGER PRIMARY KEY,
    length INTEGER NOT NULL,
    is_closed INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE frames (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    sha256 BLOB NOT NULL UNIQUE,
    size INTEGER NOT NULL,
    pack INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    stored INTEGER NOT NULL
);

-- One row per file of an agent. size, mtime_ns and inode are the source's as last captured; settled
-- = nothing is left to do until they change. The rows come from read_version, up to read_offset.
-- status: read | copy (another file of the same session is read) | unreadable.
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    root TEXT NOT NULL,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    role TEXT NOT NULL,
    session TEXT,
    rank INTEGER NOT NULL DEFAULT 0,
    standing INTEGER NOT NULL DEFAULT 0,
    size INTEGER,
    mtime_ns INTEGER,
    inode INTEGER,
    version_id INTEGER,
    read_version INTEGER,
    read_offset INTEGER NOT NULL DEFAULT 0,
    reader_version INTEGER,
    status TEXT NOT NULL DEFAULT 'read',
    settled INTEGER NOT NULL DEFAULT 0,
    first_seen INTEGER,
    vanished_at INTEGER,
    -- last, because it can be large: columns behind it would be slow to reach
    state BLOB,
    UNIQUE (path, agent)
);
CREATE INDEX files_unsettled ON files (agent) WHERE settled = 0;
CREATE INDEX files_by_session ON files (session, agent) WHERE session IS NOT NULL;
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER,
    captured_at INTEGER,
    UNIQUE (file_id, number)
);
CREATE TABLE version_frames (
    version_id INTEGER NOT NULL,
    start INTEGER NOT NULL,
    frame_id INTEGER NOT NULL,
    PRIMARY KEY (version_id, start)
) WITHOUT ROWID;
-- A file's rows depend on the files at these paths, too: it is read again when one of them appears
-- or changes.
CREATE TABLE dependencies (
    path TEXT NOT NULL,
    agent TEXT NOT NULL,
    file_id INTEGER NOT NULL,
    PRIMARY KEY (path, agent, file_id)
) WITHOUT ROWID;
CREATE INDEX dependencies_by_file ON dependencies (file_id);
CREATE TABLE ledger (
    file_id INTEGER NOT NULL,
    status TEXT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL,
    count INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    PRIMARY KEY (file_id, status, kind, reason)
) WITHOUT ROWID;
CREATE TABLE problems (
    id INTEGER PRIMARY KEY,
    file_id INTEGER,
    path TEXT NOT NULL,
    agent TEXT NOT NULL,
    offset INTEGER,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX problems_by_file ON problems (file_id);

CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    uid TEXT NOT NULL,
    title TEXT,
    title_source TEXT,
    project_path TEXT,
    project_dir TEXT,
    repository TEXT,
    git_branch TEXT,
    host_app TEXT,
    agent_version TEXT,
    models TEXT,
    started_at INTEGER,
    ended_at INTEGER,
    parent_uid TEXT,
    parent_call_uid TEXT,
    fork_of TEXT,
    recorded_fork_of TEXT,
    agent_name TEXT,
    slug TEXT,
    tags TEXT,
    recorded_cost_micro_usd INTEGER,
    is_automated INTEGER NOT NULL DEFAULT 0,
    is_known INTEGER NOT NULL DEFAULT 0,
    first_uid TEXT,
    next_seq INTEGER NOT NULL DEFAULT 0,
    item_id INTEGER NOT NULL DEFAULT 0,
    message_count INTEGER NOT NULL DEFAULT 0,
    prompt_count INTEGER NOT NULL DEFAULT 0,
    tool_count INTEGER NOT NULL DEFAULT 0,
    edit_count INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_write_tokens INTEGER,
    output_tokens INTEGER,
    cost_micro_usd INTEGER,
    UNIQUE (uid, agent)
);
CREATE INDEX sessions_by_time ON sessions (ended_at);
CREATE TABLE projects (
    path TEXT PRIMARY KEY,
    project TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX sessions_by_item ON sessions (item_id);
CREATE INDEX sessions_by_parent ON sessions (parent_uid, agent) WHERE parent_uid IS NOT NULL;
CREATE INDEX sessions_by_fork ON sessions (fork_of) WHERE fork_of IS NOT NULL;
CREATE INDEX sessions_by_first ON sessions (first_uid) WHERE first_uid IS NOT NULL;
-- What one file says about one session; the session's row is made of all of them.
CREATE TABLE session_pieces (
    session_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    body BLOB,
    PRIMARY KEY (session_id, file_id)
) WITHOUT ROWID;
CREATE INDEX session_pieces_by_file ON session_pieces (file_id);

-- Bodies: msgpack of model structs, many in one zstd block. (block, start, size) is a place in a
-- block.
CREATE TABLE blocks (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL,
    data BLOB NOT NULL
);
CREATE INDEX blocks_by_file ON blocks (file_id);
-- Everything that can be found has an id from one sequence (meta: 'last item'). What changes gets a
-- new id and the old one becomes a tombstone: an index that has caught up to an id needs the items
-- above it, and the tombstones.
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    uid TEXT NOT NULL,
    role TEXT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT,
    model TEXT,
    timestamp INTEGER,
    file_id INTEGER NOT NULL,
    offset INTEGER,
    length INTEGER,
    block INTEGER NOT NULL,
    start INTEGER NOT NULL,
    size INTEGER NOT NULL
);
CREATE UNIQUE INDEX messages_by_uid ON messages (uid, session_id, file_id);
CREATE INDEX messages_by_session ON messages (session_id, seq);
CREATE TABLE tombstones (
    item_id INTEGER PRIMARY KEY
);
CREATE TABLE watermarks (
    name TEXT PRIMARY KEY,
    item_id INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE tool_calls (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    uid TEXT NOT NULL,
    message_uid TEXT,
    name TEXT,
    kind TEXT NOT NULL,
    status TEXT,
    exit_code INTEGER,
    started_at INTEGER,
    duration_ms INTEGER,
    child_uid TEXT,
    file_id INTEGER NOT NULL,
    block INTEGER NOT NULL,
    start INTEGER NOT NULL,
    size INTEGER NOT NULL
);
CREATE UNIQUE INDEX tool_calls_by_uid ON tool_calls (uid, session_id, file_id);
CREATE INDEX tool_calls_by_session ON tool_calls (session_id, seq);
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    type TEXT NOT NULL,
    timestamp INTEGER,
    file_id INTEGER NOT NULL,
    block INTEGER NOT NULL,
    start INTEGER NOT NULL,
    size INTEGER NOT NULL
);
CREATE INDEX events_by_session ON events (session_id, seq);
CREATE TABLE file_edits (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    origin TEXT NOT NULL,
    timestamp INTEGER,
    lines_added INTEGER,
    lines_removed INTEGER,
    file_id INTEGER NOT NULL,
    block INTEGER NOT NULL,
    start INTEGER NOT NULL,
    size INTEGER NOT NULL
);
CREATE INDEX file_edits_by_session ON file_edits (session_id, seq);
CREATE TABLE usage (
    id INTEGER PRIMARY KEY,
    session_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    message_uid TEXT,
    model TEXT,
    timestamp INTEGER,
    input_tokens INTEGER,
    cache_read_tokens INTEGER,
    cache_write_tokens INTEGER,
    cache_write_1h_tokens INTEGER,
    output_tokens INTEGER,
    reasoning_tokens INTEGER,
    cost_micro_usd INTEGER,
    premium_requests REAL,
    requests INTEGER NOT NULL,
    origin TEXT NOT NULL,
    rank INTEGER NOT NULL,
    segment INTEGER,
    is_sidechain INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    counted INTEGER NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX usage_by_key ON usage (key, session_id, file_id);
CREATE INDEX usage_by_session ON usage (session_id);
CREATE TABLE plans (
    id INTEGER PRIMARY KEY,
    session_id INTEGER,
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    body BLOB NOT NULL
);
CREATE INDEX plans_by_file ON plans (file_id);
CREATE INDEX plans_by_session ON plans (session_id);
CREATE TABLE todo_lists (
    session_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    origin TEXT NOT NULL,
    rank INTEGER NOT NULL,
    body BLOB NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (session_id, file_id, origin)
) WITHOUT ROWID;
CREATE TABLE documents (
    session_id INTEGER NOT NULL,
    file_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (session_id, name, file_id)
) WITHOUT ROWID;
CREATE TABLE history (
    file_id INTEGER NOT NULL,
    position INTEGER NOT NULL,
    timestamp INTEGER,
    session TEXT,
    body BLOB NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (file_id, position)
) WITHOUT ROWID;
CREATE INDEX history_by_id ON history (id);
CREATE TABLE daily_stats (
    file_id INTEGER NOT NULL,
    date TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (file_id, date)
) WITHOUT ROWID;
