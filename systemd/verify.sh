#!/usr/bin/env bash
# Checks the systemd files that are installed: verify.sh BINARY [--security]
#
# systemd-analyze wants the programs of ExecStart= to exist, so copies of the units that name BINARY, and the script of
# this folder, are checked, with the drop-ins of the pages; a template as the unit of a team. It prints a mistake in a
# unit and still ends with 0, so any word about the unit is a failure.
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
# The drop-ins of the pages, which systemd-analyze finds beside the units: blocks that begin with their path.
awk -v folder="$folder/" '/^```/ { file = "" }
    file { print >file }
    sub("^# /etc/systemd/system/", "") { file = folder $0; sub("/[^/]*$", ""); system("mkdir -p " folder $0); found++ }
    END { exit found < 2 }' ../docs/*.md || { echo "error: the pages have no drop-ins" >&2; exit 1; }
sed -i -e "s|^ExecStart=/usr/bin/wfd |ExecStart=$binary |" \
    -e "s|^ExecStart=/usr/libexec/wfd/|ExecStart=$PWD/|" "$folder"/*.{service,timer} "$folder"/*/*.conf
if ! grep -qx "ExecStart=$binary serve" "$folder/wfd.service" ||
    ! grep -qx "ExecStart=$binary serve --config /etc/wfd/%i.yaml" "$folder/wfd@.service"; then
    echo "error: wfd.service has no ExecStart=/usr/bin/wfd serve" >&2
    exit 1
fi

for unit in "$folder"/*.{service,timer}; do
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
rm -r "$folder"/*.d
if [ "${2:-}" = --security ]; then systemd-analyze security --offline=true --no-pager "$folder/wfd.service"; fi
