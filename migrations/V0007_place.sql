-- Schema 7: the place of the file.

-- One row: the place of the file when its effects were last allowed to start. A copy of the file has another inode, or
-- is on another file system or machine; there effects are held until an operator releases them. NULL: unknown.
CREATE TABLE place (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    filesystem TEXT,     -- its kind and its UUID
    inode      INTEGER,  -- the number of the file on it
    machine    TEXT      -- from /etc/machine-id, or the name of --place
) STRICT;
