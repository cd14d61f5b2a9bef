// A function of the C library's allocator, which Swift cannot call itself.
#ifndef WFD_ALLOCATION_H
#define WFD_ALLOCATION_H

// Gives pages without anything on them back to the system, from all of the process's arenas; each is locked while it is
// walked. Does nothing where the C library is not glibc.
void allocation_trim(void);

#endif
