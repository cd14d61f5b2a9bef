#!/usr/bin/env bash
# Whether a program gets the packages that its traits need, and no other; and whether the examples build and pass their
# tests by themselves, as in a package of their own.
set -euo pipefail
scratch=$PWD/.build/examples
# What the package manager calls this repository; the examples are 'swift' and 'durable'.
own=$(basename "$PWD" | tr '[:upper:]' '[:lower:]')

# resolves FOLDER PACKAGE...: compares what is resolved for an example with what is expected.
resolves() {
    local example=$1 resolved expected
    shift
    resolved=$(swift package --package-path "Examples/$example" --scratch-path "$scratch/$example" \
        show-dependencies --format flatlist | sort -u | sed -E "/^($own|swift)$/d" | paste -sd ' ')
    expected=$*
    if [ "$resolved" != "$expected" ]; then
        printf "error: 'Examples/%s' resolves other packages\n  resolved: %s\n  expected: %s\n" \
            "$example" "${resolved:-none}" "${expected:-none}" >&2
        exit 1
    fi
    echo "Examples/$example: ${resolved:-no package but wfd}"
}

resolves Swift
# GRDB and six more, none of them about HTTP.
resolves Durable grdb.swift swift-asn1 swift-async-algorithms swift-collections swift-crypto swift-log \
    swift-service-lifecycle
.ci/swift.sh test --package-path Examples/Swift --scratch-path "$scratch/Swift" \
    --explicit-target-dependency-import-check error
