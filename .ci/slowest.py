#!/usr/bin/env python3
"""Prints the seconds of each suite, the slowest first, from the event stream of a run without parallel tests.

Swift Testing prints for each suite the time since it began, and all suites begin at once. The stream has the begin and
the end of every test. In a parallel run the begin is no measure either: a test waits there until others end, and the
stream of Swift 6.3 has the later begin of test cases with arguments only. Usage: .ci/slowest.py FILE [COUNT]
"""
import collections
import json
import sys


def main(path, count):
    begun, used = {}, collections.Counter()
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            record = json.loads(line)
            if record["kind"] != "event":
                continue
            event = record["payload"]
            test, now = event.get("testID", ""), event["instant"]["absolute"]
            if "/" not in test:
                continue
            if event["kind"] == "testStarted":
                begun[test] = now
            elif event["kind"] == "testEnded" and test in begun:
                used[test.split("/")[0]] += now - begun.pop(test)
    if not used:
        sys.exit(f"{path} has no test that ended")
    print(f"{len(used)} suites, {sum(used.values()):.0f} s; the slowest:")
    for suite, seconds in used.most_common(count):
        print(f"{seconds:8.1f} s  {suite}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
