#include "SQLiteFloor.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum statement {
    BEGIN, COMMIT, UPDATE_STORE, UPDATE_INSTANCE, MOVE_INSTANCE, INSERT_JOURNAL, INSERT_SNAPSHOT, DELETE_TIMER,
    INSERT_TIMER, DELETE_EFFECT, INSERT_EFFECT, UPDATE_EFFECT, INSERT_DEDUPE, STATEMENTS
};

// As the store's own: Sources/SQLiteStore has them in Writing, and the columns in Tables.
static const char *const SQL[STATEMENTS] = {
    "BEGIN IMMEDIATE",
    "COMMIT",
    "UPDATE store SET next_position = ?, next_instance = ?, next_machine = ?, last_ms = ?, dedupe_floor = ?, "
    "dedupe_ms = ?, dedupe_count = ? WHERE id = 1 AND epoch = ?",
    "UPDATE instance SET seq = ?, head = ?, configuration = ?, context = ?, memory = ?, armed = ?, output = ?, "
    "entered_ms = ?, digest = ?, updated_ms = ? WHERE id = ? AND machine_id = ? AND status = ?",
    "UPDATE instance SET seq = ?, head = ?, configuration = ?, context = ?, memory = ?, armed = ?, output = ?, "
    "entered_ms = ?, digest = ?, updated_ms = ?, machine_id = ?, status = ?, failure = NULL WHERE id = ?",
    "INSERT INTO journal (position, instance_id, machine_id, seq, previous, at_ms, real_ms, kind, event, data, "
    "from_state, to_state, actor, key, note, salt, digest) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "INSERT INTO snapshot (instance_id, seq, position, status, configuration, context, memory, armed, output, salt, "
    "digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "DELETE FROM timer WHERE due_ms = ? AND position = ? AND ordinal = ?",
    "INSERT INTO timer (due_ms, position, ordinal, instance_id, event) VALUES (?, ?, ?, ?, ?)",
    "DELETE FROM effect WHERE id = ?",
    "INSERT INTO effect (id, instance_id, seq, number, name, queue, state, priority, due_ms, attempts, earlier, round, "
    "lease, worker, progress, error, answer, request) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    "UPDATE effect SET instance_id = ?, seq = ?, number = ?, name = ?, queue = ?, state = ?, priority = ?, due_ms = ?, "
    "attempts = ?, earlier = ?, round = ?, lease = ?, worker = ?, progress = ?, error = ?, answer = ?, request = ? "
    "WHERE id = ?",
    "INSERT INTO dedupe (key, scope, position) VALUES (?, ?, ?)",
};

// As Sources/SQLiteStore/Files/ConnectionSettings.swift sets for the connection that writes.
static const char *const PRAGMAS =
    "PRAGMA busy_timeout = 100; PRAGMA journal_mode = wal; PRAGMA synchronous = 2; PRAGMA foreign_keys = 1;"
    "PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1; PRAGMA wal_autocheckpoint = 0; PRAGMA secure_delete = 1;"
    "PRAGMA cache_size = -32768";

// As Sources/SQLiteStore/Files/StoreLimits.swift.
enum { PASSIVE_FRAMES = 4000, STEP_FRAMES = 1000, RESTART_FRAMES = 16000, SNAPSHOT_INTERVAL = 256 };

static const uint8_t DIGEST[32] = "any bytes: nothing is hashed....";
// As long as the lease in an effect's row.
static const uint8_t LEASE[40] = "any bytes: nobody shows a lease here....";

struct timer {
    int64_t due_ms, position, ordinal;
};

struct instance {
    int64_t id, machine_id, seq, head;
    // The row that armed its timer, or its task.
    int64_t armed_position;
    // Its timer in the file; a position of 0 for none.
    struct timer stored;
    // The last event of the batch under way, and the batch.
    size_t last, batch;
};

struct row {
    int64_t position, seq, previous;
    // The task that it ends.
    int64_t ended;
};

struct sqlite_floor {
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENTS];
    char message[256];
    struct instance *instances;
    size_t instance_count;
    // Of the batch under way.
    struct row *rows;
    size_t row_capacity;
    size_t *touched;
    size_t touched_count;
    size_t batch;
    int64_t epoch, next_position, next_instance, next_machine, dedupe_floor, dedupe_ms, dedupe_count;
    int frames, last_frames, passive_at, restart_at;
};

