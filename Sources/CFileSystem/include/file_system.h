// The identity of a file system: statfs(2) and other requests, which Swift cannot call itself.
#ifndef WFD_FILE_SYSTEM_H
#define WFD_FILE_SYSTEM_H

// The identity of the file system that a file is on; it does not depend on the device that is mounted.
struct file_system_identity {
    // The kind and the UUID, such as "xfs:" and 32 hexadecimal digits; empty when it cannot be told.
    char text[48];
    // 1 when a file keeps the number of its inode for its whole life, also over mounts.
    int keeps_inodes;
};

// Reads the identity for a file that exists. `folder` is the file's folder: the file itself is not opened, because
// closing it would drop the locks that this process has on it.
struct file_system_identity file_system_identity(const char *path, const char *folder);

#endif
