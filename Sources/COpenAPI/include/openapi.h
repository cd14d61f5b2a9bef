// The API's description, which is docs/openapi.json to the byte.
#ifndef WFD_OPENAPI_H
#define WFD_OPENAPI_H

#include <stddef.h>

// Its first byte; as many follow as it has in all, without a zero at the end.
const unsigned char *openapi_bytes(void);
size_t openapi_count(void);

#endif
