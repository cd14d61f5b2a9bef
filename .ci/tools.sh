#!/usr/bin/env bash
# Makes sure of other people's programs for the tests: caddy, behind which a page puts wfd; dot, with whose drawings a
# test compares ours; tsc, which checks the console's module; and where CI is true, chromium, which opens the console.
# Without one, and where it cannot be installed, its test says that it is left out; where CI is true, those of caddy,
# tsc and chromium fail.
set -euo pipefail

missing=()
command -v caddy >/dev/null || missing+=(caddy)
command -v tsc >/dev/null || missing+=(node-typescript)
command -v dot >/dev/null || missing+=(graphviz)
[ "${CI:-}" != true ] || command -v chromium >/dev/null || missing+=(chromium fonts-dejavu-core)
[ ${#missing[@]} -gt 0 ] || exit 0
command -v apt-get >/dev/null || exit 0
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@" 2>/dev/null; fi
}
echo "Installing ${missing[*]}, for tests"
# Its service is not started: nothing listens on this machine because of a test.
as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 sh -c \
    "apt-get update -qq && apt-get install -y -qq --no-install-recommends ${missing[*]}" >/dev/null 2>&1 ||
    echo "${missing[*]} cannot be installed: their tests are left out"
