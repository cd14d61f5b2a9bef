#!/usr/bin/env bash
# Builds what libFuzzer drives and runs each for so many seconds: no crash, nothing slower than a second, no more than
# 512 MiB. What is found stays in .build/fuzz; put it into a test.
set -euo pipefail
seconds=$1
root=$PWD
scratch=$root/.build/fuzz

# build NAME: links the archive of a target with libFuzzer's own main.
build() {
    WFD_FUZZ=1 .ci/swift.sh build -c release --scratch-path "$scratch/build" \
        -Xswiftc -sanitize=fuzzer -Xswiftc -parse-as-library --product "$1"
    swiftc -sanitize=fuzzer -o "$scratch/$1" \
        -Xlinker --whole-archive "$scratch/build/release/lib$1.a" -Xlinker --no-whole-archive -lre2 -lstdc++
}

# fuzz NAME LONGEST SEEDS: runs one; its corpus grows in a folder of its own.
fuzz() {
    mkdir -p "$scratch/corpus/$1"
    echo "$1: $seconds seconds"
    (cd "$scratch" && "./$1" -max_total_time="$seconds" -timeout=1 -rss_limit_mb=512 -max_len="$2" \
        -artifact_prefix="$1-" -print_final_stats=1 "corpus/$1" "${@:3}" 2>"$1.log") ||
        { tail -n 40 "$scratch/$1.log" >&2; echo "error: $1 found something, see above and $scratch" >&2; exit 1; }
    grep -E '^(Done|stat::(number_of_executed_units|slowest_unit_time_sec|peak_rss_mb))' "$scratch/$1.log"
}

mkdir -p "$scratch"
build FuzzDefinition
build FuzzExpression
build FuzzStep
build FuzzRequest
build FuzzToken
build FuzzPreferences
build FuzzRow
build FuzzAccess
fuzz FuzzDefinition 4096 "$root/Examples"
fuzz FuzzExpression 2048 "$root/Tests/Fuzzing/Corpus/expression"
fuzz FuzzStep 256
fuzz FuzzRequest 512 "$root/Tests/Fuzzing/Corpus/request"
fuzz FuzzToken 128 "$root/Tests/Fuzzing/Corpus/token"
fuzz FuzzPreferences 256 "$root/Tests/Fuzzing/Corpus/preferences"
fuzz FuzzRow 2048 "$root/Tests/Fuzzing/Corpus/row"
fuzz FuzzAccess 2048 "$root/Tests/Fuzzing/Corpus/access"
