#!/usr/bin/env bash
# Makes the pages of the three libraries and of JSON values from what `swift build` has built, into one folder:
# docs.sh BUILT OUTPUT. A warning is an error. It reads the modules as they are: no second build, and no package for it.
set -euo pipefail
built=$1
output=$2
triple=$(basename "$(dirname "$(readlink -f "$built")")")
docc=$(command -v docc || echo "$(dirname "$(readlink -f "$(command -v swift)")")/docc")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Modules in C: those of packages bring a map, or the package manager has written one.
c=()
while IFS= read -r map; do
    c+=(-Xcc "-fmodule-map-file=$map")
done < <(find Sources .build/checkouts/*/Sources "$built"/*.build/module.modulemap -name module.modulemap)
while IFS= read -r folder; do c+=(-Xcc "-I$folder"); done < <(find .build/checkouts/*/Sources -type d -name include)

# Each may name what is in those before it.
known=()
archives=()
for library in WorkflowJSON StateMachines DurableMachines WorkflowClient; do
    mkdir "$work/$library"
    swift symbolgraph-extract -module-name "$library" -target "$triple" -I "$built/Modules" "${c[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$work/$library" \
        -experimental-allowed-reexported-modules=WorkflowCalls
    catalog=()
    if [ -d "Sources/$library/$library.docc" ]; then catalog=("Sources/$library/$library.docc"); fi
    "$docc" convert "${catalog[@]}" --additional-symbol-graph-dir "$work/$library" \
        --fallback-display-name "$library" --fallback-default-module-kind Library --warnings-as-errors \
        --enable-experimental-external-link-support "${known[@]}" --output-dir "$work/$library.doccarchive"
    archives+=("$work/$library.doccarchive")
    known+=(--dependency "$work/$library.doccarchive")
done
rm -rf "$output"
"$docc" merge "${archives[@]}" --synthesized-landing-page-name wfd --output-path "$output"
