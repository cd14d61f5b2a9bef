#include "file_system.h"

#if defined(__linux__)

#include <fcntl.h>
#include <linux/btrfs.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

// The numbers in linux/magic.h and the file systems' own headers, which are not installed everywhere.
enum {
    EXT = 0xEF53, // ext2, ext3 and ext4
    XFS = 0x58465342,
    BTRFS = 0x9123683E,
    ZFS = 0x2FC12FC1,
    OVERLAY = 0x794C7630,
    TMPFS = 0x01021994,
    NFS = 0x6969,
    CEPH = 0x00C36400,
    // On these, inodes get their numbers when they are read, or from a server that may do so.
    FAT = 0x4D44,
    EXFAT = 0x2011BAB0,
    FUSE = 0x65735546,
    PLAN9 = 0x01021997,
    SMB = 0x517B,
    SMB2 = 0xFE534D42,
    CIFS = 0xFF534D42,
};

// FS_IOC_GETFSUUID (linux/fs.h since 6.9).
struct uuid_answer {
    uint8_t length;
    uint8_t uuid[16];
};
#define GET_UUID _IOR(0x15, 0, struct uuid_answer)

// XFS_IOC_FSGEOMETRY_V1 (xfs_fs.h of xfsprogs).
struct xfs_geometry {
    uint32_t sizes[8];
    uint64_t blocks[4];
    uint8_t uuid[16];
    uint32_t rest[8];
};
_Static_assert(sizeof(struct xfs_geometry) == 112, "the number of the request has this size in it");
#define XFS_GEOMETRY _IOR('X', 100, struct xfs_geometry)

static void set(struct file_system_identity *identity, const char *kind, const uint8_t *bytes, int count) {
    static const uint8_t none[16];
    if (memcmp(bytes, none, (size_t)count) == 0) return;
    int length = snprintf(identity->text, sizeof identity->text, "%s:", kind);
    for (int i = 0; i < count; i++) {
        length += snprintf(identity->text + length, sizeof identity->text - (size_t)length, "%02x", bytes[i]);
    }
}

// Takes the identity from `f_fsid` of statfs(2): ext2, ext3 and ext4 make it of their UUID, ZFS of the data set's. XFS
// and others make it of the device's number.
static void set_from_statfs(struct file_system_identity *identity, const char *kind, const struct statfs *status) {
    uint8_t bytes[sizeof status->f_fsid];
    memcpy(bytes, &status->f_fsid, sizeof bytes);
    set(identity, kind, bytes, sizeof bytes);
}

// A subvolume and its snapshot have the same UUID of the file system, and the same inodes. The outermost subvolume may
// have no UUID of its own.
static void set_btrfs(struct file_system_identity *identity, int folder) {
    struct btrfs_ioctl_get_subvol_info_args subvolume = {0};
    // Kernels answer 1 for a subvolume that is not the outermost.
    if (ioctl(folder, BTRFS_IOC_GET_SUBVOL_INFO, &subvolume) < 0) return;
    set(identity, "btrfs", subvolume.uuid, 16);
    struct btrfs_ioctl_fs_info_args whole = {0};
    if (identity->text[0] != 0 || ioctl(folder, BTRFS_IOC_FS_INFO, &whole) != 0) return;
    set(identity, "btrfs", whole.fsid, 16);
}

static void set_from_folder(struct file_system_identity *identity, int folder, unsigned type) {
    struct xfs_geometry geometry = {0};
    struct uuid_answer answer = {0};
    switch (type) {
    case XFS:
        if (ioctl(folder, XFS_GEOMETRY, &geometry) == 0) set(identity, "xfs", geometry.uuid, 16);
        break;
    case BTRFS:
        set_btrfs(identity, folder);
        break;
    default:
        if (ioctl(folder, GET_UUID, &answer) == 0 && answer.length == 16) set(identity, "uuid", answer.uuid, 16);
    }
}

struct file_system_identity file_system_identity(const char *path, const char *folder) {
    struct file_system_identity identity = {0};
    struct statfs status;
    struct stat file, around;
    if (statfs(path, &status) != 0 || stat(path, &file) != 0) return identity;
    // Each file system is asked in the same way on every kernel, so that an upgrade of the kernel changes no place.
    unsigned type = (unsigned)status.f_type;
    switch (type) {
    case FAT: case EXFAT: case FUSE: case PLAN9: case SMB: case SMB2: case CIFS:
        return identity;
    case EXT: set_from_statfs(&identity, "ext", &status); break;
    case ZFS: set_from_statfs(&identity, "zfs", &status); break;
    default: {
        int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (descriptor < 0) break;
        // A file that is mounted by itself is on another file system than its folder. The number is compared here and
        // now only.
        if (fstat(descriptor, &around) == 0 && around.st_dev == file.st_dev) {
            set_from_folder(&identity, descriptor, type);
        }
        close(descriptor);
    }
    }
    switch (type) {
    case EXT: case XFS: case BTRFS: case ZFS: case OVERLAY: case TMPFS: case NFS: case CEPH:
        identity.keeps_inodes = 1;
        break;
    default: identity.keeps_inodes = identity.text[0] != 0;
    }
    return identity;
}

#else

struct file_system_identity file_system_identity(const char *path, const char *folder) {
    (void)path;
    (void)folder;
    struct file_system_identity identity = {0};
    return identity;
}

#endif
