#!/usr/bin/env python3
"""A payment service as they are: it fails, it is slow, and it is asked again. It needs nothing but Python.

    payments.py PORT [FAILURES]

It fails the first FAILURES requests of each key (1): half of these times after it has charged the card. A key that it
knows is not charged again. It prints each charge and each mail.
"""

import http.server
import json
import sys
import threading

failures = int(sys.argv[2]) if len(sys.argv) > 2 else 1
lock = threading.Lock()
asked = {}
receipts = {}
mails = set()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers["Idempotency-Key"]
        with lock:
            asked[key] = asked.get(key, 0) + 1
            count = asked[key]
        if self.path == "/v1/mails":
            with lock:
                if key not in mails:
                    mails.add(key)
                    print(f"mail to {body['to']}: {body['order']} is on its way", flush=True)
            return self.answer(202, {})
        if not self.headers["Authorization"]:
            return self.answer(401, {"error": "who are you?"})
        if count <= failures and count % 2 == 1:
            return self.answer(503, {"error": "try again"})
        with lock:
            if key not in receipts:
                receipts[key] = f"r-{len(receipts) + 1}"
                order = self.path.rsplit("/", 1)[1]
                print(f"{order}: charged {body['amount']}, asked {count} times", flush=True)
        if count <= failures:
            # The card is charged, and nobody hears of it.
            return self.answer(502, {"error": "lost"})
        self.answer(200, {"id": receipts[key]})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("listening", file=sys.stderr, flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
