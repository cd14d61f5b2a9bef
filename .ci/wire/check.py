#!/usr/bin/env python3
"""Compares recorded HTTP with docs/openapi.json: check.py FOLDER.

FOLDER has the records of tap.c. Every answer that wfd gave, and every request that it accepted, must be valid: the
route, the query's parameters, the status, the media type, and each JSON text, line or event. An object without a
required field, or with an unknown one, must be invalid; each set of fields of a type is tried once.
"""
import collections
import copy
import json
import pathlib
import re
import struct
import sys
import urllib.parse

import httptools
import jsonschema
import openapi_spec_validator
import referencing

DOCUMENT = json.loads(pathlib.Path("docs/openapi.json").read_text())
JSON_TYPES = ("application/json", "application/problem+json")


def closed(schema):
    """Returns the schema with objects that refuse unknown fields."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema:
        result["additionalProperties"] = False
    return result


def without_nulls(value):
    """Returns the value without null fields, which data of events and contexts may lose here too."""
    if isinstance(value, dict):
        return {key: without_nulls(field) for key, field in value.items() if field is not None}
    return value


REGISTRY = referencing.Registry().with_resource(
    "openapi", referencing.Resource(closed(DOCUMENT), referencing.jsonschema.DRAFT202012))


class Findings:
    def __init__(self):
        self.texts, self.counts = {}, collections.Counter()
        self.validators, self.checked, self.mutated = {}, collections.Counter(), set()

    def add(self, operation, text):
        self.texts.setdefault((operation, text), None)

    def validator(self, schema):
        key = json.dumps(schema, sort_keys=True)
        if key not in self.validators:
            # References of the document begin with '#'; here they go to the registered document.
            absolute = json.loads(key.replace('"#/', '"openapi#/'))
            self.validators[key] = (
                jsonschema.Draft202012Validator(closed(absolute), registry=REGISTRY), key)
        return self.validators[key]

    def check(self, operation, what, schema, text):
        try:
            value = json.loads(text)
        except ValueError as error:
            return self.add(operation, f"{what} is no JSON: {error}: {text[:80]!r}")
        validator, key = self.validator(schema)
        if "accepted" in what:
            # In a request null stands for a missing field; the schemas are those of answers too.
            value = without_nulls(value)
        self.checked[what] += 1
        error = jsonschema.exceptions.best_match(validator.iter_errors(value))
        if error is not None:
            place = "/".join(str(part) for part in error.absolute_path)
            return self.add(operation, f"{what}, '{place}': {error.message[:200]}")
        self.mutate(operation, what, validator, key, value)

    def mutate(self, operation, what, validator, key, value):
        """Tries each object with these fields once: without a required field, and with an unknown one."""
        if not isinstance(value, dict) or (key, tuple(sorted(value))) in self.mutated:
            return
        self.mutated.add((key, tuple(sorted(value))))
        more = copy.deepcopy(value)
        more["zzz"] = 1
        if validator.is_valid(more) and not self.is_open(key):
            self.add(operation, f"{what} with a field more is valid")
        for name in self.required(key):
            less = {field: value[field] for field in value if field != name}
            if name in value and validator.is_valid(less):
                self.add(operation, f"{what} without the required '{name}' is valid")
            self.counts["fields left out"] += 1

    @staticmethod
    def target(key):
        schema = json.loads(key)
        name = schema.get("$ref", "").rpartition("/")[2]
        return DOCUMENT["components"]["schemas"].get(name, schema)

    def is_open(self, key):
        target = self.target(key)
        return target == {} or target.get("additionalProperties", False) is not False or \
            "properties" not in target and "oneOf" not in target and "anyOf" not in target

    def required(self, key):
        return self.target(key).get("required", [])


class Message:
    """One side of a connection: requests or answers, as llhttp reads them."""

    def __init__(self, parser):
        self.done, self.broken = [], False
        self.parser = parser(self)

    def feed(self, data):
        if self.broken:
            return
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self.broken = True
        except httptools.HttpParserError:
            self.broken = True

    def on_message_begin(self):
        self.url, self.headers, self.body = b"", {}, b""

    def on_url(self, url):
        self.url += url

    def on_header(self, name, value):
        self.headers[name.decode("latin1").lower()] = value.decode("latin1")

    def on_headers_complete(self):
        self.status = self.parser.get_status_code() if hasattr(self.parser, "get_status_code") else None
        self.method = self.parser.get_method().decode() if hasattr(self.parser, "get_method") else None
        self.done.append(self.part(False))

    def on_body(self, body):
        self.body += body
        self.done[-1] = self.part(False)

    def on_message_complete(self):
        self.done[-1] = self.part(True)

    def part(self, whole):
        return {"url": self.url.decode("latin1"), "headers": self.headers, "body": self.body, "status": self.status,
                "method": self.method, "whole": whole}


def connections(folder):
    """Yields the requests and answers of each recorded connection."""
    for path in sorted(pathlib.Path(folder).iterdir()):
        data, offset, sides = path.read_bytes(), 0, {}
        while offset + 12 <= len(data):
            connection, kind, length = struct.unpack_from("<III", data, offset)
            part = data[offset + 12:offset + 12 + length]
            offset += 12 + length
            requests, answers = sides.setdefault(
                connection, (Message(httptools.HttpRequestParser), Message(httptools.HttpResponseParser)))
            if kind == 0:
                requests.feed(part)
            elif kind == 1:
                answers.feed(part)
            elif kind == 3:
                requests.broken = answers.broken = True
        for requests, answers in sides.values():
            heads = [one["method"] for one in requests.done]
            if "HEAD" in heads:
                continue
            yield requests.done, [one for one in answers.done if one["status"] >= 200]


def patterns():
    for template, methods in DOCUMENT["paths"].items():
        pattern = re.compile("^" + re.sub(r"\\?\{[^}]*\\?\}", "[^/]+", re.escape(template)) + "/?$")
        for method, operation in methods.items():
            if isinstance(operation, dict) and "operationId" in operation:
                yield method.upper(), pattern, operation


ROUTES = list(patterns())


def items(media, body, whole):
    """Returns the JSON texts of a body in lines or events; of a body that was cut off, all but the last."""
    text = body.decode("utf-8", "replace")
    if media == "text/event-stream":
        blocks = text.split("\n\n")[:-1]
        found = (
            ["\n".join(line[5:].lstrip(" ") for line in block.split("\n") if line.startswith("data:")), block]
            for block in blocks)
        return [data for data, block in found if data]
    lines = text.split("\n")
    return [line for line in (lines if whole else lines[:-1]) if line.strip()]


def compare(request, answer, findings):
    if request["method"] == "OPTIONS":
        return
    path, _, query = request["url"].partition("?")
    found = [(method, operation) for method, pattern, operation in ROUTES if pattern.match(path)]
    operation = next((operation for method, operation in found if method == request["method"]), None)
    media = answer["headers"].get("content-type", "").partition(";")[0]
    status = answer["status"]
    if operation is None:
        findings.counts["requests without a route"] += 1
        if status < 400:
            findings.add(f"{request['method']} {path}", f"no route of the document, but {status}")
        return
    name = operation["operationId"]
    findings.counts["exchanges"] += 1
    responses = operation["responses"]
    described = responses.get(str(status)) or responses.get(f"{status // 100}XX") or responses.get("default")
    if described is None:
        return findings.add(name, f"status {status} is not described")
    if "$ref" in described:
        described = DOCUMENT["components"]["responses"][described["$ref"].rpartition("/")[2]]
    content = described.get("content", {})
    if answer["body"] and media not in content and "*/*" not in content:
        return findings.add(name, f"{status} has the media type '{media}', which is not described")
    schema = content.get(media, {}).get("schema")
    if media == "application/problem+json":
        kind = json.loads(answer["body"]).get("type", "").rpartition("/")[2] if answer["whole"] else ""
        kinds = described["description"].split(", ")
        if kind and kind.rpartition(":")[2] not in kinds:
            findings.add(name, f"{status} {kind} is not described")
    if schema is not None and answer["body"]:
        if "x-itemSchema" in schema:
            for text in items(media, answer["body"], answer["whole"]):
                if '{"problem"' == text[:10] and media == "application/x-ndjson":
                    text, item = json.dumps(json.loads(text)["problem"]), {"$ref": "#/components/schemas/Problem"}
                else:
                    item = schema["x-itemSchema"]
                findings.check(name, f"an item of {status}", item, text)
        elif media in JSON_TYPES and answer["whole"]:
            findings.check(name, f"the body of {status}", schema, answer["body"].decode("utf-8", "replace"))
    if status >= 300 or not request["whole"]:
        return
    known = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"}
    for parameter in urllib.parse.parse_qs(query, keep_blank_values=True):
        if parameter not in known and known:
            findings.add(name, f"the query's '{parameter}' was accepted and is not described")
    bodies = operation.get("requestBody", {}).get("content", {})
    media = request["headers"].get("content-type", "").partition(";")[0].strip().lower()
    if not request["body"] or not bodies:
        return
    if media not in bodies:
        findings.add(name, f"a request of the media type '{media}' was accepted and is not described")
    elif "x-itemSchema" in bodies[media]["schema"]:
        # A line may be refused by itself, which the answer's line says.
        answers = [json.loads(text) for text in items("", answer["body"], answer["whole"])]
        for text, told in zip(items("", request["body"], True), answers):
            if told.get("status", 500) < 300:
                findings.check(name, "an accepted line", bodies[media]["schema"]["x-itemSchema"], text)
    elif media in JSON_TYPES and bodies[media]["schema"]:
        findings.check(
            name, "an accepted request", bodies[media]["schema"], request["body"].decode("utf-8", "replace"))


def main():
    openapi_spec_validator.validate(DOCUMENT)
    findings = Findings()
    operations = set()
    for requests, answers in connections(sys.argv[1]):
        for request, answer in zip(requests, answers):
            compare(request, answer, findings)
            path = request["url"].partition("?")[0]
            operations |= {
                operation["operationId"] for method, pattern, operation in ROUTES
                if method == request["method"] and pattern.match(path)}
    missing = sorted({operation["operationId"] for _, _, operation in ROUTES} - operations)
    for (operation, text) in findings.texts:
        print(f"{operation}: {text}")
    counts = ", ".join(f"{count} {what}" for what, count in sorted(findings.counts.items()))
    texts = ", ".join(f"{count} × {what}" for what, count in sorted(findings.checked.items()))
    print(f"{counts}; JSON texts compared: {texts}")
    print(f"{len(operations)} of {len(operations) + len(missing)} operations met; not: {', '.join(missing) or 'none'}")
    if findings.texts or findings.counts["exchanges"] == 0:
        sys.exit(1)


main()
