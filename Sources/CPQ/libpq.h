// The client library of PostgreSQL, as pkg-config finds it.
#include <libpq-fe.h>
