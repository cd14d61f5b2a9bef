#include "openapi.h"

// Clang embeds files in every version of C, and warns before C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char document[] = {
#embed "../../docs/openapi.json"
};

const unsigned char *openapi_bytes(void) { return document; }

size_t openapi_count(void) { return sizeof document; }