static bool fail(sqlite_floor *floor, const char *what) {
    snprintf(floor->message, sizeof floor->message, "%s: %s", what,
             floor->database ? sqlite3_errmsg(floor->database) : "no database");
    return false;
}

const char *sqlite_floor_message(const sqlite_floor *floor) { return floor->message[0] ? floor->message : NULL; }

// Opening

static int committed(void *context, sqlite3 *database, const char *name, int frames) {
    (void)database, (void)name;
    ((sqlite_floor *)context)->frames = frames;
    return SQLITE_OK;
}

static bool read_store(sqlite_floor *floor) {
    sqlite3_stmt *select;
    const char *sql =
        "SELECT epoch, next_position, next_instance, next_machine, dedupe_floor, dedupe_ms, dedupe_count FROM store";
    if (sqlite3_prepare_v2(floor->database, sql, -1, &select, NULL) != SQLITE_OK) return fail(floor, "no store");
    bool found = sqlite3_step(select) == SQLITE_ROW;
    if (found) {
        floor->epoch = sqlite3_column_int64(select, 0);
        floor->next_position = sqlite3_column_int64(select, 1);
        floor->next_instance = sqlite3_column_int64(select, 2);
        floor->next_machine = sqlite3_column_int64(select, 3);
        floor->dedupe_floor = sqlite3_column_int64(select, 4);
        floor->dedupe_ms = sqlite3_column_int64(select, 5);
        floor->dedupe_count = sqlite3_column_int64(select, 6);
    }
    sqlite3_finalize(select);
    return found || fail(floor, "the store has no row");
}

static bool read_instances(sqlite_floor *floor) {
    sqlite3_stmt *select;
    const char *sql =
        "SELECT i.id, i.machine_id, i.seq, i.head, ifnull(t.due_ms, 0), ifnull(t.position, 0), ifnull(t.ordinal, 0) "
        "FROM instance AS i LEFT JOIN timer AS t ON t.instance_id = i.id ORDER BY i.id";
    if (sqlite3_prepare_v2(floor->database, sql, -1, &select, NULL) != SQLITE_OK) return fail(floor, "no instances");
    size_t capacity = 0;
    int code;
    while ((code = sqlite3_step(select)) == SQLITE_ROW) {
        if (floor->instance_count == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            struct instance *larger = realloc(floor->instances, capacity * sizeof *larger);
            if (!larger) break;
            floor->instances = larger;
        }
        struct instance *instance = &floor->instances[floor->instance_count++];
        memset(instance, 0, sizeof *instance);
        instance->id = sqlite3_column_int64(select, 0);
        instance->machine_id = sqlite3_column_int64(select, 1);
        instance->seq = sqlite3_column_int64(select, 2);
        instance->head = sqlite3_column_int64(select, 3);
        instance->stored.due_ms = sqlite3_column_int64(select, 4);
        instance->stored.position = instance->armed_position = sqlite3_column_int64(select, 5);
        instance->stored.ordinal = sqlite3_column_int64(select, 6);
    }
    sqlite3_finalize(select);
    floor->touched = malloc(floor->instance_count * sizeof *floor->touched);
    return (code == SQLITE_DONE && floor->touched) || fail(floor, "the instances cannot be read");
}

static bool prepare(sqlite_floor *floor, const char *path) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &floor->database, flags, NULL) != SQLITE_OK) return fail(floor, path);
    if (sqlite3_exec(floor->database, PRAGMAS, NULL, NULL, NULL) != SQLITE_OK) return fail(floor, "pragmas");
    sqlite3_wal_hook(floor->database, committed, floor);
    for (int i = 0; i < STATEMENTS; i++) {
        unsigned persistent = SQLITE_PREPARE_PERSISTENT;
        if (sqlite3_prepare_v3(floor->database, SQL[i], -1, persistent, &floor->statements[i], NULL) != SQLITE_OK)
            return fail(floor, SQL[i]);
    }
    return read_store(floor) && read_instances(floor);
}

sqlite_floor *sqlite_floor_open(const char *path) {
    sqlite_floor *floor = calloc(1, sizeof *floor);
    if (!floor) return NULL;
    floor->passive_at = PASSIVE_FRAMES;
    floor->restart_at = RESTART_FRAMES;
    prepare(floor, path);
    return floor;
}

