#!/usr/bin/env bash
# Runs swift with the arguments, without the package manager's warnings about the dependencies' own manifests; one about
# ours (an unused dependency, a file that belongs to no target) is an error. The compiler's warnings are errors anyway.
# What failed among many tests is said once more at the end.
set -euo pipefail
# The package manager builds everything again when a variable of its surroundings is another: those of `make` and of the
# shell are another in each target.
unset "${!MAKE@}" MFLAGS SHLVL OLDPWD
# And it hands traits to the compiler in the order of a set: in another order at each run, so that everything was built
# again. Tests keep their random order: `test` comes with --skip-build, after a `build`.
if [ "$1" != test ]; then export SWIFT_DETERMINISTIC_HASHING=1; fi
# As many tests at a time as keep two cores busy: with all of them at once each takes as long as all, and its time limit
# says nothing.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-6}
root=$(basename "$PWD" | tr '[:upper:]' '[:lower:]')
own=$(mktemp)
said=$(mktemp)
trap 'rm -f "$own" "$said"' EXIT

filter() {
    local line skips=
    while IFS= read -r line || [ -n "$line" ]; do
        if [[ $line =~ warning:\ \'([^\']+)\':\  && ${BASH_REMATCH[1]} != "$root" ]]; then
            skips=1
        elif [[ -z $skips || $line != "    "* ]]; then
            skips=
            printf '%s\n' "$line" >&2
            if [[ $line == *warning:* ]]; then printf '%s\n' "$line" >>"$own"; fi
        fi
    done
}

exec 3> >(filter)
filtering=$!
status=0
swift "$@" 2>&3 3>&- | tee "$said" || status=$?
exec 3>&-
wait "$filtering"
if [ "$status" -ne 0 ]; then
    grep -a 'recorded an issue' "$said" | cut -c 1-1000 || true
    exit "$status"
fi
if [ -s "$own" ]; then
    printf 'error: there are warnings\n%s\n' "$(sort -u "$own")" >&2
    exit 1
fi
