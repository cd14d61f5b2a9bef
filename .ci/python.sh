#!/usr/bin/env bash
# Makes sure of other people's Python for the tests of effects: httpbin answers them, standardwebhooks and cryptography
# check their signatures, prometheus_client reads the metrics, sseclient reads streams; httptools, jsonschema and
# openapi_spec_validator compare HTTP with the API's description; schemathesis makes requests from it, and generators
# make clients. It goes into .build/python, and nowhere else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$PWD/.build/python

modules='cryptography, httpbin, httptools, jsonschema, openapi_spec_validator, prometheus_client, sseclient'
modules+=', schemathesis, openapi_python_client, openapi_generator_cli'

has_all() {
    PYTHONPATH=$folder python3 -c "import $modules, standardwebhooks" 2>/dev/null
}

command -v python3 >/dev/null || { echo "There is no python3: the tests with it are left out."; exit 0; }
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
