#define _GNU_SOURCE

#include "LinuxEvents.h"

#include <string.h>

ptrdiff_t linux_events_find(const void *bytes, size_t count, const char *needle, size_t length) {
    const char *found = memmem(bytes, count, needle, length);
    return found == NULL ? -1 : found - (const char *)bytes;
}

int linux_events_watch(int poller, int socket, uint64_t number) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.u64 = number}};
    return epoll_ctl(poller, EPOLL_CTL_ADD, socket, &event);
}

uint64_t linux_events_number(const struct epoll_event *event) { return event->data.u64; }

int linux_events_wake(int timer, uint64_t nanoseconds) {
    struct itimerspec at = {.it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}
