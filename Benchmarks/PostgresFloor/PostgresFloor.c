#define _GNU_SOURCE
#include "Rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As PostgresWriter.FoldLimits in Sources/PostgresStore has them, and the engine the interval.
enum { FOLD_ROWS = 1000, FOLD_SECONDS = 10, SNAPSHOT_INTERVAL = 256 };

static const uint8_t OWNER[16] = "the floor's rows";

const char *postgres_floor_message(const postgres_floor *floor) {
    return floor->link.message[0] ? floor->link.message : NULL;
}

bool floor_fail(postgres_floor *floor, const char *what) {
    if (!floor->link.message[0]) snprintf(floor->link.message, sizeof floor->link.message, "%s", what);
    return false;
}

static time_t seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

// Opening

static bool take_log(void *context, const PGresult *answer, int row) {
    postgres_floor *floor = context;
    if (floor->partition_count == MOST_PARTITIONS) return false;
    struct partition *partition = &floor->partitions[floor->partition_count++];
    int64_t numbers[LOG_NUMBERS];
    for (int i = 0; i < LOG_NUMBERS; i++) numbers[i] = link_value(answer, row, i);
    memcpy(&partition->log, numbers, sizeof numbers);
    partition->owner_count = (size_t)PQgetlength(answer, row, LOG_NUMBERS);
    if (partition->owner_count > sizeof partition->owner) return false;
    memcpy(partition->owner, PQgetvalue(answer, row, LOG_NUMBERS), partition->owner_count);
    partition->folded = seconds();
    // Numbers are indexes here.
    return partition->log.partition == (int64_t)floor->partition_count - 1;
}

static bool take_instance(void *context, const PGresult *answer, int row) {
    postgres_floor *floor = context;
    if (floor->instance_count == floor->instance_capacity) {
        floor->instance_capacity = floor->instance_capacity ? floor->instance_capacity * 2 : 1024;
        struct instance *larger = realloc(floor->instances, floor->instance_capacity * sizeof *larger);
        if (!larger) return false;
        floor->instances = larger;
    }
    struct instance *instance = &floor->instances[floor->instance_count++];
    memset(instance, 0, sizeof *instance);
    instance->id = link_value(answer, row, 0);
    instance->machine_id = link_value(answer, row, 1);
    instance->seq = link_value(answer, row, 2);
    instance->head = link_value(answer, row, 3);
    instance->stored.due_ms = link_value(answer, row, 4);
    instance->stored.position = instance->armed_position = link_value(answer, row, 5);
    instance->stored.ordinal = link_value(answer, row, 6);
    snprintf(instance->name, sizeof instance->name, "%s", PQgetvalue(answer, row, 7));
    return true;
}

bool floor_send(struct link *link, enum statement which) {
    link_begin(link, which);
    return link_send(link, which);
}

static bool read_all(postgres_floor *floor) {
    // The settings come last: reading everything needs no index.
    if (!floor_send(&floor->link, LAST_BATCHES) || !link_finish(&floor->link, take_log, floor)) return false;
    if (!floor_send(&floor->link, READ_INSTANCES) || !link_finish(&floor->link, take_instance, floor)) return false;
    if (!floor_send(&floor->link, SETTINGS) || !link_finish(&floor->link, NULL, NULL)) return false;
    floor->touched = malloc((floor->instance_count + 1) * sizeof *floor->touched);
    for (size_t i = 0; i < floor->instance_count; i++)
        if (floor->instances[i].id >> PARTITION_BITS >= (int64_t)floor->partition_count)
            return floor_fail(floor, "an instance of no partition");
    return floor->touched || floor_fail(floor, "no memory");
}

postgres_floor *postgres_floor_open(const char *url) {
    postgres_floor *floor = calloc(1, sizeof *floor);
    if (!floor) return NULL;
    floor->url = strdup(url);
    if (floor->url && link_open(&floor->link, url)) read_all(floor);
    return floor;
}

void postgres_floor_close(postgres_floor *floor) {
    link_close(&floor->link);
    free(floor->url);
    free(floor->instances);
    free(floor->rows);
    free(floor->touched);
    free(floor);
}

// Batches

static struct partition *partition_of(postgres_floor *floor, int64_t id) {
    return &floor->partitions[id >> PARTITION_BITS];
}

static bool count_state(struct partition *partition, int64_t machine_id, int32_t state, int64_t change) {
    for (size_t i = 0; i < partition->count; i++) {
        struct state_count *count = &partition->counts[i];
        if (count->state != state || count->machine_id != machine_id) continue;
        count->change += change;
        return true;
    }
    if (partition->count == MOST_STATES) return false;
    partition->counts[partition->count++] = (struct state_count){machine_id, change, state};
    return true;
}

