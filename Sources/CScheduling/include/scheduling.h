// Settings for how the system schedules the calling thread, which Swift cannot call itself.
#ifndef WFD_SCHEDULING_H
#define WFD_SCHEDULING_H

// Names the thread for `top -H` and debuggers; what is longer than 15 bytes is cut off.
void scheduling_name(const char *name);

// Asks for short turns on a core. A thread that mostly waits then gets its core soon after it wakes, also when others
// are busy; its share of the time stays the same. Needs no privilege. Returns 0, or the errno of a system that cannot
// do it, on which nothing changes: Linux before 6.12 takes the request and ignores it.
int scheduling_shorten_turns(void);

// Lets other threads of the process go first where cores are missing: nice 10, about a tenth of the time beside one of
// them, and turns of 100 ms. Long turns have late deadlines (EEVDF), so that a thread that wakes takes the core at once;
// with turns of the usual length it may wait for 4 ms and more. Needs no privilege, and cannot be taken back without one.
// Returns 0, or the errno of a system that cannot do it.
int scheduling_give_way(void);

#endif
