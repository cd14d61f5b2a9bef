/* Loaded with LD_PRELOAD before the C library and libdispatch: see Holds.h. */

#define _GNU_SOURCE
#include "Holds.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const char *folder;

static void look_again_later(void) {
    poll(NULL, 0, 5);
}

static int is_shut(const char *name) {
    if (folder == NULL) return 0;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void pass(const char *name) {
    if (!is_shut(name)) return;
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.held", folder, name);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor >= 0) close(descriptor);
    while (is_shut(name)) look_again_later();
}

static void *next_of(const char *name) {
    void *next = dlsym(RTLD_NEXT, name);
    if (next == NULL) abort();
    return next;
}

int getpwuid_r(uid_t user, struct passwd *entry, char *buffer, size_t size, struct passwd **found) {
    pass("names");
    int (*next)(uid_t, struct passwd *, char *, size_t, struct passwd **) = next_of("getpwuid_r");
    return next(user, entry, buffer, size, found);
}

struct passwd *getpwnam(const char *name) {
    pass("rules");
    struct passwd *(*next)(const char *) = next_of("getpwnam");
    return next(name);
}

struct group *getgrnam(const char *name) {
    pass("rules");
    struct group *(*next)(const char *) = next_of("getgrnam");
    return next(name);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    pass("hosts");
    int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = next_of("getaddrinfo");
    return next(name, service, hints, found);
}

int posix_spawn(pid_t *process, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const words[], char *const variables[]) {
    const char *slash = strrchr(path, '/');
    if (strncmp(slash == NULL ? path : slash + 1, "late", 4) == 0) pass("starts");
    int (*next)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                char *const[]) = next_of("posix_spawn");
    return next(process, path, actions, attributes, words, variables);
}

int fdatasync(int descriptor) {
    pass("syncs");
    int (*next)(int) = next_of("fdatasync");
    return next(descriptor);
}

int msync(void *start, size_t length, int flags) {
    pass("flushes");
    int (*next)(void *, size_t, int) = next_of("msync");
    return next(start, length, flags);
}

/* Swift's pool is a queue for each priority. No other queue has this width (DISPATCH_QUEUE_WIDTH_MAX_LOGICAL_CPUS). */
#define POOL_WIDTH -3
#define QUEUES 64
#define TASKS 64

typedef void (*work)(void *);
static void *queues[QUEUES];
static int queue_count;
static pthread_mutex_t queues_lock = PTHREAD_MUTEX_INITIALIZER;

static void task_that_blocks(void *context) {
    (void)context;
    pass("pool");
}

/* More tasks than a queue has threads. */
static void block(void *queue) {
    void (*next)(void *, void *, work) = next_of("dispatch_async_f");
    for (int number = 0; number < TASKS; number++) next(queue, NULL, task_that_blocks);
}

void dispatch_queue_set_width(void *queue, long width) {
    void (*next)(void *, long) = next_of("dispatch_queue_set_width");
    next(queue, width);
    if (folder == NULL || width != POOL_WIDTH) return;
    pthread_mutex_lock(&queues_lock);
    if (queue_count == QUEUES) abort();
    queues[queue_count++] = queue;
    pthread_mutex_unlock(&queues_lock);
    if (is_shut("pool")) block(queue);
}

static void *watch_pool(void *context) {
    (void)context;
    while (1) {
        while (!is_shut("pool")) look_again_later();
        pthread_mutex_lock(&queues_lock);
        for (int number = 0; number < queue_count; number++) block(queues[number]);
        pthread_mutex_unlock(&queues_lock);
        while (is_shut("pool")) look_again_later();
    }
    return NULL;
}

/* The clock of a time of libdispatch is in its two highest bits: none for CLOCK_MONOTONIC, the highest for
   CLOCK_BOOTTIME. The rest are nanoseconds. */
#define CLOCK_SHIFT 62
#define SECOND 1000000000ULL

static uint64_t hurried(uint64_t when) {
    uint64_t clock = when >> CLOCK_SHIFT;
    if ((clock != 0 && clock != 2) || !is_shut("waits")) return when;
    struct timespec time;
    clock_gettime(clock == 0 ? CLOCK_MONOTONIC : CLOCK_BOOTTIME, &time);
    uint64_t now = (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
    uint64_t end = when & ((1ULL << CLOCK_SHIFT) - 1);
    if (end < now + 10 * SECOND || end > now + 60 * SECOND) return when;
    return (now + SECOND / 5) | clock << CLOCK_SHIFT;
}

/* The sleep of a task. */
void dispatch_after_f(uint64_t when, void *queue, void *context, work function) {
    void (*next)(uint64_t, void *, void *, work) = next_of("dispatch_after_f");
    next(hurried(when), queue, context, function);
}

intptr_t dispatch_semaphore_wait(void *semaphore, uint64_t timeout) {
    intptr_t (*next)(void *, uint64_t) = next_of("dispatch_semaphore_wait");
    return next(semaphore, hurried(timeout));
}

__attribute__((constructor)) static void begin(void) {
    folder = getenv(HOLDS_VARIABLE);
    pthread_t thread;
    if (folder != NULL && pthread_create(&thread, NULL, watch_pool, NULL) != 0) abort();
}
