#!/usr/bin/env bash
# What a program with the library StateMachines would have to change since a commit: declarations that are gone or
# different. A line of .ci/api-breakages.txt is one that was meant. Fails when both versions have the same major number,
# and it is not 0. Usage: api.sh COMMIT
#
# Not 'swift package diagnose-api-breaking-changes': it builds every target of both versions, tests too, which needs all
# traits and many minutes; and it tells also of declarations that no other package sees.
set -euo pipefail
base=$(git rev-parse --short --verify "$1^{commit}")
folder=$PWD/.build/api

# dump SOURCES SCRATCH OUTPUT: builds the library without traits, and writes down its face.
dump() {
    swift build --package-path "$1/Examples/Swift" --scratch-path "$2" --target Seeds >"$folder/log" 2>&1 ||
        { cat "$folder/log" >&2; exit 1; }
    swift-api-digester -dump-sdk -module StateMachines -swift-version 6 -sdk / -I "$2/debug/Modules" \
        -module-cache-path "$folder/cache" -avoid-location -avoid-tool-args -o "$3"
}

# internal DUMP...: the full names of what no other package sees.
internal() {
    awk '{ indent = match($0, /[^ ]/) }
        /"printedName": / { name[indent] = $0; gsub(/.*"printedName": "|",?$/, "", name[indent]) }
        /"isInternal": true/ {
            full = name[indent]
            # What it lies in begins four spaces before; the outermost is the module.
            for (outer = indent - 4; outer > 8; outer -= 4) full = name[outer] "." full
            print full
        }' "$@"
}

# major SOURCES
major() { sed -nE 's/.*static let version = "([0-9]+)\..*/\1/p' "$1/Sources/WorkflowAPI/Daemon/Release.swift"; }

mkdir -p "$folder"
if [ ! -d "$folder/$base" ]; then
    mkdir "$folder/$base.new"
    git archive "$base" | tar -x -C "$folder/$base.new"
    mv "$folder/$base.new" "$folder/$base"
fi
[ -f "$folder/$base.json" ] || dump "$folder/$base" "$folder/scratch" "$folder/$base.json"
dump "$PWD" "$PWD/.build/examples/Swift" "$folder/now.json"
internal "$folder/$base.json" "$folder/now.json" >"$folder/internal"
swift-api-digester -diagnose-sdk -module StateMachines -input-paths "$folder/$base.json" \
    -input-paths "$folder/now.json" >"$folder/said" 2>&1
# 'Func A.b(_:) has …' under headings of the kinds of changes.
breakages=$(awk 'FILENAME != ARGV[3] { known[$0] = 1; next } !/^(\/\*.*)?$/ && !($2 in known) && !($0 in known)' \
    "$folder/internal" .ci/api-breakages.txt "$folder/said")
if [ -z "$breakages" ]; then
    echo "StateMachines: nothing that breaks since $base"
    exit 0
fi
printf "StateMachines, since %s:\n%s\n" "$base" "$breakages"
old=$(major "$folder/$base")
if [ "$old" -gt 0 ] && [ "$(major "$PWD")" -eq "$old" ]; then
    echo "error: this breaks programs; a line of .ci/api-breakages.txt says that it is meant" >&2
    exit 1
fi
