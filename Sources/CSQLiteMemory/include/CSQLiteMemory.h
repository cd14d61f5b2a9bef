// A function of SQLite with a variable number of arguments, which Swift cannot call itself.
#ifndef WFD_SQLITE_MEMORY_H
#define WFD_SQLITE_MEMORY_H

// Lets SQLite no longer count the memory that it takes, which it does under one lock for all connections. Call it before
// the process uses SQLite; afterwards it changes nothing and returns SQLITE_MISUSE.
int sqlite_memory_stop_counting(void);

#endif
