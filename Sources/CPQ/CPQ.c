#include "CPQ.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define CPQ_DEFINE(type, name, parameters, arguments) type(*CPQ_##name) parameters;
CPQ_FUNCTIONS(CPQ_DEFINE)

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[300];

static void load(void) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(reason, sizeof reason, "libpq cannot be loaded (%s); on Debian and Ubuntu: apt-get install libpq5",
            dlerror());
        return;
    }
#define CPQ_RESOLVE(type, name, parameters, arguments)                                                                \
    *(void **)&CPQ_##name = dlsym(library, #name);                                                                    \
    if (!CPQ_##name) {                                                                                                \
        snprintf(reason, sizeof reason, "libpq is too old, it has no %s: version 14 or newer is needed", #name);      \
        return;                                                                                                       \
    }
    CPQ_FUNCTIONS(CPQ_RESOLVE)
}

const char *CPQ_load(void) {
    pthread_once(&once, load);
    return reason[0] ? reason : NULL;
}
