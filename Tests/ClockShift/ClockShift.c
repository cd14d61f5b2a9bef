/* Loaded with LD_PRELOAD before the C library: a process whose clock is wrong by so many seconds. */

#define _GNU_SOURCE
#include "ClockShift.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static time_t shift;

__attribute__((constructor)) static void read_shift(void) {
    const char *seconds = getenv(CLOCK_SHIFT_VARIABLE);
    if (seconds != NULL) shift = (time_t)atoll(seconds);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int (*next)(clockid_t, struct timespec *) =
        (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    if (next == NULL) abort();
    int result = next(clock, time);
    if (result == 0 && clock == CLOCK_REALTIME) time->tv_sec += shift;
    return result;
}
