// Steps of starting a program, which Swift cannot call itself.
#ifndef WFD_PROGRAM_START_H
#define WFD_PROGRAM_START_H

#include <spawn.h>

// The program that starts has none of this process's descriptors from one number on; those that other threads open
// meanwhile are among them. Returns 0, or the errno.
int program_start_close_from(posix_spawn_file_actions_t *actions, int first);

// A child of this process that has ended and that nobody has waited for; it stays one. 0 when there is none.
pid_t program_start_ended_child(void);

#endif
