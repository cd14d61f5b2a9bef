-- Schema 3, continued: where the file is.

-- Where the file was when its effects were last let start: one row. A copy of the file has another inode, or is on
-- another file system or machine; there effects are held until somebody releases them. NULL: nobody could tell.
CREATE TABLE place (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    filesystem TEXT,     -- its kind and its UUID; never the number of a device
    inode      INTEGER,  -- the 64 bits of the file's number there
    machine    TEXT      -- from /etc/machine-id, or the name that its operator gave it
) STRICT;
