#ifndef SQLITE_FLOOR_H
#define SQLITE_FLOOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What the engine writes for events, written by a loop over sqlite3 that knows the rows beforehand: the same file, the
// same pragmas, rows, columns and bytes, the same checkpoints and one flush for every batch. It decides, encodes and
// hashes nothing: a digest is any 32 bytes.
typedef struct sqlite_floor sqlite_floor;

// Bytes in the arena of a plan.
typedef struct {
    int64_t offset;
    int32_t count;
} sqlite_floor_text;

// What an event is to the one task of its instance.
typedef enum {
    SQLITE_FLOOR_NO_TASK,
    SQLITE_FLOOR_BEGINS,
    // It is no event: a worker takes the task.
    SQLITE_FLOOR_LEASES,
    // It is the result of the task.
    SQLITE_FLOOR_COMPLETES,
} sqlite_floor_step;

// An event as it is to be written. Texts are numbers of entries in the plan; -1 is NULL.
typedef struct {
    // The instance's place in the order of the ids.
    int32_t instance;
    int32_t event;
    int32_t data;
    int32_t from_state;
    // The state of the instance afterwards.
    int32_t to_state;
    int32_t context;
    int32_t memory;
    int32_t armed;
    // The same as the instance's row says it: before and behind the position of the row that armed the timer, or of the
    // task.
    int32_t armed_head;
    int32_t armed_tail;
    // The caller's key.
    int32_t key;
    // The event of the one timer that runs afterwards; -1 for none.
    int32_t timer;
    int64_t due_ms;
    int64_t ordinal;
    // Whether this event armed the timer.
    bool arms;
    int64_t at_ms;
    // What the row notes beside its event.
    int32_t note;
    // What the instance runs from here on, where this is a migration; 0: what it ran.
    int64_t machine;
    sqlite_floor_step step;
    // Of the task, with `due_ms` and `ordinal`; only where it begins or is taken.
    int32_t name;
    int32_t queue;
    int32_t request;
    int32_t worker;
    int64_t priority;
} sqlite_floor_event;

typedef struct {
    const uint8_t *arena;
    const sqlite_floor_text *texts;
    const sqlite_floor_event *events;
    size_t event_count;
    // Events and bytes of data that end a batch.
    size_t batch_events;
    size_t batch_bytes;
} sqlite_floor_plan;

// Opens a file that a store has made and closed; NULL without memory. Every function but `close` needs that `message`
// is NULL.
sqlite_floor *sqlite_floor_open(const char *path);

// What went wrong; NULL when nothing has.
const char *sqlite_floor_message(const sqlite_floor *floor);

// Writes the events of a plan, batch by batch; each is on disk before the next begins.
bool sqlite_floor_run(sqlite_floor *floor, const sqlite_floor_plan *plan);

// Moves the whole log into the file and closes it.
void sqlite_floor_close(sqlite_floor *floor);

#endif
