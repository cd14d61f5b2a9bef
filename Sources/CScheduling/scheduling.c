#define _GNU_SOURCE
#include "scheduling.h"

#include <errno.h>

#ifdef __linux__
#include <stdint.h>
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

int scheduling_shorten_turns(void) {
    struct attributes attributes = {.size = sizeof attributes};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return errno;
    // Only the usual policy (SCHED_OTHER is 0) has turns that can be asked for; the shortest is 0.1 ms.
    if (attributes.policy != 0) return 0;
    attributes.runtime = 100000;
    return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0 ? 0 : errno;
}
#else
int scheduling_shorten_turns(void) { return ENOSYS; }
#endif
