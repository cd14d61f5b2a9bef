#ifndef POSTGRES_FLOOR_ROWS_H
#define POSTGRES_FLOOR_ROWS_H
#include "Link.h"
#include "PostgresFloor.h"

#include <time.h>

// The floor, its instances, and the rows of one event.

// As Sources/PostgresStore has them: a position's partition is above bit 48.
enum { PARTITION_BITS = 48, MOST_PARTITIONS = 64, MOST_STATES = 64 };

struct timer {
    int64_t due_ms, position, ordinal;
};

struct instance {
    int64_t id, machine_id, seq, head;
    char name[24];
    // The row that armed its timer.
    int64_t armed_position;
    // Its timer in the database; a position of 0 for none.
    struct timer stored;
    // The last event of the batch under way, and the batch.
    size_t last, batch;
};

struct row {
    int64_t position, seq, previous;
};

// The last row of a partition's log, in the order of the columns.
struct log_row {
    int64_t partition, number, next_position, next_instance, next_machine, last_ms, clock_ms, clock_position,
        dedupe_floor, dedupe_ms, dedupe_count, purge_floor, timer_floor;
};

enum { LOG_NUMBERS = sizeof(struct log_row) / sizeof(int64_t) };

struct state_count {
    int64_t machine_id, change;
    int32_t state;
};

struct partition {
    struct log_row log;
    uint8_t owner[16];
    size_t owner_count;
    // The batch that touched it last, and that batch's changes of the counts.
    size_t batch, count;
    struct state_count counts[MOST_STATES];
    // The first row of the log that is not folded yet, and the time of the last fold.
    int64_t unfolded;
    time_t folded;
};

struct postgres_floor {
    struct link link;
    char *url;
    struct instance *instances;
    size_t instance_count, instance_capacity;
    struct partition partitions[MOST_PARTITIONS];
    size_t partition_count;
    // The batch under way.
    struct row *rows;
    size_t row_capacity;
    size_t *touched;
    size_t touched_count;
    size_t batch;
};

// Keeps the first failure; returns false.
bool floor_fail(postgres_floor *floor, const char *what);

// Puts a statement without parameters into the pipeline.
bool floor_send(struct link *link, enum statement which);

// Returns true if every event is one of a known instance.
bool floor_knows(postgres_floor *floor, const sqlite_floor_plan *plan);

// Puts values into the parameters of a statement, one after another.
struct filler {
    struct link *link;
    const sqlite_floor_plan *plan;
    enum statement which;
    int next;
};

struct filler fill_row(struct link *link, const sqlite_floor_plan *plan, enum statement which);
void fill_number(struct filler *filler, int64_t number);
void fill_bytes(struct filler *filler, const void *bytes, size_t count);
void fill_null(struct filler *filler);
// Puts a text of the plan by its number.
void fill_text(struct filler *filler, int32_t number);

// Each adds a row to the parameters of its statement. Those that return false have no room for what is armed.
bool add_instance(struct link *link, const sqlite_floor_plan *plan, const struct instance *instance);
void add_journal(struct link *link, const sqlite_floor_plan *plan, const sqlite_floor_event *event,
                 const struct instance *instance, struct row told);
bool add_snapshot(struct link *link, const sqlite_floor_plan *plan, const sqlite_floor_event *event,
                  const struct instance *instance, struct row told);
void add_key(struct link *link, const sqlite_floor_plan *plan, const sqlite_floor_event *event, int64_t scope,
             int64_t position);

#endif
