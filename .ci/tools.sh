#!/usr/bin/env bash
# Makes sure of other people's programs for the tests: caddy, behind which a page puts wfd. Without it, and where it
# cannot be installed, its test says that it is left out; where CI is true, that test fails.
set -euo pipefail

command -v caddy >/dev/null && exit 0
command -v apt-get >/dev/null || exit 0
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@" 2>/dev/null; fi
}
echo "Installing caddy, for a test"
# Its service is not started: nothing listens on this machine because of a test.
as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 sh -c \
    'apt-get update -qq && apt-get install -y -qq --no-install-recommends caddy' >/dev/null 2>&1 ||
    echo "caddy cannot be installed: its test is left out"
