#!/usr/bin/env bash
# Makes sure of other people's Python for the tests of effects: httpbin answers them, standardwebhooks and cryptography
# check their signatures. It goes into .build/python, and nowhere else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$PWD/.build/python

has_all() { PYTHONPATH=$folder python3 -c 'import cryptography, httpbin, standardwebhooks' 2>/dev/null; }

command -v python3 >/dev/null || { echo "There is no python3: the tests of effects are left out."; exit 0; }
has_all && exit 0
echo "Installing httpbin, standardwebhooks and cryptography for the tests, into .build/python"
python3 -m pip install --quiet --disable-pip-version-check --target "$folder" httpbin standardwebhooks cryptography
has_all || {
    echo "error: httpbin, standardwebhooks or cryptography cannot be imported after installing them" >&2
    exit 1
}
