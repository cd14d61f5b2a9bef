#include "Rows.h"

#include <stdio.h>
#include <string.h>

static const uint8_t DIGEST[32] = "any bytes: nothing is hashed....";

void fill_number(struct filler *filler, int64_t number) {
    link_number(filler->link, filler->which, filler->next++, number);
}

void fill_bytes(struct filler *filler, const void *bytes, size_t count) {
    link_bytes(filler->link, filler->which, filler->next++, bytes, count);
}

void fill_null(struct filler *filler) { link_null(filler->link, filler->which, filler->next++); }

static void word(struct filler *filler, const char *word) { fill_bytes(filler, word, strlen(word)); }

void fill_text(struct filler *filler, int32_t number) {
    if (number < 0) {
        fill_null(filler);
    } else {
        sqlite_floor_text text = filler->plan->texts[number];
        fill_bytes(filler, filler->plan->arena + text.offset, (size_t)text.count);
    }
}

struct filler fill_row(struct link *link, const sqlite_floor_plan *plan, enum statement which) {
    return (struct filler){link, plan, which, 0};
}

static bool armed(struct filler *filler, const sqlite_floor_event *event, int64_t position) {
    if (event->armed_head < 0) {
        fill_text(filler, event->armed);
        return true;
    }
    const sqlite_floor_plan *plan = filler->plan;
    sqlite_floor_text head = plan->texts[event->armed_head], tail = plan->texts[event->armed_tail];
    char armed[1024];
    if ((size_t)head.count + (size_t)tail.count + 24 > sizeof armed) return false;
    memcpy(armed, plan->arena + head.offset, (size_t)head.count);
    int length = head.count + snprintf(armed + head.count, 24, "%lld", (long long)position);
    memcpy(armed + length, plan->arena + tail.offset, (size_t)tail.count);
    fill_bytes(filler, armed, (size_t)(length + tail.count));
    return true;
}

// Rows

bool add_instance(struct link *link, const sqlite_floor_plan *plan, const struct instance *instance) {
    const sqlite_floor_event *event = &plan->events[instance->last];
    struct filler row = fill_row(link, plan, UPDATE_INSTANCE);
    fill_number(&row, instance->id);
    word(&row, instance->name);
    fill_number(&row, instance->machine_id);
    word(&row, "running");
    fill_number(&row, instance->seq);
    fill_number(&row, instance->head);
    fill_text(&row, event->to_state);
    fill_text(&row, event->context);
    fill_text(&row, event->memory);
    if (!armed(&row, event, instance->armed_position)) return false;
    fill_null(&row);
    fill_null(&row);
    fill_number(&row, event->at_ms);
    fill_bytes(&row, DIGEST, sizeof DIGEST);
    fill_number(&row, event->at_ms);
    return true;
}

void add_journal(struct link *link, const sqlite_floor_plan *plan, const sqlite_floor_event *event,
                 const struct instance *instance, struct row told) {
    struct filler row = fill_row(link, plan, INSERT_JOURNAL);
    fill_number(&row, told.position);
    fill_number(&row, instance->id);
    fill_number(&row, instance->machine_id);
    fill_number(&row, told.seq);
    fill_number(&row, told.previous);
    fill_number(&row, event->at_ms);
    fill_null(&row);
    word(&row, "event");
    fill_text(&row, event->event);
    fill_text(&row, event->data);
    fill_text(&row, event->from_state);
    fill_text(&row, event->to_state);
    fill_null(&row);
    fill_text(&row, event->key);
    fill_text(&row, event->note);
    fill_null(&row);
    fill_bytes(&row, DIGEST, sizeof DIGEST);
}

bool add_snapshot(struct link *link, const sqlite_floor_plan *plan, const sqlite_floor_event *event,
                  const struct instance *instance, struct row told) {
    struct filler row = fill_row(link, plan, INSERT_SNAPSHOT);
    fill_number(&row, instance->id);
    fill_number(&row, told.seq);
    fill_number(&row, told.position);
    word(&row, "running");
    fill_text(&row, event->to_state);
    fill_text(&row, event->context);
    fill_text(&row, event->memory);
    if (!armed(&row, event, instance->armed_position)) return false;
    fill_null(&row);
    fill_bytes(&row, DIGEST, 16);
    fill_bytes(&row, DIGEST, sizeof DIGEST);
    return true;
}

void add_key(struct link *link, const sqlite_floor_plan *plan, const sqlite_floor_event *event, int64_t scope,
             int64_t position) {
    struct filler row = fill_row(link, plan, INSERT_DEDUPE);
    fill_text(&row, event->key);
    fill_number(&row, scope);
    fill_number(&row, position);
}
