#!/usr/bin/env bash
# Compares the HTTP of the end-to-end suites with docs/openapi.json.
#
#   .ci/wire/run.sh record COMMAND...   runs the command and records the HTTP of each wfd in it, into .build/wire
#   .ci/wire/run.sh check FLAGS...      compares the records and removes them; without records it runs the suites first
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
records=.build/wire
work=$1
shift
if ! command -v python3 >/dev/null; then
    if [ "$work" = record ]; then exec "$@"; fi
    echo "There is no python3: the HTTP of the suites is not compared with docs/openapi.json."
    [ "${CI:-}" != true ]
    exit
fi

record() {
    rm -rf "$records"
    mkdir -p "$records"
    local clang
    clang=$(command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")
    "$clang" -O2 -Wall -Wextra -Werror -shared -fPIC -o "$PWD/.build/wire-tap.so" .ci/wire/tap.c -ldl
    WIRE_TAP_FOLDER=$PWD/$records LD_PRELOAD=$PWD/.build/wire-tap.so "$@"
}

case $work in
record) record "$@" ;;
check)
    if [ ! -d "$records" ]; then
        heavy=$(.ci/tagged.sh heavy)
        record .ci/swift.sh test "$@" --skip-build --filter '^EndToEndTests\.' --skip "$heavy"
    fi
    trap 'rm -rf "$records"' EXIT
    PYTHONPATH=.build/python .ci/wire/check.py "$records"
    ;;
*)
    echo "usage: .ci/wire/run.sh record COMMAND... | check FLAGS..." >&2
    exit 64
    ;;
esac
