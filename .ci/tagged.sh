#!/usr/bin/env bash
# Prints a pattern for 'swift test --filter' and '--skip': the suites that have a tag, by target and name. The package
# manager of Swift 6.3 cannot filter by tag.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
found=$(grep -rE "^@Suite\(.*\.tags\([^)]*\.$1\b.* (struct|class) [A-Za-z]+" Tests --include='*.swift' \
    | sed -E 's#^Tests/([A-Za-z]+)/[^:]*:.* (struct|class) ([A-Za-z]+).*#^\1\\.\3/#' | sort | paste -sd '|')
if [ -z "$found" ]; then
    echo "no suite has the tag '$1'" >&2
    exit 1
fi
echo "$found"