// Goes through the events of a batch in memory.
static bool number_rows(postgres_floor *floor, const sqlite_floor_plan *plan, size_t first, size_t count) {
    floor->batch++;
    floor->touched_count = 0;
    for (size_t i = 0; i < count; i++) {
        const sqlite_floor_event *event = &plan->events[first + i];
        struct instance *instance = &floor->instances[event->instance];
        struct partition *partition = partition_of(floor, instance->id);
        if (partition->batch != floor->batch) {
            partition->batch = floor->batch;
            partition->count = 0;
        }
        if (instance->batch != floor->batch) {
            instance->batch = floor->batch;
            floor->touched[floor->touched_count++] = (size_t)event->instance;
        }
        int64_t position = partition->log.next_position++;
        floor->rows[i] = (struct row){position, instance->seq + 1, instance->head};
        if (event->arms) instance->armed_position = position;
        if (event->key >= 0) partition->log.dedupe_count++;
        if (event->timer >= 0 && event->due_ms < partition->log.timer_floor) partition->log.timer_floor = event->due_ms;
        if (event->at_ms > partition->log.last_ms) partition->log.last_ms = event->at_ms;
        instance->seq++;
        instance->head = position;
        instance->last = first + i;
        if (!count_state(partition, instance->machine_id, event->from_state, -1)) return false;
        if (!count_state(partition, instance->machine_id, event->to_state, 1)) return false;
    }
    return true;
}

// Writes the changes of a partition's counts as JSON. Returns their length; 0 for none.
static size_t tally(const struct partition *partition, const sqlite_floor_plan *plan, char *json, size_t room) {
    size_t length = 0;
    for (size_t i = 0; i < partition->count; i++) {
        const struct state_count *count = &partition->counts[i];
        if (count->change == 0) continue;
        sqlite_floor_text state = plan->texts[count->state];
        int more = snprintf(json + length, room - length, "%s[%lld,\"running\",\"%.*s\",%lld]", length ? "," : "[",
                            (long long)count->machine_id, state.count, plan->arena + state.offset,
                            (long long)count->change);
        if (more < 0 || (size_t)more + 1 >= room - length) return 0;
        length += (size_t)more;
    }
    if (length) json[length++] = ']';
    return length;
}

static bool send_log(postgres_floor *floor, const sqlite_floor_plan *plan) {
    struct link *link = &floor->link;
    link_begin(link, APPEND);
    link_bytes(link, APPEND, 0, OWNER, sizeof OWNER);
    for (size_t i = 0; i < floor->partition_count; i++) {
        struct partition *partition = &floor->partitions[i];
        if (partition->batch != floor->batch) continue;
        partition->log.number++;
        struct filler row = fill_row(link, plan, APPEND);
        row.next = 1;
        fill_bytes(&row, partition->owner, partition->owner_count);
        int64_t numbers[LOG_NUMBERS];
        memcpy(numbers, &partition->log, sizeof numbers);
        for (int k = 0; k < LOG_NUMBERS; k++) fill_number(&row, numbers[k]);
        fill_number(&row, false);
        char json[4096];
        size_t length = tally(partition, plan, json, sizeof json);
        if (length) fill_bytes(&row, json, length);
        else fill_null(&row);
        memcpy(partition->owner, OWNER, sizeof OWNER);
        partition->owner_count = sizeof OWNER;
    }
    return link_send(link, APPEND);
}

static bool send_folds(postgres_floor *floor) {
    struct link *link = &floor->link;
    time_t now = seconds();
    for (size_t i = 0; i < floor->partition_count; i++) {
        struct partition *partition = &floor->partitions[i];
        int64_t last = partition->log.number - 1;
        bool is_due = last - partition->unfolded >= FOLD_ROWS || now - partition->folded >= FOLD_SECONDS;
        if (partition->batch != floor->batch || !is_due) continue;
        link_begin(link, FOLD_TALLY);
        link_number(link, FOLD_TALLY, 0, partition->log.partition);
        link_number(link, FOLD_TALLY, 1, last);
        link_begin(link, EMPTY_TALLY);
        link_number(link, EMPTY_TALLY, 0, partition->log.partition);
        if (!link_send(link, FOLD_TALLY) || !link_send(link, EMPTY_TALLY)) return false;
        partition->unfolded = last;
        partition->folded = now;
    }
    return true;
}

