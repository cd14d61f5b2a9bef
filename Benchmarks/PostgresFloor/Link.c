#include "Link.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The head of an array with one dimension, in the binary format: the number of dimensions, the presence of NULL, the
// type, the number of elements and the lower bound.
enum { ARRAY_HEAD = 20 };

// The longest wait for the server.
enum { PATIENCE_MS = 60000 };

bool link_fail(struct link *link, const char *what) {
    const char *reason = link->connection ? PQerrorMessage(link->connection) : "no connection";
    if (!link->message[0]) snprintf(link->message, sizeof link->message, "%s: %s", what, reason);
    return false;
}

static bool wait_for(struct link *link, short events) {
    struct pollfd descriptor = {.fd = PQsocket(link->connection), .events = events};
    int ready;
    do ready = poll(&descriptor, 1, PATIENCE_MS);
    while (ready < 0 && errno == EINTR);
    return ready > 0 || link_fail(link, "the server did not answer in time");
}

bool link_open(struct link *link, const char *url) {
    const char *reason = CPQ_load();
    if (reason) {
        snprintf(link->message, sizeof link->message, "%s", reason);
        return false;
    }
    const char *keywords[] = {"dbname", "application_name", NULL}, *values[] = {url, "wfbench floor", NULL};
    link->connection = PQconnectStartParams(keywords, values, 1);
    if (!link->connection) return link_fail(link, "no memory");
    PQpolling state = PGRES_POLLING_WRITING;
    while (state != PGRES_POLLING_OK) {
        if (PQstatus(link->connection) == CONNECTION_BAD || state == PGRES_POLLING_FAILED)
            return link_fail(link, "cannot connect");
        if (!wait_for(link, state == PGRES_POLLING_READING ? POLLIN : POLLOUT)) return false;
        state = PQconnectPoll(link->connection);
    }
    if (PQsetnonblocking(link->connection, 1) != 0 || PQenterPipelineMode(link->connection) != 1)
        return link_fail(link, "cannot pipeline");
    return true;
}

void link_close(struct link *link) {
    if (link->connection) PQfinish(link->connection);
    for (int i = 0; i < STATEMENTS; i++)
        for (int k = 0; k < MOST_PARAMETERS; k++) free(link->parameters[i][k].bytes);
}

// Parameters

static bool is_array(enum statement which, int parameter) {
    return islower(STATEMENT_TEXTS[which].parameters[parameter]);
}

static uint8_t *room(struct link *link, struct parameter *parameter, size_t count) {
    if (parameter->count + count > parameter->capacity) {
        size_t capacity = (parameter->count + count) * 2 + 64;
        uint8_t *larger = realloc(parameter->bytes, capacity);
        // The floor may end the program: it has no data of anybody.
        if (!larger) abort();
        parameter->bytes = larger;
        parameter->capacity = capacity;
    }
    (void)link;
    uint8_t *place = parameter->bytes + parameter->count;
    parameter->count += count;
    return place;
}

static void write32(uint8_t *place, uint32_t number) {
    for (int i = 0; i < 4; i++) place[i] = (uint8_t)(number >> (24 - 8 * i));
}

static void write64(uint8_t *place, uint64_t number) {
    number = __builtin_bswap64(number);
    memcpy(place, &number, 8);
}

void link_begin(struct link *link, enum statement which) {
    for (int i = 0; STATEMENT_TEXTS[which].parameters[i]; i++) {
        struct parameter *parameter = &link->parameters[which][i];
        parameter->count = 0;
        parameter->elements = 0;
        parameter->has_null = false;
        if (is_array(which, i)) room(link, parameter, ARRAY_HEAD);
    }
}

static uint8_t *element(struct link *link, enum statement which, int number, size_t count) {
    struct parameter *parameter = &link->parameters[which][number];
    parameter->elements++;
    if (!is_array(which, number)) return room(link, parameter, count);
    uint8_t *place = room(link, parameter, 4 + count);
    write32(place, (uint32_t)count);
    return place + 4;
}

