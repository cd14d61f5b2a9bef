#!/usr/bin/env python3
"""Prints the seconds that each suite has used by itself, the ten slowest suites first, from an event stream.

Swift Testing prints for each suite the time since it began, and all suites begin at once. The stream has the begin and
the end of every test case. Usage: .ci/slowest.py FILE [COUNT]
"""
import collections
import json
import sys


def main(path, count):
    begun, used = {}, collections.Counter()
    first, last = None, None
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            record = json.loads(line)
            if record["kind"] != "event":
                continue
            event = record["payload"]
            now = event["instant"]["absolute"]
            first, last = first or now, now
            # Test cases of one test may run at the same time; each has an id.
            case = (event.get("testID"), event.get("_testCase", {}).get("id"))
            if event["kind"] == "testCaseStarted":
                begun[case] = now
            elif event["kind"] == "testCaseEnded" and case in begun:
                used[case[0].split("/")[0]] += now - begun.pop(case)
    if not used:
        sys.exit(f"{path} has no test case that ended")
    print(f"{len(used)} suites, {sum(used.values()):.0f} s of tests in {last - first:.0f} s; the slowest:")
    for suite, seconds in used.most_common(count):
        print(f"{seconds:8.1f} s  {suite}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10)
