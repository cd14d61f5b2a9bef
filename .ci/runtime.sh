#!/usr/bin/env bash
# Installs the libraries of Swift that programs need, stripped. Usage: runtime.sh FOLDER PROGRAM...
set -euo pipefail
folder=$1
shift
mapfile -t libraries < <(ldd "$@" | sed -nE 's|.* => (/.*/swift/linux/[^ ]+) .*|\1|p' | sort -u)
if [ "${#libraries[@]}" -eq 0 ]; then
    echo "error: these programs carry Swift's libraries in themselves; build them with 'make release LINK=dynamic'" >&2
    exit 1
fi
install -d "$folder"
for library in "${libraries[@]}"; do
    strip --strip-unneeded -o "$folder/$(basename "$library")" "$library"
    chmod 644 "$folder/$(basename "$library")"
done