void sqlite_floor_close(sqlite_floor *floor) {
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(floor->statements[i]);
    if (floor->database)
        sqlite3_wal_checkpoint_v2(floor->database, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    sqlite3_close(floor->database);
    free(floor->instances);
    free(floor->rows);
    free(floor->touched);
    free(floor);
}

// Rows

static bool run(sqlite_floor *floor, enum statement which) {
    sqlite3_stmt *statement = floor->statements[which];
    int code = sqlite3_step(statement);
    // After a failure it fails again; the step has told already.
    sqlite3_reset(statement);
    return code == SQLITE_DONE || fail(floor, SQL[which]);
}

static void text(sqlite3_stmt *statement, int index, const sqlite_floor_plan *plan, int32_t number) {
    if (number < 0) {
        sqlite3_bind_null(statement, index);
    } else {
        sqlite_floor_text text = plan->texts[number];
        sqlite3_bind_text(statement, index, (const char *)plan->arena + text.offset, text.count, SQLITE_STATIC);
    }
}

static bool update_store(sqlite_floor *floor, int64_t at_ms) {
    sqlite3_stmt *update = floor->statements[UPDATE_STORE];
    sqlite3_bind_int64(update, 1, floor->next_position);
    sqlite3_bind_int64(update, 2, floor->next_instance);
    sqlite3_bind_int64(update, 3, floor->next_machine);
    sqlite3_bind_int64(update, 4, at_ms);
    sqlite3_bind_int64(update, 5, floor->dedupe_floor);
    sqlite3_bind_int64(update, 6, floor->dedupe_ms);
    sqlite3_bind_int64(update, 7, floor->dedupe_count);
    sqlite3_bind_int64(update, 8, floor->epoch);
    return run(floor, UPDATE_STORE);
}

static bool update_instance(sqlite_floor *floor, const sqlite_floor_plan *plan, const struct instance *instance) {
    const sqlite_floor_event *event = &plan->events[instance->last];
    // Naming the machine rewrites an entry of the index.
    enum statement which = event->machine ? MOVE_INSTANCE : UPDATE_INSTANCE;
    sqlite3_stmt *update = floor->statements[which];
    char armed[1024];
    sqlite3_bind_int64(update, 1, instance->seq);
    sqlite3_bind_int64(update, 2, instance->head);
    text(update, 3, plan, event->to_state);
    text(update, 4, plan, event->context);
    text(update, 5, plan, event->memory);
    if (event->armed_head < 0) {
        text(update, 6, plan, event->armed);
    } else {
        sqlite_floor_text head = plan->texts[event->armed_head], tail = plan->texts[event->armed_tail];
        if ((size_t)head.count + (size_t)tail.count + 24 > sizeof armed) return fail(floor, "too much is armed");
        memcpy(armed, plan->arena + head.offset, head.count);
        int length = head.count;
        length += snprintf(armed + length, 24, "%lld", (long long)instance->armed_position);
        memcpy(armed + length, plan->arena + tail.offset, tail.count);
        sqlite3_bind_text(update, 6, armed, length + tail.count, SQLITE_STATIC);
    }
    sqlite3_bind_null(update, 7);
    sqlite3_bind_int64(update, 8, event->at_ms);
    sqlite3_bind_blob(update, 9, DIGEST, sizeof DIGEST, SQLITE_STATIC);
    sqlite3_bind_int64(update, 10, event->at_ms);
    int first = event->machine ? 11 : 12;
    sqlite3_bind_int64(update, event->machine ? 13 : 11, instance->id);
    sqlite3_bind_int64(update, first, instance->machine_id);
    sqlite3_bind_text(update, first + 1, "running", 7, SQLITE_STATIC);
    return run(floor, which) && (sqlite3_changes(floor->database) == 1 || fail(floor, "no such instance"));
}

static bool insert_journal(sqlite_floor *floor, const sqlite_floor_plan *plan, size_t number, const struct row *row) {
    const sqlite_floor_event *event = &plan->events[number];
    const struct instance *instance = &floor->instances[event->instance];
    sqlite3_stmt *insert = floor->statements[INSERT_JOURNAL];
    const char *kind = event->machine ? "migrated" : event->step == SQLITE_FLOOR_COMPLETES ? "result" : "event";
    sqlite3_bind_int64(insert, 1, row->position);
    sqlite3_bind_int64(insert, 2, instance->id);
    sqlite3_bind_int64(insert, 3, instance->machine_id);
    sqlite3_bind_int64(insert, 4, row->seq);
    sqlite3_bind_int64(insert, 5, row->previous);
    sqlite3_bind_int64(insert, 6, event->at_ms);
    sqlite3_bind_null(insert, 7);
    sqlite3_bind_text(insert, 8, kind, -1, SQLITE_STATIC);
    text(insert, 9, plan, event->event);
    text(insert, 10, plan, event->data);
    text(insert, 11, plan, event->from_state);
    text(insert, 12, plan, event->to_state);
    sqlite3_bind_null(insert, 13);
    if (event->key < 0) {
        sqlite3_bind_null(insert, 14);
    } else {
        sqlite_floor_text key = plan->texts[event->key];
        sqlite3_bind_blob(insert, 14, plan->arena + key.offset, key.count, SQLITE_STATIC);
    }
    text(insert, 15, plan, event->note);
    sqlite3_bind_null(insert, 16);
    sqlite3_bind_blob(insert, 17, DIGEST, sizeof DIGEST, SQLITE_STATIC);
    return run(floor, INSERT_JOURNAL);
}

static bool insert_snapshot(sqlite_floor *floor, const sqlite_floor_plan *plan, const sqlite_floor_event *event,
                            const struct row *row) {
    sqlite3_stmt *insert = floor->statements[INSERT_SNAPSHOT];
    sqlite3_bind_int64(insert, 1, floor->instances[event->instance].id);
    sqlite3_bind_int64(insert, 2, row->seq);
    sqlite3_bind_int64(insert, 3, row->position);
    sqlite3_bind_text(insert, 4, "running", 7, SQLITE_STATIC);
    text(insert, 5, plan, event->to_state);
    text(insert, 6, plan, event->context);
    text(insert, 7, plan, event->memory);
    text(insert, 8, plan, event->armed);
    sqlite3_bind_null(insert, 9);
    sqlite3_bind_blob(insert, 10, DIGEST, 16, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 11, DIGEST, sizeof DIGEST, SQLITE_STATIC);
    return run(floor, INSERT_SNAPSHOT);
}

static bool delete_timer(sqlite_floor *floor, const struct timer *timer) {
    sqlite3_stmt *delete = floor->statements[DELETE_TIMER];
    sqlite3_bind_int64(delete, 1, timer->due_ms);
    sqlite3_bind_int64(delete, 2, timer->position);
    sqlite3_bind_int64(delete, 3, timer->ordinal);
    return run(floor, DELETE_TIMER) && (sqlite3_changes(floor->database) == 1 || fail(floor, "no such timer"));
}

static bool insert_timer(sqlite_floor *floor, const sqlite_floor_plan *plan, struct instance *instance) {
    const sqlite_floor_event *event = &plan->events[instance->last];
    sqlite3_stmt *insert = floor->statements[INSERT_TIMER];
    sqlite3_bind_int64(insert, 1, event->due_ms);
    sqlite3_bind_int64(insert, 2, instance->armed_position);
    sqlite3_bind_int64(insert, 3, event->ordinal);
    sqlite3_bind_int64(insert, 4, instance->id);
    text(insert, 5, plan, event->timer);
    instance->stored = (struct timer){event->due_ms, instance->armed_position, event->ordinal};
    return run(floor, INSERT_TIMER);
}

static bool delete_effect(sqlite_floor *floor, int64_t id) {
    sqlite3_stmt *delete = floor->statements[DELETE_EFFECT];
    sqlite3_bind_int64(delete, 1, id);
    return run(floor, DELETE_EFFECT) && (sqlite3_changes(floor->database) == 1 || fail(floor, "no such effect"));
}

// Binds all columns but the id.
static void bind_effect(const sqlite_floor *floor, sqlite3_stmt *statement, int first, const sqlite_floor_plan *plan,
                        const sqlite_floor_event *event, int64_t seq) {
    bool is_leased = event->step == SQLITE_FLOOR_LEASES;
    sqlite3_bind_int64(statement, first, floor->instances[event->instance].id);
    sqlite3_bind_int64(statement, first + 1, seq);
    sqlite3_bind_int64(statement, first + 2, event->ordinal);
    text(statement, first + 3, plan, event->name);
    text(statement, first + 4, plan, event->queue);
    sqlite3_bind_text(statement, first + 5, is_leased ? "leased" : "ready", is_leased ? 6 : 5, SQLITE_STATIC);
    sqlite3_bind_int64(statement, first + 6, event->priority);
    sqlite3_bind_int64(statement, first + 7, event->due_ms);
    sqlite3_bind_int64(statement, first + 8, is_leased ? 1 : 0);
    sqlite3_bind_int64(statement, first + 9, 0);
    sqlite3_bind_int64(statement, first + 10, 0);
    if (is_leased)
        sqlite3_bind_blob(statement, first + 11, LEASE, sizeof LEASE, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, first + 11);
    text(statement, first + 12, plan, event->worker);
    for (int i = 13; i < 16; i++) sqlite3_bind_null(statement, first + i);
    text(statement, first + 16, plan, event->request);
}

static bool insert_effect(sqlite_floor *floor, const sqlite_floor_plan *plan, const sqlite_floor_event *event,
                          const struct row *row) {
    sqlite3_stmt *insert = floor->statements[INSERT_EFFECT];
    sqlite3_bind_int64(insert, 1, row->position + 1);
    bind_effect(floor, insert, 2, plan, event, row->seq);
    return run(floor, INSERT_EFFECT);
}

static bool lease_effect(sqlite_floor *floor, const sqlite_floor_plan *plan, const sqlite_floor_event *event) {
    const struct instance *instance = &floor->instances[event->instance];
    sqlite3_stmt *update = floor->statements[UPDATE_EFFECT];
    // Nothing has happened to the instance since it began the task.
    bind_effect(floor, update, 1, plan, event, instance->seq);
    sqlite3_bind_int64(update, 18, instance->armed_position);
    return run(floor, UPDATE_EFFECT) && (sqlite3_changes(floor->database) == 1 || fail(floor, "no such effect"));
}

static bool insert_key(sqlite_floor *floor, const sqlite_floor_plan *plan, const sqlite_floor_event *event,
                       int64_t position) {
    sqlite3_stmt *insert = floor->statements[INSERT_DEDUPE];
    sqlite_floor_text key = plan->texts[event->key];
    sqlite3_bind_blob(insert, 1, plan->arena + key.offset, key.count, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 2, floor->instances[event->instance].id);
    sqlite3_bind_int64(insert, 3, position);
    return run(floor, INSERT_DEDUPE);
}

// Batches

// Goes through the events of a batch in memory.
static void number(sqlite_floor *floor, const sqlite_floor_plan *plan, size_t first, size_t count) {
    floor->batch++;
    floor->touched_count = 0;
    for (size_t i = 0; i < count; i++) {
        const sqlite_floor_event *event = &plan->events[first + i];
        struct instance *instance = &floor->instances[event->instance];
        if (event->step == SQLITE_FLOOR_LEASES) continue;
        if (instance->batch != floor->batch) {
            instance->batch = floor->batch;
            floor->touched[floor->touched_count++] = (size_t)event->instance;
        }
        int64_t position = floor->next_position++;
        floor->rows[i] = (struct row){position, instance->seq + 1, instance->head, instance->armed_position};
        if (event->arms) instance->armed_position = position;
        // A task has the position behind the row that begins it.
        if (event->step == SQLITE_FLOOR_BEGINS) instance->armed_position = floor->next_position++;
        if (event->key >= 0) floor->dedupe_count++;
        if (event->machine) instance->machine_id = event->machine;
        instance->seq++;
        instance->head = position;
        instance->last = first + i;
    }
}

static bool write_timers(sqlite_floor *floor, const sqlite_floor_plan *plan) {
    for (size_t i = 0; i < floor->touched_count; i++) {
        struct instance *instance = &floor->instances[floor->touched[i]];
        bool runs = plan->events[instance->last].timer >= 0;
        bool stays = runs && instance->stored.position == instance->armed_position;
        if (instance->stored.position == 0 || stays) continue;
        if (!delete_timer(floor, &instance->stored)) return false;
        instance->stored.position = 0;
    }
    for (size_t i = 0; i < floor->touched_count; i++) {
        struct instance *instance = &floor->instances[floor->touched[i]];
        bool runs = plan->events[instance->last].timer >= 0;
        if (runs && instance->stored.position == 0 && !insert_timer(floor, plan, instance)) return false;
    }
    return true;
}

static bool write_effects(sqlite_floor *floor, const sqlite_floor_plan *plan, size_t first, size_t count) {
    const sqlite_floor_event *events = &plan->events[first];
    for (size_t i = 0; i < count; i++)
        if (events[i].step == SQLITE_FLOOR_COMPLETES && !delete_effect(floor, floor->rows[i].ended)) return false;
    for (size_t i = 0; i < count; i++)
        if (events[i].step == SQLITE_FLOOR_BEGINS && !insert_effect(floor, plan, &events[i], &floor->rows[i]))
            return false;
    for (size_t i = 0; i < count; i++)
        if (events[i].step == SQLITE_FLOOR_LEASES && !lease_effect(floor, plan, &events[i])) return false;
    return true;
}

static bool write_batch(sqlite_floor *floor, const sqlite_floor_plan *plan, size_t first, size_t count) {
    const sqlite_floor_event *events = &plan->events[first];
    const struct row *rows = floor->rows;
    number(floor, plan, first, count);
    if (!run(floor, BEGIN) || !update_store(floor, events[count - 1].at_ms)) return false;
    for (size_t i = 0; i < floor->touched_count; i++)
        if (!update_instance(floor, plan, &floor->instances[floor->touched[i]])) return false;
    for (size_t i = 0; i < count; i++)
        if (events[i].step != SQLITE_FLOOR_LEASES && !insert_journal(floor, plan, first + i, &rows[i])) return false;
    for (size_t i = 0; i < count; i++) {
        if (events[i].step == SQLITE_FLOOR_LEASES || rows[i].seq % SNAPSHOT_INTERVAL != 0) continue;
        if (!insert_snapshot(floor, plan, &events[i], &rows[i])) return false;
    }
    if (!write_timers(floor, plan) || !write_effects(floor, plan, first, count)) return false;
    for (size_t i = 0; i < count; i++)
        if (events[i].key >= 0 && !insert_key(floor, plan, &events[i], rows[i].position)) return false;
    return run(floor, COMMIT);
}

static bool checkpoint(sqlite_floor *floor, int mode) {
    int code = sqlite3_wal_checkpoint_v2(floor->database, "main", mode, NULL, NULL);
    return code == SQLITE_OK || fail(floor, "checkpoint");
}

// As WALMeter in Sources/SQLiteStore/Writing/SQLiteWriter+Checkpoint.swift.
static bool maintain(sqlite_floor *floor) {
    if (floor->frames < floor->last_frames) {
        floor->passive_at = PASSIVE_FRAMES;
        floor->restart_at = RESTART_FRAMES;
    }
    floor->last_frames = floor->frames;
    bool restarts = floor->frames >= floor->restart_at;
    if (!restarts && floor->frames < floor->passive_at) return true;
    floor->passive_at = floor->frames + STEP_FRAMES;
    if (!checkpoint(floor, SQLITE_CHECKPOINT_PASSIVE)) return false;
    if (!restarts) return true;
    floor->restart_at = floor->frames + STEP_FRAMES;
    if (!checkpoint(floor, SQLITE_CHECKPOINT_RESTART)) return false;
    floor->frames = 0;
    return true;
}

bool sqlite_floor_run(sqlite_floor *floor, const sqlite_floor_plan *plan) {
    if (floor->row_capacity < plan->batch_events) {
        free(floor->rows);
        floor->rows = malloc(plan->batch_events * sizeof *floor->rows);
        if (!floor->rows) return fail(floor, "no memory");
        floor->row_capacity = plan->batch_events;
    }
    size_t first = 0;
    while (first < plan->event_count) {
        size_t count = 0, bytes = 0;
        while (count < plan->batch_events && bytes < plan->batch_bytes && first + count < plan->event_count) {
            int32_t data = plan->events[first + count].data;
            bytes += 256 + (data < 0 ? 0 : (size_t)plan->texts[data].count);
            count++;
        }
        if (!write_batch(floor, plan, first, count) || !maintain(floor)) return false;
        first += count;
    }
    return true;
}
