#!/usr/bin/env bash
# Checks the systemd files of this folder: verify.sh BINARY [--security]
#
# systemd-analyze wants the binary of ExecStart= to exist, so a copy of the unit that names BINARY is checked. It prints
# a mistake in a unit and still ends with 0, so any word about the unit is a failure.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v systemd-analyze >/dev/null; then
    echo "systemd unit: not checked, systemd-analyze is not here"
    exit 0
fi
binary=$(cd .. && realpath -e "${1:?usage: verify.sh BINARY [--security]}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sed "s|^ExecStart=/usr/bin/wfd |ExecStart=$binary |" wfd.service >"$folder/wfd.service"
if ! grep -q "^ExecStart=$binary serve\$" "$folder/wfd.service"; then
    echo "error: wfd.service has no ExecStart=/usr/bin/wfd serve" >&2
    exit 1
fi

status=0
said=$(systemd-analyze verify --man=no --recursive-errors=no "$folder/wfd.service" 2>&1) || status=$?
if [ $status -ne 0 ] || grep -q 'wfd\.service' <<<"$said"; then
    printf 'error: wfd.service\n%s\n' "$said" >&2
    exit 1
fi
if command -v systemd-sysusers >/dev/null && systemd-sysusers --help | grep -q -- --dry-run; then
    said=$(systemd-sysusers --dry-run "$PWD/wfd.sysusers.conf" 2>&1) || { printf "error: %s\n" "$said" >&2; exit 1; }
fi
echo "systemd unit: ok"
if [ "${2:-}" = --security ]; then systemd-analyze security --offline=true --no-pager "$folder/wfd.service"; fi
