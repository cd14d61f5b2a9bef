#!/usr/bin/env bash
# Prints the licences of what the programs carry: Swift, and the packages that the build has fetched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
shopt -s nullglob
cat <<'END'
wfd, Copyright of its contributors. Its sources state no licence.

The programs carry parts of Swift, Copyright (c) 2014-2026 Apple Inc. and the Swift project authors, under the Apache
License 2.0 with Runtime Library Exception; and parts of the packages below. On Debian systems the Apache License 2.0
is in /usr/share/common-licenses/Apache-2.0.
END
for folder in .build/checkouts/*/; do
    files=("$folder"LICENSE* "$folder"COPYING*)
    [ ${#files[@]} -gt 0 ] || { echo "error: '$folder' has no licence" >&2; exit 1; }
    printf '\n%s\n\n' "$(basename "$folder")"
    if grep -q 'Apache License' "${files[0]}"; then
        exception=$(grep -om 1 'Runtime Library Exception' "${files[0]}" || true)
        echo "    Apache License 2.0${exception:+ with Runtime Library Exception}"
        sed 's/^/    /' "$folder"NOTICE* /dev/null
    else
        sed 's/^/    /' "${files[0]}"
    fi
done
