#ifndef POSTGRES_FLOOR_LINK_H
#define POSTGRES_FLOOR_LINK_H
#include <CPQ.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A connection, and the parameters of the statements that it sends in one pipeline.

enum statement {
    BEGIN, COMMIT, APPEND, UPDATE_INSTANCE, INSERT_JOURNAL, INSERT_SNAPSHOT, DELETE_TIMER, INSERT_TIMER,
    INSERT_DEDUPE, FOLD_TALLY, EMPTY_TALLY, LAST_BATCHES, READ_INSTANCES, SETTINGS, MAKE_SEQUENCE, LOCK_INSTANCE,
    NEXT_POSITION, STATEMENTS
};

enum { MOST_PARAMETERS = 17 };

// The name of a statement, its text, and its parameters, one letter each: of arrays `i` bigint, `t` text, `b` bytea,
// `f` boolean; of values `I` bigint, `B` bytea.
struct statement_text {
    const char *name, *sql, *parameters;
};

extern const struct statement_text STATEMENT_TEXTS[STATEMENTS];

struct parameter {
    uint8_t *bytes;
    size_t count, capacity;
    int32_t elements;
    bool has_null;
};

struct link {
    PGconn *connection;
    bool prepared[STATEMENTS];
    struct parameter parameters[STATEMENTS][MOST_PARAMETERS];
    char message[300];
};

// Takes a row of an answer; returns false to end with a failure.
typedef bool (*row_taker)(void *context, const PGresult *answer, int row);

// Connects; `message` is empty if it succeeded.
bool link_open(struct link *link, const char *url);

void link_close(struct link *link);

bool link_fail(struct link *link, const char *what);

// Empties the parameters of a statement.
void link_begin(struct link *link, enum statement which);

// Each puts a value into the next element of an array, or is the value.
void link_number(struct link *link, enum statement which, int parameter, int64_t number);
void link_bytes(struct link *link, enum statement which, int parameter, const void *bytes, size_t count);
void link_null(struct link *link, enum statement which, int parameter);

// Puts a statement with its parameters into the pipeline, after its text if the session does not have that yet.
bool link_send(struct link *link, enum statement which);

// Ends the pipeline and reads all answers. The rows are passed to a function.
bool link_finish(struct link *link, row_taker take, void *context);

// Reads a bigint of an answer.
int64_t link_value(const PGresult *answer, int row, int column);

#endif
