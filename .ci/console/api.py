"""The API of a daemon, over one connection that is kept open."""
import http.client
import json
import time


class API:
    """Asks as the holder of a token."""

    def __init__(self, port, token, person=None):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.headers = {"Authorization": f"Bearer {token}"}
        if person:
            self.headers["Wfd-On-Behalf-Of"] = person

    def ask(self, method, path, body=None, kind="application/json", headers=None):
        """Returns the status and the text of an answer."""
        given = {**self.headers, **(headers or {})}
        if body is not None:
            given["Content-Type"] = kind
            body = (body if isinstance(body, str) else json.dumps(body)).encode()
        try:
            self.connection.request(method, path, body, given)
            answer = self.connection.getresponse()
        except (ConnectionError, http.client.HTTPException):
            # It was closed because nothing was asked for a minute, or because wfd was killed.
            self.connection.close()
            self.connection.request(method, path, body, given)
            answer = self.connection.getresponse()
        return answer.status, answer.read().decode()

    def do(self, method, path, body=None, **options):
        """Returns the answer to a request that must succeed; of lines the last one."""
        status, text = self.ask(method, path, body, **options)
        if status >= 300:
            raise RuntimeError(f"{method} {path} was answered {status}: {text}")
        lines = text.splitlines()
        return json.loads(lines[-1]) if lines else None

    def apply(self, definition):
        """Applies a definition in YAML, or one that is a value."""
        kind = "application/yaml" if isinstance(definition, str) else "application/json"
        return self.do("POST", "/v1/machines", definition, kind=kind)["version"]

    def start(self, machine, name, data=None):
        self.do("POST", "/v1/instances", {"machine": machine, "instance": name} | ({"data": data} if data else {}))

    def send(self, name, event, data=None, key=None):
        body = {"event": event} | ({} if data is None else {"data": data})
        headers = {"Idempotency-Key": key} if key else None
        return self.do("POST", f"/v1/instances/{name}/events", body, headers=headers)

    def repair(self, name, verb, **fields):
        return self.do("POST", f"/v1/instances/{name}/{verb}", fields)

    def lease(self, queue, worker, most=1):
        return self.do("POST", f"/v1/tasks/{queue}/lease", {"worker": worker, "max": most, "lease": 600})["tasks"]

    def run(self, name, verb, reason, **select):
        """Begins a verb for many instances, as soon as there is room for it among those under way."""
        body = {"run": name, "action": {"verb": verb}, "select": select, "reason": reason}
        deadline = time.monotonic() + 60
        while (answer := self.begin(body))[0] == 503 and time.monotonic() < deadline:
            time.sleep(0.05)
        if answer[0] >= 300:
            raise RuntimeError(f"The run {name} was answered {answer}")

    def begin(self, body):
        """Returns the status and the first line: the answer ends seconds after the run."""
        connection = http.client.HTTPConnection(self.connection.host, self.connection.port, timeout=30)
        headers = self.headers | {"Content-Type": "application/json"}
        connection.request("POST", "/v1/bulk", json.dumps(body).encode(), headers)
        answer = connection.getresponse()
        line = answer.readline().decode()
        connection.close()
        return answer.status, line
