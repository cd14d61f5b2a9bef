#include "release.h"

#ifndef WFD_COMMIT
#define WFD_COMMIT ""
#endif

const char *release_commit(void) { return WFD_COMMIT; }
