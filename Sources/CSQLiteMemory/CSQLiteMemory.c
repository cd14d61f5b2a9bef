#include "CSQLiteMemory.h"

#include <sqlite3.h>

int sqlite_memory_stop_counting(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
