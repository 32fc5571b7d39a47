"""The SQLite schema. A change here is a change of a public format: it goes into CHANGELOG.md."""

from __future__ import annotations

__all__ = ["HIDDEN", "JUDGMENTS", "RELATIONS", "SCHEMA", "SCHEMA_VERSION"]

SCHEMA_VERSION = 3

HIDDEN = "hidden INTEGER NOT NULL DEFAULT 0"
"""By itself, because a library of format 2 gets it when it is opened."""

JUDGMENTS = """
CREATE TABLE IF NOT EXISTS judgments (      -- answers of language models; paid for, so never thrown away
    first_hash TEXT NOT NULL,               -- content hash of the smaller end, by hash
    second_hash TEXT NOT NULL,              -- content hash of the other end
    model TEXT NOT NULL,                    -- provider:model
    prompt TEXT NOT NULL,                   -- version of the wording and of the value
    round TEXT NOT NULL,                    -- judge, swap, complete
    value BLOB NOT NULL,                    -- JSON
    PRIMARY KEY (first_hash, second_hash, model, prompt, round)
) WITHOUT ROWID
"""
"""By itself, because judgments can also be kept in a file that is no library."""

RELATIONS = (
    """
CREATE TABLE nodes (                        -- the skills the graph was built of: ends of relations
    node INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused, so nothing can point to another skill by mistake
    id TEXT NOT NULL UNIQUE
)""",
    """
CREATE TABLE relations (
    source INTEGER NOT NULL,                -- a node, as the target
    target INTEGER NOT NULL,
    type TEXT NOT NULL,
    provenance TEXT NOT NULL,
    confidence REAL NOT NULL,
    quote TEXT NOT NULL,
    place TEXT NOT NULL,
    proposed_by TEXT NOT NULL,              -- JSON list
    source_hash TEXT NOT NULL,
    target_hash TEXT NOT NULL,
    PRIMARY KEY (source, target, type)
) WITHOUT ROWID""",
    "CREATE INDEX relations_target ON relations (target)",
)
"""By themselves, because a library of format 1 gets them when it is opened."""

SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE roots (label TEXT PRIMARY KEY, path TEXT NOT NULL, scope TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    row INTEGER PRIMARY KEY AUTOINCREMENT,  -- never reused: derived indexes refer to it
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    root TEXT NOT NULL,
    scope TEXT NOT NULL,
    kind TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    description TEXT NOT NULL,
    {HIDDEN},      -- 1: its author asks that no model be offered it
    active INTEGER NOT NULL DEFAULT 0,      -- 1: searched; 0: unreadable, or gave way to a mirror
    generation INTEGER NOT NULL,            -- of the library, when this row last changed
    text_hash BLOB,                         -- names the vector of this skill
    findings BLOB NOT NULL,
    record BLOB,                            -- the skill without its body; NULL: unreadable
    body TEXT
);
CREATE INDEX files_name ON files (name);
CREATE INDEX files_generation ON files (generation);
CREATE TABLE removed (row INTEGER PRIMARY KEY, generation INTEGER NOT NULL);
CREATE TABLE derived (                      -- computed from the files, kept because it is costly
    name TEXT PRIMARY KEY, generation INTEGER NOT NULL, data BLOB NOT NULL
) WITHOUT ROWID;
{JUDGMENTS};
{";".join(RELATIONS)};
CREATE TABLE vectors (
    text_hash BLOB NOT NULL, encoder TEXT NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (text_hash, encoder)
) WITHOUT ROWID;
"""
