#!/usr/bin/env bash
# Writes the units that are installed: units.sh FOLDER PREFIX
#
# The templates of a team's own daemon, wfd@.service and its backup, are the units of the service with other names: so
# they differ in nothing else.
set -euo pipefail
folder=${1:?usage: units.sh FOLDER PREFIX}
prefix=${2:?usage: units.sh FOLDER PREFIX}
cd "$(dirname "${BASH_SOURCE[0]}")"
install -d "$folder"
for unit in wfd.service wfd-backup.service wfd-backup.timer; do
    sed "s|^ExecStart=/usr/|ExecStart=$prefix/|" "$unit" | install -m 644 /dev/stdin "$folder/$unit"
    sed -E -e '/^#/d' -e 's|^Description=.*|& (%i)|' -e 's|^(User\|Group)=wfd$|\1=wfd-%i|' \
        -e 's|^((State\|Runtime)Directory)=wfd|\1=wfd-%i|' -e 's|/run/wfd/|/run/wfd-%i/|' \
        -e 's|^After=wfd\.service|After=wfd@%i.service|' -e 's|/bin/wfd serve$|& --config /etc/wfd/%i.yaml|' \
        "$folder/$unit" | install -m 644 /dev/stdin "$folder/${unit%.*}@.${unit##*.}"
done
