#ifndef LINUX_EVENTS_H
#define LINUX_EVENTS_H

// What the module of the C library leaves out: waiting for many sockets, for a point in time, and finding bytes.

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

// Where `needle` begins in `bytes`; -1 where it does not (memmem(3)).
ptrdiff_t linux_events_find(const void *bytes, size_t count, const char *needle, size_t length);

// Watches a socket for what can be read, under a number; 0, or -1 with errno.
int linux_events_watch(int poller, int socket, uint64_t number);

// The number of a socket that can be read.
uint64_t linux_events_number(const struct epoll_event *event);

// Lets a timerfd become readable at a time of CLOCK_MONOTONIC in nanoseconds; 0, or -1 with errno.
int linux_events_wake(int timer, uint64_t nanoseconds);

#endif
