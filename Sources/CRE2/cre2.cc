#include "cre2.h"
#include <re2/re2.h>
#include <cstdio>

struct cre2_pattern {
    re2::RE2 regex;
    cre2_pattern(re2::StringPiece text, const re2::RE2::Options &options) : regex(text, options) {}
};

cre2_pattern *cre2_compile(const char *text, size_t length, int64_t max_bytes, char *reason, size_t reason_size) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(max_bytes);
    auto *pattern = new cre2_pattern(re2::StringPiece(text, length), options);
    if (pattern->regex.ok()) return pattern;
    snprintf(reason, reason_size, "%s", pattern->regex.error().c_str());
    delete pattern;
    return NULL;
}

bool cre2_matches(const cre2_pattern *pattern, const char *text, size_t length) {
    return re2::RE2::PartialMatch(re2::StringPiece(text, length), pattern->regex);
}

int cre2_size(const cre2_pattern *pattern) { return pattern->regex.ProgramSize(); }

void cre2_free(cre2_pattern *pattern) { delete pattern; }