static bool send_timers(postgres_floor *floor, const sqlite_floor_plan *plan) {
    struct link *link = &floor->link;
    size_t deleted = 0, inserted = 0;
    link_begin(link, DELETE_TIMER);
    link_begin(link, INSERT_TIMER);
    for (size_t i = 0; i < floor->touched_count; i++) {
        struct instance *instance = &floor->instances[floor->touched[i]];
        const sqlite_floor_event *event = &plan->events[instance->last];
        bool runs = event->timer >= 0;
        if (runs && instance->stored.position == instance->armed_position) continue;
        if (instance->stored.position != 0) {
            struct filler row = fill_row(link, plan, DELETE_TIMER);
            fill_number(&row, instance->id >> PARTITION_BITS);
            fill_number(&row, instance->stored.due_ms);
            fill_number(&row, instance->stored.position);
            fill_number(&row, instance->stored.ordinal);
            deleted++;
        }
        instance->stored.position = 0;
        if (!runs) continue;
        instance->stored = (struct timer){event->due_ms, instance->armed_position, event->ordinal};
        struct filler row = fill_row(link, plan, INSERT_TIMER);
        fill_number(&row, instance->id >> PARTITION_BITS);
        fill_number(&row, event->due_ms);
        fill_number(&row, instance->armed_position);
        fill_number(&row, event->ordinal);
        fill_number(&row, instance->id);
        fill_text(&row, event->timer);
        inserted++;
    }
    return (!deleted || link_send(link, DELETE_TIMER)) && (!inserted || link_send(link, INSERT_TIMER));
}

static int by_id(const void *left, const void *right, void *instances) {
    int64_t a = ((struct instance *)instances)[*(const size_t *)left].id;
    int64_t b = ((struct instance *)instances)[*(const size_t *)right].id;
    return a < b ? -1 : a > b;
}

static bool send_rows(postgres_floor *floor, const sqlite_floor_plan *plan, size_t first, size_t count) {
    struct link *link = &floor->link;
    size_t snapshots = 0, keys = 0;
    // As the store's, so that the index is read in order.
    qsort_r(floor->touched, floor->touched_count, sizeof *floor->touched, by_id, floor->instances);
    for (int which = UPDATE_INSTANCE; which <= INSERT_DEDUPE; which++) link_begin(link, which);
    for (size_t i = 0; i < floor->touched_count; i++) {
        const struct instance *instance = &floor->instances[floor->touched[i]];
        if (!add_instance(link, plan, instance)) return floor_fail(floor, "too much is armed");
    }
    for (size_t i = 0; i < count; i++) {
        const sqlite_floor_event *event = &plan->events[first + i];
        const struct instance *instance = &floor->instances[event->instance];
        struct row row = floor->rows[i];
        add_journal(link, plan, event, instance, row);
        if (event->key >= 0) {
            add_key(link, plan, event, instance->id, row.position);
            keys++;
        }
        if (row.seq % SNAPSHOT_INTERVAL != 0) continue;
        if (!add_snapshot(link, plan, event, instance, row)) return floor_fail(floor, "too much is armed");
        snapshots++;
    }
    if (!link_send(link, UPDATE_INSTANCE) || !link_send(link, INSERT_JOURNAL)) return false;
    if (snapshots && !link_send(link, INSERT_SNAPSHOT)) return false;
    return send_timers(floor, plan) && (!keys || link_send(link, INSERT_DEDUPE));
}

static bool write_batch(postgres_floor *floor, const sqlite_floor_plan *plan, size_t first, size_t count) {
    if (!number_rows(floor, plan, first, count)) return floor_fail(floor, "too many states in a batch");
    return floor_send(&floor->link, BEGIN) && send_log(floor, plan) && send_rows(floor, plan, first, count) &&
           send_folds(floor) && floor_send(&floor->link, COMMIT) && link_finish(&floor->link, NULL, NULL);
}

bool floor_knows(postgres_floor *floor, const sqlite_floor_plan *plan) {
    for (size_t i = 0; i < plan->event_count; i++) {
        int32_t place = plan->events[i].instance;
        if (place < 0 || (size_t)place >= floor->instance_count) return floor_fail(floor, "an event of no instance");
    }
    return true;
}

bool postgres_floor_run(postgres_floor *floor, const sqlite_floor_plan *plan) {
    if (!floor_knows(floor, plan)) return false;
    if (floor->row_capacity < plan->batch_events) {
        free(floor->rows);
        floor->rows = malloc(plan->batch_events * sizeof *floor->rows);
        floor->row_capacity = floor->rows ? plan->batch_events : 0;
        if (!floor->rows) return floor_fail(floor, "no memory");
    }
    for (size_t first = 0; first < plan->event_count; first += plan->batch_events) {
        size_t left = plan->event_count - first;
        if (!write_batch(floor, plan, first, left < plan->batch_events ? left : plan->batch_events)) return false;
    }
    return true;
}
