#define _GNU_SOURCE
#include "scheduling.h"

#include <errno.h>
#include <pthread.h>

#ifdef __linux__
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// struct sched_attr of sched_setattr(2), in its first version; C libraries do not all declare it.
struct attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

void scheduling_name(const char *name) {
    char short_name[16] = {0};
    strncpy(short_name, name, sizeof short_name - 1);
    pthread_setname_np(pthread_self(), short_name);
}

// Asks for turns of some nanoseconds, between 0.1 and 100 ms, and for a nice value that is not below the present one.
static int set_turns(uint64_t length, int32_t nice) {
    struct attributes attributes = {.size = sizeof attributes};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return errno;
    // Only the usual policy (SCHED_OTHER is 0) has turns that can be asked for.
    if (attributes.policy != 0) return 0;
    attributes.runtime = length;
    if (nice > attributes.nice) attributes.nice = nice;
    return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 ? 0 : errno;
}

int scheduling_shorten_turns(void) { return set_turns(100 * 1000, 0); }

int scheduling_give_way(void) {
    if (set_turns(100 * 1000 * 1000, 10) == 0) return 0;
    // On Linux 0 is the calling thread (setpriority(2), "C library/kernel differences").
    return setpriority(PRIO_PROCESS, 0, 10) == 0 ? 0 : errno;
}
#else
void scheduling_name(const char *name) { pthread_setname_np(name); }
int scheduling_shorten_turns(void) { return ENOSYS; }
int scheduling_give_way(void) { return ENOSYS; }
#endif
