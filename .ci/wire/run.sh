#!/usr/bin/env bash
# Records all HTTP of the end-to-end suites, and compares it with docs/openapi.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if ! command -v python3 >/dev/null; then
    echo "There is no python3: the HTTP of the suites is not compared with docs/openapi.json."
    [ "${CI:-}" != true ]
    exit
fi
clang=$(command -v clang || echo "$(dirname "$(readlink -f "$(command -v swift)")")/clang")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/records"
"$clang" -O2 -Wall -Wextra -Werror -shared -fPIC -o "$folder/tap.so" .ci/wire/tap.c -ldl
heavy=$(.ci/tagged.sh heavy)
WIRE_TAP_FOLDER=$folder/records LD_PRELOAD=$folder/tap.so .ci/swift.sh test "$@" --skip-build \
    --filter '^EndToEndTests\.' --skip "$heavy"
PYTHONPATH=.build/python .ci/wire/check.py "$folder/records"
