#include "Rows.h"

#include <pthread.h>
#include <stdlib.h>

// One connection with its thread, and its share of the events.
struct locker {
    postgres_floor *floor;
    const sqlite_floor_plan *plan;
    size_t first, step;
    pthread_t thread;
    struct link link;
    // The locked row, and the next position.
    int64_t seq, head, position;
};

static bool take_locked(void *context, const PGresult *answer, int row) {
    struct locker *locker = context;
    if (PQnfields(answer) == 1) {
        locker->position = link_value(answer, row, 0);
    } else {
        locker->seq = link_value(answer, row, 0);
        locker->head = link_value(answer, row, 1);
    }
    return true;
}

static bool write_locking(struct locker *locker, size_t number) {
    const sqlite_floor_event *event = &locker->plan->events[number];
    struct link *link = &locker->link;
    struct instance instance = locker->floor->instances[event->instance];
    link_begin(link, LOCK_INSTANCE);
    link_number(link, LOCK_INSTANCE, 0, instance.id);
    if (!link_send(link, BEGIN) || !link_send(link, LOCK_INSTANCE) || !link_send(link, NEXT_POSITION)) return false;
    if (!link_finish(link, take_locked, locker)) return false;
    struct row row = {locker->position, locker->seq + 1, locker->head};
    instance.seq = row.seq;
    instance.head = row.position;
    instance.last = number;
    for (int which = UPDATE_INSTANCE; which <= INSERT_DEDUPE; which++) link_begin(link, which);
    if (!add_instance(link, locker->plan, &instance)) return link_fail(link, "too much is armed");
    add_journal(link, locker->plan, event, &instance, row);
    if (event->key >= 0) add_key(link, locker->plan, event, instance.id, row.position);
    if (!link_send(link, UPDATE_INSTANCE) || !link_send(link, INSERT_JOURNAL)) return false;
    if (event->key >= 0 && !link_send(link, INSERT_DEDUPE)) return false;
    return link_send(link, COMMIT) && link_finish(link, NULL, NULL);
}

static void *run_locker(void *context) {
    struct locker *locker = context;
    bool is_good = link_open(&locker->link, locker->floor->url) && link_send(&locker->link, SETTINGS) &&
                   link_finish(&locker->link, NULL, NULL);
    for (size_t i = locker->first; is_good && i < locker->plan->event_count; i += locker->step)
        is_good = write_locking(locker, i);
    return NULL;
}

bool postgres_floor_run_locking(postgres_floor *floor, const sqlite_floor_plan *plan, size_t connections) {
    if (!floor_knows(floor, plan)) return false;
    if (!floor_send(&floor->link, MAKE_SEQUENCE) || !link_finish(&floor->link, NULL, NULL)) return false;
    struct locker *lockers = calloc(connections, sizeof *lockers);
    if (!lockers) return floor_fail(floor, "no memory");
    size_t started = 0;
    for (; started < connections; started++) {
        struct locker *locker = &lockers[started];
        locker->floor = floor;
        locker->plan = plan;
        locker->first = started;
        locker->step = connections;
        if (pthread_create(&locker->thread, NULL, run_locker, locker) != 0) break;
    }
    for (size_t i = 0; i < started; i++) pthread_join(lockers[i].thread, NULL);
    if (started < connections) floor_fail(floor, "no thread");
    for (size_t i = 0; i < connections; i++) {
        if (lockers[i].link.message[0]) floor_fail(floor, lockers[i].link.message);
        link_close(&lockers[i].link);
    }
    free(lockers);
    return !floor->link.message[0];
}
