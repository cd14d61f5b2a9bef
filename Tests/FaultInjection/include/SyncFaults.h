#ifndef SYNC_FAULTS_H
#define SYNC_FAULTS_H

#include <stdint.h>

/* What a process and the test that started it share: a file of this layout, named by SYNC_FAULTS_FILE. */
struct sync_faults {
    /* Calls of fsync and fdatasync, whatever came of them. */
    uint64_t calls;
    /* Calls that were made to fail. */
    uint64_t failures;
    /* Written by the test: which calls fail. */
    uint64_t mode;
    /* Written by the test: with SYNC_FAULTS_EVERY, each so many calls one fails. */
    uint64_t every;
    /* Calls since the mode was SYNC_FAULTS_EVERY or SYNC_FAULTS_KILL. */
    uint64_t counted;
    /* Renames after a log was removed, without a flush of a folder in between. */
    uint64_t early_renames;
};

enum {
    SYNC_FAULTS_NONE = 0,
    /* Those on a file whose name ends in "-wal". */
    SYNC_FAULTS_LOG = 1,
    SYNC_FAULTS_ALL = 2,
    SYNC_FAULTS_EVERY = 3,
    /* The process is killed before a flush, a link, a rename or a removal: before the one numbered `every`. */
    SYNC_FAULTS_KILL = 4,
    /* No flush: the removal of a file whose name ends in ".held-wal". */
    SYNC_FAULTS_HELD = 5,
};

#endif
