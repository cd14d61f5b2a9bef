#!/usr/bin/env bash
# Makes sure of what a build needs from the system: Swift, and SQLite with its header. Installs SQLite's package with
# apt-get when it may (as root, or with sudo that asks for no password); otherwise says what to install.
set -euo pipefail

fail() {
    printf 'error: %s\n' "$@" >&2
    exit 1
}

# Whether the compiler that builds the project finds the header, and the linker the library.
has_sqlite() {
    local clang object
    clang=$(command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")
    object=$(mktemp)
    printf '#include <sqlite3.h>\nint main(void) { return sqlite3_libversion_number() == 0; }\n' |
        "$clang" -x c - -lsqlite3 -o "$object" 2>/dev/null
    local status=$?
    rm -f "$object"
    return $status
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null
}

command -v swift >/dev/null ||
    fail "swift is not in the PATH" "install Swift 6.3 or newer: https://www.swift.org/install/linux/"
has_sqlite && exit 0
case $(uname) in Linux) ;; *) fail "sqlite3.h or libsqlite3 is missing" ;; esac
may_install ||
    fail "sqlite3.h or libsqlite3 is missing; on Debian and Ubuntu: sudo apt-get install libsqlite3-dev"
echo "Installing libsqlite3-dev (the SQLite that the database is kept with)"
as_root apt-get update -qq
as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq libsqlite3-dev >/dev/null
has_sqlite || fail "sqlite3.h or libsqlite3 is still missing after installing libsqlite3-dev"
