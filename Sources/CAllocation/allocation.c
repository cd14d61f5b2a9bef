#include "allocation.h"

// Says which C library it is.
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>

void allocation_trim(void) { malloc_trim(0); }
#else
void allocation_trim(void) {}
#endif
