/* Loaded with LD_PRELOAD before the C library: counts flushes to disk, and makes them fail when told to. */

#define _GNU_SOURCE
#include "SyncFaults.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static int flush(const char *name, int descriptor) {
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
