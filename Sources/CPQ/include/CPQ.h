// The functions of libpq that wfd calls, loaded when a database of PostgreSQL is named: a daemon with a file starts
// without libpq and its libraries, and a build needs no headers of PostgreSQL.
// Source of the declarations: https://www.postgresql.org/docs/current/libpq.html
#pragma once
#include <stddef.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

typedef enum { CONNECTION_OK, CONNECTION_BAD } ConnStatusType;
typedef enum { PGRES_POLLING_FAILED, PGRES_POLLING_READING, PGRES_POLLING_WRITING, PGRES_POLLING_OK } PQpolling;
typedef enum {
    PGRES_COMMAND_OK = 1,
    PGRES_TUPLES_OK = 2,
    PGRES_PIPELINE_SYNC = 10,
    PGRES_PIPELINE_ABORTED = 11,
} ExecStatusType;
typedef enum {
    PQTRANS_IDLE,
    PQTRANS_ACTIVE,
    PQTRANS_INTRANS,
    PQTRANS_INERROR,
    PQTRANS_UNKNOWN,
} PGTransactionStatusType;

typedef struct {
    char *keyword, *envvar, *compiled, *val, *label, *dispchar;
    int dispsize;
} PQconninfoOption;

typedef void (*PQnoticeReceiver)(void *context, const PGresult *notice);

// Loads libpq, once; returns NULL, or the reason why it cannot be used.
const char *CPQ_load(void);

// X(returned type, name, parameters, arguments)
#define CPQ_FUNCTIONS(X)                                                                                              \
    X(int, PQlibVersion, (void), ())                                                                                  \
    X(PGconn *, PQconnectStartParams,                                                                                 \
        (const char *const *keywords, const char *const *values, int expand), (keywords, values, expand))             \
    X(PQpolling, PQconnectPoll, (PGconn * conn), (conn))                                                              \
    X(PQconninfoOption *, PQconninfoParse, (const char *text, char **error), (text, error))                           \
    X(PQconninfoOption *, PQconninfo, (PGconn * conn), (conn))                                                        \
    X(char *, PQhost, (const PGconn *conn), (conn))                                                                   \
    X(char *, PQhostaddr, (const PGconn *conn), (conn))                                                               \
    X(int, PQconnectionUsedPassword, (const PGconn *conn), (conn))                                                    \
    X(void, PQconninfoFree, (PQconninfoOption * options), (options))                                                  \
    X(void, PQfinish, (PGconn * conn), (conn))                                                                        \
    X(ConnStatusType, PQstatus, (const PGconn *conn), (conn))                                                         \
    X(PGTransactionStatusType, PQtransactionStatus, (const PGconn *conn), (conn))                                     \
    X(char *, PQerrorMessage, (const PGconn *conn), (conn))                                                           \
    X(int, PQsocket, (const PGconn *conn), (conn))                                                                    \
    X(int, PQsetnonblocking, (PGconn * conn, int on), (conn, on))                                                     \
    X(int, PQsetErrorVerbosity, (PGconn * conn, int verbosity), (conn, verbosity))                                    \
    X(int, PQenterPipelineMode, (PGconn * conn), (conn))                                                              \
    X(int, PQpipelineSync, (PGconn * conn), (conn))                                                                   \
    X(PQnoticeReceiver, PQsetNoticeReceiver, (PGconn * conn, PQnoticeReceiver receiver, void *context),               \
        (conn, receiver, context))                                                                                    \
    X(int, PQsendPrepare,                                                                                             \
        (PGconn * conn, const char *name, const char *sql, int count, const unsigned *types),                         \
        (conn, name, sql, count, types))                                                                              \
    X(int, PQsendQueryPrepared,                                                                                       \
        (PGconn * conn, const char *name, int count, const char *const *values, const int *lengths,                   \
            const int *formats, int resultFormat),                                                                    \
        (conn, name, count, values, lengths, formats, resultFormat))                                                  \
    X(int, PQflush, (PGconn * conn), (conn))                                                                          \
    X(int, PQconsumeInput, (PGconn * conn), (conn))                                                                   \
    X(int, PQisBusy, (PGconn * conn), (conn))                                                                         \
    X(PGresult *, PQgetResult, (PGconn * conn), (conn))                                                               \
    X(ExecStatusType, PQresultStatus, (const PGresult *result), (result))                                             \
    X(char *, PQresultErrorField, (const PGresult *result, int code), (result, code))                                 \
    X(int, PQntuples, (const PGresult *result), (result))                                                             \
    X(int, PQnfields, (const PGresult *result), (result))                                                             \
    X(char *, PQfname, (const PGresult *result, int column), (result, column))                                        \
    X(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))                       \
    X(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))                         \
    X(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))                         \
    X(char *, PQcmdStatus, (PGresult * result), (result))                                                             \
    X(char *, PQcmdTuples, (PGresult * result), (result))                                                             \
    X(void, PQclear, (PGresult * result), (result))

#define CPQ_DECLARE(type, name, parameters, arguments)                                                                \
    extern type(*CPQ_##name) parameters;                                                                              \
    static inline type name parameters { return CPQ_##name arguments; }
CPQ_FUNCTIONS(CPQ_DECLARE)
#undef CPQ_DECLARE
