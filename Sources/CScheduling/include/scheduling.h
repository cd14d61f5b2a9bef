// What Swift cannot call itself: how the system's scheduler treats the calling thread.
#ifndef WFD_SCHEDULING_H
#define WFD_SCHEDULING_H

// Asks for short turns on a core. A thread that mostly waits then gets its core soon after it wakes, also when others
// are busy; its share of the time stays the same. Needs no privilege. Returns 0, or the errno of a system that cannot
// do it, on which nothing changes: Linux before 6.12 takes the request and ignores it.
int scheduling_shorten_turns(void);

#endif
