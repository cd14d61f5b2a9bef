#ifndef HOLDS_H
#define HOLDS_H

/*
 * Loaded into a daemon under test: calls that may block for long do so while a file of their name is in a folder, and
 * make a file `NAME.held` when they are held first.
 *
 *   names    users are looked up (getpwuid_r)
 *   rules    users and groups are looked up by name (getpwnam, getgrnam)
 *   hosts    hosts are looked up (getaddrinfo)
 *   starts   a program whose file's name begins with `late` is started (posix_spawn)
 *   flushes  a copy of the database is flushed (msync)
 *   syncs    a file of the database is flushed (fdatasync)
 *   pool     nothing of the daemon's does so: tasks of this library hold each thread of Swift's pool
 *
 * While the file `waits` is there, sleeps of tasks and waits for semaphores that would last 10 to 60 seconds last a
 * fifth of one.
 */
#define HOLDS_VARIABLE "HOLDS_FOLDER"

#endif
