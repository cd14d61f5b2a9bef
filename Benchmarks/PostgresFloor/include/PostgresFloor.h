#ifndef POSTGRES_FLOOR_H
#define POSTGRES_FLOOR_H
#include <SQLiteFloor.h>

// What the engine writes to PostgreSQL for events, written by a loop over libpq that knows the rows beforehand: the
// same tables, rows, columns and bytes, the same statements and one pipeline for every transaction. It decides, encodes
// and hashes nothing: a digest is any 32 bytes. The plan is that of SQLiteFloor, without tasks and migrations.
typedef struct postgres_floor postgres_floor;

// Connects to a database that a store has filled with instances `i-0`, `i-1`, …, takes its partitions, and reads the
// instances. Returns NULL without memory. Every function but `close` needs that `message` is NULL.
postgres_floor *postgres_floor_open(const char *url);

// The failure; NULL without one.
const char *postgres_floor_message(const postgres_floor *floor);

// Writes the events of a plan. Each transaction has the events of a batch, of whatever partitions, and is on disk
// before the next begins.
bool postgres_floor_run(postgres_floor *floor, const sqlite_floor_plan *plan);

// Writes the events of a plan, each in a transaction of its own that locks the row of its instance, as daemons would
// that own nothing. Opens as many connections, each with a thread, which share the events. The data has no partitions
// then, and no log: no store can be opened on it afterwards.
bool postgres_floor_run_locking(postgres_floor *floor, const sqlite_floor_plan *plan, size_t connections);

// Closes the connection.
void postgres_floor_close(postgres_floor *floor);

#endif
