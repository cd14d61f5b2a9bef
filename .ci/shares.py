#!/usr/bin/env python3
"""Prints the bytes that each target and library has in a linked program, without symbols and debugging information.

Usage: shares.py MAP [TARGET...]; the sum of the named targets stands last. lld writes the map when a program is linked
with '-Xlinker -Map=FILE', for example:
    .ci/swift.sh build FLAGS -Xlinker -Map=.build/wfd.map --product wfd
"""
import collections
import re
import sys

# Address, address in memory, size, alignment, and the section of a file.
PART = re.compile(r" *[0-9a-f]+ +[0-9a-f]+ +([0-9a-f]+) +[0-9]+ +(\S.*):\((\S+)\)$")
UNLOADED = (".debug", ".comment", ".note.GNU-stack", ".llvm", ".swift1_autolink")

shares = collections.Counter()
with open(sys.argv[1], errors="replace") as lines:
    for line in lines:
        part = PART.match(line.rstrip("\n"))
        if part is None or part[2] == "<internal>" or part[3].startswith(UNLOADED):
            continue
        target = re.search(r"/([^/]+)\.build/", part[2]) or re.search(r"([^/]+\.a)\(", part[2])
        shares[target[1] if target else part[2].rsplit("/", 1)[-1]] += int(part[1], 16)

named = sys.argv[2:]
for target, size in shares.most_common():
    if not named or target in named:
        print(f"{size:12,} {target}")
print(f"{sum(shares[target] for target in named or shares):12,} in all")
