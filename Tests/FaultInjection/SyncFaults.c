/* Loaded with LD_PRELOAD before the C library: counts flushes to disk. Told to, fails them or kills the process. */

#define _GNU_SOURCE
#include "SyncFaults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sync_faults *shared;

__attribute__((constructor)) static void map_shared_file(void) {
    const char *path = getenv("SYNC_FAULTS_FILE");
    if (path == NULL) return;
    int descriptor = open(path, O_RDWR | O_CLOEXEC);
    if (descriptor < 0) abort();
    void *mapped = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (mapped == MAP_FAILED) abort();
    close(descriptor);
    shared = mapped;
}

static int is_log(int descriptor) {
    char link[64];
    char path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path);
    return length > 4 && memcmp(path + length - 4, "-wal", 4) == 0;
}

static int is_turn(void) {
    uint64_t every = __atomic_load_n(&shared->every, __ATOMIC_RELAXED);
    uint64_t number = __atomic_add_fetch(&shared->counted, 1, __ATOMIC_RELAXED);
    return every > 0 && number % every == 0;
}

/* Set while a log was removed, and no folder flushed since. */
static int is_log_removed;

static void before_step(void) {
    if (shared == NULL) return;
    if (__atomic_load_n(&shared->mode, __ATOMIC_RELAXED) == SYNC_FAULTS_KILL && is_turn()) kill(getpid(), SIGKILL);
}

static int is_folder(int descriptor) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
}

static int flush(const char *name, int descriptor) {
    before_step();
    if (is_folder(descriptor)) is_log_removed = 0;
    if (shared != NULL) {
        __atomic_fetch_add(&shared->calls, 1, __ATOMIC_RELAXED);
        uint64_t mode = __atomic_load_n(&shared->mode, __ATOMIC_RELAXED);
        if (mode == SYNC_FAULTS_ALL || (mode == SYNC_FAULTS_LOG && is_log(descriptor))
            || (mode == SYNC_FAULTS_EVERY && is_turn())) {
            __atomic_fetch_add(&shared->failures, 1, __ATOMIC_RELAXED);
            errno = EIO;
            return -1;
        }
    }
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    if (next == NULL) abort();
    return next(descriptor);
}

int fsync(int descriptor) { return flush("fsync", descriptor); }

int fdatasync(int descriptor) { return flush("fdatasync", descriptor); }

typedef int (*one_path)(const char *);
typedef int (*two_paths)(const char *, const char *);

static void *next_of(const char *name) {
    void *next = dlsym(RTLD_NEXT, name);
    if (next == NULL) abort();
    return next;
}

int unlink(const char *path) {
    before_step();
    size_t length = strlen(path);
    if (shared != NULL && __atomic_load_n(&shared->mode, __ATOMIC_RELAXED) == SYNC_FAULTS_HELD && length > 9
        && memcmp(path + length - 9, ".held-wal", 9) == 0) {
        __atomic_fetch_add(&shared->failures, 1, __ATOMIC_RELAXED);
        errno = EIO;
        return -1;
    }
    int result = ((one_path)next_of("unlink"))(path);
    if (result == 0 && length > 4 && memcmp(path + length - 4, "-wal", 4) == 0) is_log_removed = 1;
    return result;
}

int link(const char *path, const char *name) {
    before_step();
    return ((two_paths)next_of("link"))(path, name);
}

int rename(const char *path, const char *name) {
    before_step();
    if (shared != NULL && is_log_removed) __atomic_fetch_add(&shared->early_renames, 1, __ATOMIC_RELAXED);
    return ((two_paths)next_of("rename"))(path, name);
}