void link_number(struct link *link, enum statement which, int parameter, int64_t number) {
    if (STATEMENT_TEXTS[which].parameters[parameter] == 'f')
        *element(link, which, parameter, 1) = number != 0;
    else
        write64(element(link, which, parameter, 8), (uint64_t)number);
}

void link_bytes(struct link *link, enum statement which, int parameter, const void *bytes, size_t count) {
    memcpy(element(link, which, parameter, count), bytes, count);
}

void link_null(struct link *link, enum statement which, int number) {
    struct parameter *parameter = &link->parameters[which][number];
    parameter->elements++;
    parameter->has_null = true;
    write32(room(link, parameter, 4), UINT32_MAX);
}

static void finish_array(struct parameter *parameter, char type) {
    // The numbers of the types in pg_type.
    uint32_t number = type == 'i' ? 20 : type == 't' ? 25 : type == 'b' ? 17 : 16;
    write32(parameter->bytes, 1);
    write32(parameter->bytes + 4, parameter->has_null);
    write32(parameter->bytes + 8, number);
    write32(parameter->bytes + 12, (uint32_t)parameter->elements);
    write32(parameter->bytes + 16, 1);
}

// Pipelines

bool link_send(struct link *link, enum statement which) {
    const struct statement_text *text = &STATEMENT_TEXTS[which];
    if (!link->prepared[which]) {
        if (PQsendPrepare(link->connection, text->name, text->sql, 0, NULL) != 1) return link_fail(link, text->name);
        link->prepared[which] = true;
    }
    const char *values[MOST_PARAMETERS];
    int lengths[MOST_PARAMETERS], formats[MOST_PARAMETERS], count = 0;
    for (; text->parameters[count]; count++) {
        struct parameter *parameter = &link->parameters[which][count];
        if (is_array(which, count)) finish_array(parameter, text->parameters[count]);
        values[count] = (const char *)parameter->bytes;
        lengths[count] = (int)parameter->count;
        formats[count] = 1;
    }
    int sent = PQsendQueryPrepared(link->connection, text->name, count, values, lengths, formats, 1);
    return sent == 1 || link_fail(link, text->name);
}

static bool flush(struct link *link) {
    int state;
    while ((state = PQflush(link->connection)) == 1) {
        if (!wait_for(link, POLLIN | POLLOUT)) return false;
        if (PQconsumeInput(link->connection) != 1) return link_fail(link, "receiving");
    }
    return state == 0 || link_fail(link, "sending");
}

static bool next_answer(struct link *link, PGresult **answer) {
    int gaps = 0;
    do {
        while (PQisBusy(link->connection) == 1) {
            if (!wait_for(link, POLLIN)) return false;
            if (PQconsumeInput(link->connection) != 1) return link_fail(link, "receiving");
        }
        *answer = PQgetResult(link->connection);
        // One without a result ends each statement. More of them come from a connection that is closed.
    } while (!*answer && ++gaps <= 2 && PQstatus(link->connection) == CONNECTION_OK);
    return *answer || link_fail(link, "the connection ended");
}

bool link_finish(struct link *link, row_taker take, void *context) {
    if (PQpipelineSync(link->connection) != 1 || !flush(link)) return link_fail(link, "sending");
    while (true) {
        PGresult *answer;
        if (!next_answer(link, &answer)) return false;
        ExecStatusType status = PQresultStatus(answer);
        bool is_good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_PIPELINE_SYNC;
        if (!is_good && status != PGRES_PIPELINE_ABORTED && !link->message[0]) {
            const char *message = PQresultErrorField(answer, 'M');
            snprintf(link->message, sizeof link->message, "%s", message ? message : "refused");
        }
        for (int row = 0; take && is_good && row < PQntuples(answer) && !link->message[0]; row++)
            if (!take(context, answer, row)) link_fail(link, "rows");
        PQclear(answer);
        if (status == PGRES_PIPELINE_SYNC) return !link->message[0];
    }
}

int64_t link_value(const PGresult *answer, int row, int column) {
    if (PQgetisnull(answer, row, column) || PQgetlength(answer, row, column) != 8) return 0;
    uint64_t number;
    memcpy(&number, PQgetvalue(answer, row, column), 8);
    return (int64_t)__builtin_bswap64(number);
}
