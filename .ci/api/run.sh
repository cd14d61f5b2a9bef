#!/usr/bin/env bash
# Runs a check of docs/openapi.json against the debug build: run.sh fuzz SECONDS [SEED [ROLE]], or run.sh clients.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if ! command -v python3 >/dev/null; then
    echo "There is no python3: '$1' of docs/openapi.json is left out."
    [ "${CI:-}" != true ]
    exit
fi
export PYTHONPATH=.build/python PATH=$PWD/.build/python/bin:$PATH PYTHONDONTWRITEBYTECODE=1
exec ".ci/api/$1.py" "${@:2}"
