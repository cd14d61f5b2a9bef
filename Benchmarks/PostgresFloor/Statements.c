#include "Link.h"

// Refuses if fewer rows are changed than the first parameter has elements, as the store's own statements do.
#define REQUIRING_ALL(sql)                                                                                            \
    "WITH changed AS (" sql                                                                                           \
    " RETURNING 1) SELECT 1 / (CASE WHEN count(*) = cardinality($1::int8[]) THEN 1 ELSE 0 END) FROM changed"

// As the store's own: Sources/PostgresStore has them in Log and Writing, and the columns in Tables.
const struct statement_text STATEMENT_TEXTS[STATEMENTS] = {
    [BEGIN] = {"begin", "BEGIN", ""},
    [COMMIT] = {"commit", "COMMIT", ""},
    [APPEND] =
        {"append",
         "INSERT INTO batch (owner, previous, partition, number, next_position, next_instance, next_machine, last_ms, "
         "clock_ms, clock_position, dedupe_floor, dedupe_ms, dedupe_count, purge_floor, timer_floor, settles, tally) "
         "SELECT $1::bytea, (SELECT number FROM batch b WHERE b.partition = u.partition AND b.number = u.number - 1 "
         "AND b.owner = u.base), partition, number, next_position, next_instance, next_machine, last_ms, clock_ms, "
         "clock_position, dedupe_floor, dedupe_ms, dedupe_count, purge_floor, timer_floor, settles, tally "
         "FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], "
         "$8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], "
         "$15::bigint[], $16::boolean[], $17::text[]) u (base, partition, number, next_position, next_instance, "
         "next_machine, last_ms, clock_ms, clock_position, dedupe_floor, dedupe_ms, dedupe_count, purge_floor, "
         "timer_floor, settles, tally)",
         "Bbiiiiiiiiiiiiift"},
    [UPDATE_INSTANCE] =
        {"update-step",
         REQUIRING_ALL(
             "UPDATE instance i SET machine_id = u.machine_id, status = u.status, seq = u.seq, head = u.head, "
             "configuration = u.configuration, context = u.context, memory = u.memory, armed = u.armed, "
             "output = u.output, failure = u.failure, entered_ms = u.entered_ms, digest = u.digest, "
             "updated_ms = u.updated_ms FROM unnest($1::int8[], $2::text[], $3::int8[], $4::text[], $5::int8[], "
             "$6::int8[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::int8[], "
             "$14::bytea[], $15::int8[]) u (id, name, machine_id, status, seq, head, configuration, context, memory, "
             "armed, output, failure, entered_ms, digest, updated_ms) WHERE i.id = u.id AND i.name = u.name"),
         "ititiittttttibi"},
    [INSERT_JOURNAL] =
        {"insert-journal",
         "INSERT INTO journal (position, instance_id, machine_id, seq, previous, at_ms, real_ms, kind, event, data, "
         "from_state, to_state, actor, key, note, salt, digest) SELECT * FROM unnest($1::int8[], $2::int8[], "
         "$3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::text[], $9::text[], $10::text[], "
         "$11::text[], $12::text[], $13::text[], $14::bytea[], $15::text[], $16::bytea[], $17::bytea[])",
         "iiiiiiittttttbtbb"},
    [INSERT_SNAPSHOT] =
        {"insert-snapshot",
         "INSERT INTO snapshot (instance_id, seq, position, status, configuration, context, memory, armed, output, "
         "salt, digest) SELECT * FROM unnest($1::int8[], $2::int8[], $3::int8[], $4::text[], $5::text[], $6::text[], "
         "$7::text[], $8::text[], $9::text[], $10::bytea[], $11::bytea[])",
         "iiittttttbb"},
    [DELETE_TIMER] =
        {"delete-timer",
         REQUIRING_ALL("DELETE FROM timer t USING unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[]) u (partition, "
                       "due_ms, position, ordinal) WHERE t.partition = u.partition AND t.due_ms = u.due_ms AND "
                       "t.position = u.position AND t.ordinal = u.ordinal"),
         "iiii"},
    [INSERT_TIMER] =
        {"insert-timer",
         "INSERT INTO timer (partition, due_ms, position, ordinal, instance_id, event) SELECT * FROM "
         "unnest($1::int8[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::text[])",
         "iiiiit"},
    [INSERT_DEDUPE] =
        {"insert-dedupe",
         "INSERT INTO dedupe (key, scope, position) SELECT * FROM unnest($1::bytea[], $2::int8[], $3::int8[])", "bii"},
    [FOLD_TALLY] =
        {"fold-tally",
         "WITH gone AS (DELETE FROM batch WHERE partition = $1::bigint AND number < $2::bigint RETURNING partition, "
         "tally), change AS (SELECT partition, (e ->> 0)::bigint AS machine_id, e ->> 1 AS status, e ->> 2 AS state, "
         "(e ->> 3)::bigint AS n FROM gone, json_array_elements(tally::json) e) INSERT INTO tally SELECT partition, "
         "machine_id, status, state, sum(n) FROM change GROUP BY 1, 2, 3, 4 ON CONFLICT (partition, machine_id, "
         "status, state) DO UPDATE SET n = tally.n + excluded.n",
         "II"},
    [EMPTY_TALLY] = {"empty-tally", "DELETE FROM tally WHERE partition = $1::bigint AND n = 0", "I"},
    [LAST_BATCHES] =
        {"last-batches",
         "SELECT DISTINCT ON (partition) partition, number, next_position, next_instance, next_machine, last_ms, "
         "clock_ms, clock_position, dedupe_floor, dedupe_ms, dedupe_count, purge_floor, timer_floor, owner FROM batch "
         "ORDER BY partition, number DESC",
         ""},
    // In the order of the numbers in their names.
    [READ_INSTANCES] =
        {"instances",
         "SELECT i.id, i.machine_id, i.seq, i.head, coalesce(t.due_ms, 0), coalesce(t.position, 0), "
         "coalesce(t.ordinal, 0), i.name FROM instance i LEFT JOIN timer t ON t.instance_id = i.id "
         "ORDER BY length(i.name), i.name",
         ""},
    // As Sources/PostgresStore/Connection/Connection.swift sets, but for what a private server does not need.
    [SETTINGS] =
        {"settings",
         "SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', "
         "false), set_config('enable_hashjoin', 'off', false), set_config('enable_mergejoin', 'off', false), "
         "set_config('jit', 'off', false), set_config('timezone', 'UTC', false)",
         ""},
    // Past the positions of all partitions.
    [MAKE_SEQUENCE] =
        {"make-sequence", "CREATE SEQUENCE IF NOT EXISTS floor_position START 18014398509481984", ""},
    [LOCK_INSTANCE] =
        {"lock-instance",
         "SELECT seq, head, configuration, context, memory, armed, status, machine_id FROM instance "
         "WHERE id = $1::bigint FOR UPDATE",
         "I"},
    [NEXT_POSITION] = {"next-position", "SELECT nextval('floor_position')", ""},
};
