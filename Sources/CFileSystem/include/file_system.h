// What Swift cannot call itself: statfs(2), and what file systems answer beside it.
#ifndef WFD_FILE_SYSTEM_H
#define WFD_FILE_SYSTEM_H

// What identifies the file system that a file is on, whatever device it is mounted from.
struct file_system_identity {
    // Such as "xfs:" and its UUID in hexadecimal; empty where nobody can tell.
    char text[48];
    // 1 where a file keeps the number of its inode as long as it is there, and over mounts.
    int keeps_inodes;
};

// Reads it of a file that is there. `folder` is the one that the file is in: the file itself is not opened, because
// closing it would drop the locks that this process has on it.
struct file_system_identity file_system_identity(const char *path, const char *folder);

#endif
