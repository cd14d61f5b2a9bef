// The commit of this build, which the manifest takes from git.
#ifndef WFD_RELEASE_H
#define WFD_RELEASE_H

// Its first digits, and '.modified' where files had changed since; empty outside a repository.
const char *release_commit(void);

#endif
