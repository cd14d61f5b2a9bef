#!/usr/bin/env bash
# Opens the console of the debug build in Chromium: run.sh all, run.sh quick, or names of checks in
# suite.py. 'run.sh picture' makes docs/pictures/console.png anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export PYTHONPATH=.build/python/browser:.ci/api PYTHONDONTWRITEBYTECODE=1
for program in python3 chromium; do
    if ! command -v $program >/dev/null; then
        echo "There is no $program: the console is not opened in a browser."
        [ "${CI:-}" != true ]
        exit
    fi
done
if ! python3 -c 'import axe_playwright_python.sync_playwright' 2>/dev/null; then
    echo "There is no playwright: the console is not opened in a browser. .ci/python.sh installs it."
    [ "${CI:-}" != true ]
    exit
fi
exec .ci/console/suite.py "${@:-all}"
