#define _GNU_SOURCE
#include "program_start.h"

#include <sys/wait.h>
#include <unistd.h>

int program_start_close_from(posix_spawn_file_actions_t *actions, int first) {
#ifdef __GLIBC__
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
#else
    // Closing what is not open is no error there.
    for (int descriptor = first; descriptor < getdtablesize(); descriptor++) {
        int failure = posix_spawn_file_actions_addclose(actions, descriptor);
        if (failure != 0) return failure;
    }
    return 0;
#endif
}

pid_t program_start_ended_child(void) {
    siginfo_t info;
    info.si_pid = 0;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid : 0;
}
