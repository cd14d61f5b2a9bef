#!/usr/bin/env bash
# Makes sure of what is needed from the system: Swift, SQLite and RE2 with their headers, and time zones; for tests also
# PostgreSQL. Installs the missing packages with apt-get when it may (as root, or with sudo that asks for no password);
# otherwise says what to install.
set -euo pipefail

fail() {
    printf 'error: %s\n' "$@" >&2
    exit 1
}

# Whether the compiler that builds the project finds a header, and the linker the library: language, program, flags.
builds() {
    local clang object status=0
    clang=$(command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")
    object=$(mktemp)
    printf '%s\n' "$2" | "$clang" -x "$1" - "${@:3}" -o "$object" 2>/dev/null || status=$?
    rm -f "$object"
    return "$status"
}

has_sqlite() {
    builds c '#include <sqlite3.h>
        int main(void) { return sqlite3_libversion_number() == 0; }' -lsqlite3
}

has_re2() {
    builds c++ '#include <re2/re2.h>
        int main() { return RE2::FullMatch("a", "a") ? 0 : 1; }' -std=c++17 -lre2 -lstdc++
}

# The server itself, which only tests start, each run one of its own.
has_server() { command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; }

has_zones() { [ -f /usr/share/zoneinfo/Europe/Paris ]; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null
}

command -v swift >/dev/null ||
    fail "swift is not in the PATH" "install Swift 6.3 or newer: https://www.swift.org/install/linux/"
missing=()
has_sqlite || missing+=(libsqlite3-dev)
has_re2 || missing+=(libre2-dev)
has_zones || missing+=(tzdata)
if ! has_server; then
    # Without the server only its tests are left out, except where all tests must run.
    if may_install || [ "${CI:-}" = true ]; then
        missing+=(postgresql)
    else
        echo "PostgreSQL is not installed: its tests are skipped (sudo apt-get install postgresql)" >&2
    fi
fi
[ "${#missing[@]}" -gt 0 ] || exit 0
case $(uname) in Linux) ;; *) fail "a library is missing: ${missing[*]} (Debian's names)" ;; esac
may_install || fail "a library is missing; on Debian and Ubuntu: sudo apt-get install ${missing[*]}"
echo "Installing ${missing[*]} (SQLite for the database, RE2 for regular expressions, time zones, PostgreSQL for tests)"
# No server of the system is needed, and none is to be started: unless somebody has said otherwise.
settings=/etc/postgresql-common/createcluster.conf
if [[ " ${missing[*]} " == *" postgresql "* ]] && ! grep -qs '^ *create_main_cluster' "$settings"; then
    as_root mkdir -p "${settings%/*}"
    echo 'create_main_cluster = false' | as_root tee -a "$settings" >/dev/null
fi
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
has_sqlite && has_re2 && has_zones || fail "a library is still missing after installing ${missing[*]}"
