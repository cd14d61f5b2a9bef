#!/usr/bin/env bash
# Makes sure of other people's Python for the tests of effects: httpbin answers them, standardwebhooks and cryptography
# check their signatures, prometheus_client reads the metrics, sseclient reads streams; httptools, jsonschema and
# openapi_spec_validator compare HTTP with the API's description; schemathesis makes requests from it, and generators
# make clients; playwright drives a browser. It goes into .build/python, and nowhere else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$PWD/.build/python

modules='cryptography, httpbin, httptools, jsonschema, openapi_spec_validator, prometheus_client, sseclient'
modules+=', schemathesis, openapi_python_client, openapi_generator_cli'

has_all() {
    PYTHONPATH=$folder python3 -c "import $modules, standardwebhooks" 2>/dev/null
}

has_browser() {
    PYTHONPATH=$folder/browser python3 -c 'import playwright, axe_playwright_python' 2>/dev/null
}

command -v python3 >/dev/null || { echo "There is no python3: the tests with it are left out."; exit 0; }

# In a folder of its own: httpbin and playwright want different greenlets. Its browsers are not downloaded.
if command -v chromium >/dev/null && ! has_browser; then
    packages='playwright==1.65.2 axe-playwright-python==0.1.8'
    echo "Installing for the tests of the console, into .build/python/browser: $packages"
    # shellcheck disable=SC2086
    python3 -m pip install --quiet --disable-pip-version-check --upgrade --target "$folder/browser" $packages &&
        has_browser || {
        echo "error: these cannot be installed, perhaps for want of a network: $packages" >&2
        [ "${CI:-}" != true ] || exit 1
    }
fi

has_all && exit 0
packages='httpbin standardwebhooks cryptography prometheus_client sseclient-py httptools jsonschema'
packages+=' openapi-spec-validator schemathesis openapi-python-client openapi-generator-cli'
echo "Installing for the tests, into .build/python: $packages"
# shellcheck disable=SC2086
python3 -m pip install --quiet --disable-pip-version-check --upgrade --target "$folder" $packages
has_all || {
    echo "error: one of these cannot be imported after installing them: $packages" >&2
    exit 1
}
