#!/usr/bin/env bash
# Whether the programs in a folder have the sizes that the Makefile tells, once installed: stripped, in MB of 10^6
# bytes, whole or with one decimal.
# A fifth more fails, and so does a fifth less: then the number is to be lowered. Usage: size.sh FOLDER NAME=MB...
set -euo pipefail
folder=$1
shift
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
status=0
for wanted in "$@"; do
    name=${wanted%%=*}
    megabytes=${wanted#*=}
    [[ $megabytes == *.* ]] || megabytes=$megabytes.0
    tenths=${megabytes/./}
    strip -o "$stripped" "$folder/$name"
    bytes=$(stat -c %s "$stripped")
    printf '%s: %d.%d MB, %s MB expected\n' "$name" $((bytes / 1000000)) $((bytes / 100000 % 10)) "$megabytes"
    if [ $((bytes * 5)) -gt $((tenths * 100000 * 6)) ]; then
        echo "error: '$name' has grown by more than a fifth" >&2
        status=1
    elif [ $((bytes * 5)) -lt $((tenths * 100000 * 4)) ]; then
        echo "error: '$name' is smaller by more than a fifth: lower it in the Makefile and in the pages" >&2
        status=1
    fi
done
exit "$status"
