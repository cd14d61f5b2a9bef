#!/usr/bin/env bash
# Checks the systemd files that are installed: verify.sh BINARY [--security]
#
# systemd-analyze wants the programs of ExecStart= to exist, so copies of the units that name BINARY, and the script of
# this folder, are checked; a template as the unit of a team. It prints a mistake in a unit and still ends with 0, so
# any word about the unit is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v systemd-analyze >/dev/null; then
    echo "systemd units: not checked, systemd-analyze is not here"
    exit 0
fi
binary=$(cd .. && realpath -e "${1:?usage: verify.sh BINARY [--security]}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
./units.sh "$folder" /usr
sed -i -e "s|^ExecStart=/usr/bin/wfd |ExecStart=$binary |" \
    -e "s|^ExecStart=/usr/libexec/wfd/|ExecStart=$PWD/|" "$folder"/*
if ! grep -qx "ExecStart=$binary serve" "$folder/wfd.service" ||
    ! grep -qx "ExecStart=$binary serve --config /etc/wfd/%i.yaml" "$folder/wfd@.service"; then
    echo "error: wfd.service has no ExecStart=/usr/bin/wfd serve" >&2
    exit 1
fi

for unit in "$folder"/*; do
    unit=${unit/@./@shop.}
    name=$(basename "$unit")
    status=0
    said=$(systemd-analyze verify --man=no --recursive-errors=no "$unit" 2>&1) || status=$?
    if [ $status -ne 0 ] || grep -q 'wfd[-.@]' <<<"$said"; then
        printf 'error: %s\n%s\n' "$name" "$said" >&2
        exit 1
    fi
done
if command -v systemd-sysusers >/dev/null && systemd-sysusers --help | grep -q -- --dry-run; then
    said=$(systemd-sysusers --dry-run "$PWD/wfd.sysusers.conf" 2>&1) || { printf "error: %s\n" "$said" >&2; exit 1; }
fi
echo "systemd units: ok"
if [ "${2:-}" = --security ]; then systemd-analyze security --offline=true --no-pager "$folder/wfd.service"; fi
