"""Leads the requests of schemathesis to what there is, and keeps them short; loaded by schemathesis."""
import atexit
import collections
import json
import zlib

import schemathesis

YES_OR_NO = ["true", "false"]
# What .ci/api/fuzz.py has made, and values of queries. Of four, three are replaced by these.
NAMES = {"instance": ["door-1", "door-2", "order-1", "order-2"], "machine": ["door", "order"]}
BODY = NAMES | {"event": ["open", "close", "lock", "stop"]}
ADDRESS = NAMES | {
    "queue": ["stock"], "version": ["1", "2"], "effect": ["1", "2"], "seq": ["1", "2"], "to": ["1", "2"],
    "limit": ["1", "500"], "after": ["0", "1"], "status": ["running", "done"], "olderThan": ["0s", "1h"],
    "dryRun": YES_OR_NO, "detail": YES_OR_NO, "explain": YES_OR_NO, "reverse": YES_OR_NO, "activate": YES_OR_NO,
    "trace": YES_OR_NO, "atomic": YES_OR_NO, "context": YES_OR_NO, "cancelEffects": YES_OR_NO,
}
STATUSES = collections.Counter()


def lead(fields, known):
    """Replaces values by known ones: a value always by the same one, so that a seed repeats its requests."""
    for name in known.keys() & fields.keys():
        number = zlib.crc32(repr(fields[name]).encode())
        if number % 4:
            fields[name] = known[name][number // 4 % len(known[name])]


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Makes lists of the bodies in lines, whose items the description has beside the text."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            lines = operation.get("requestBody", {}).get("content", {}).get("application/x-ndjson")
            if lines:
                lines["schema"] = {"type": "array", "items": lines["schema"]["x-itemSchema"], "maxItems": 20}
                lines.pop("example", None)


@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    items = value if isinstance(value, list) else [value]
    return "".join(json.dumps(item) + "\n" for item in items).encode()


@schemathesis.hook
def before_call(context, case, kwargs):
    for fields in (case.path_parameters, case.query):
        if isinstance(fields, dict):
            lead(fields, ADDRESS)
    if isinstance(case.query, dict) and "wait" in case.query:
        case.query["wait"] = "0"
    for item in case.body if isinstance(case.body, list) else [case.body]:
        if isinstance(item, dict):
            lead(item, BODY)
            if isinstance(item.get("wait"), (int, float)):
                item["wait"] = 0


@schemathesis.hook
def after_call(context, case, response):
    STATUSES[response.status_code] += 1


@atexit.register
def tell():
    print("statuses:", ", ".join(f"{count} x {status}" for status, count in sorted(STATUSES.items())))
