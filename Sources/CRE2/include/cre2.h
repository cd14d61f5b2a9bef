#ifndef CRE2_H
#define CRE2_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct cre2_pattern cre2_pattern;
// Compiles a pattern; NULL when it is no pattern or needs more than max_bytes. The reason is written to `reason`.
cre2_pattern *cre2_compile(const char *text, size_t length, int64_t max_bytes, char *reason, size_t reason_size);
// Whether the pattern matches anywhere in the text. Takes time linear in the text; may be called from any thread.
bool cre2_matches(const cre2_pattern *pattern, const char *text, size_t length);
// How large the compiled pattern is, in instructions.
int cre2_size(const cre2_pattern *pattern);
void cre2_free(cre2_pattern *pattern);
#ifdef __cplusplus
}
#endif
#endif
