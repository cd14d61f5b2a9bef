"""A service for tests: httpbin, requests that are recorded, signatures that others check, and servers that misbehave.

Prints a line of JSON with its addresses, then serves until the program that has started it ends.
"""

import base64
import datetime
import ipaddress
import json
import os
import socket
import ssl
import struct
import sys
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.x509.oid import NameOID
from httpbin import app as httpbin
from standardwebhooks.webhooks import Webhook
from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Request, Response

lock = threading.Lock()
requests = []
web_port = 0
released = threading.Event()
connections = {"127.0.0.1": 0, "127.0.0.2": 0}


def answer(value, status=200, headers=None):
    return Response(json.dumps(value), status, headers, mimetype="application/json")


def record(request, status):
    with lock:
        requests.append({
            "method": request.method, "path": request.full_path.rstrip("?"), "status": status,
            "headers": {name.lower(): value for name, value in request.headers.items()},
            "body": request.get_data(as_text=True),
        })


def flaky(request, failures):
    """Fails the first requests of each key, and acts once for each of the others."""
    key = request.headers.get("Idempotency-Key")
    with lock:
        earlier = sum(1 for r in requests if r["headers"].get("idempotency-key") == key and r["path"] == request.path)
    status = 503 if earlier < failures else 200
    record(request, status)
    return answer({"id": key, "attempt": earlier + 1}, status, {"Retry-After": "0"} if status == 503 else None)


def signed(request):
    """Lets the library of the standard check a `v1` signature, and Python's cryptography a `v1a`."""
    body = request.get_data(as_text=True)
    Webhook(request.headers["x-test-secret"]).verify(body, dict(request.headers))
    names = [s.split(",")[0] for s in request.headers["webhook-signature"].split(" ")]
    if "x-test-public" in request.headers:
        key = ed25519.Ed25519PublicKey.from_public_bytes(base64.b64decode(request.headers["x-test-public"]))
        text = f"{request.headers['webhook-id']}.{request.headers['webhook-timestamp']}.{body}".encode()
        for signature in request.headers["webhook-signature"].split(" "):
            kind, _, value = signature.partition(",")
            if kind == "v1a":
                key.verify(base64.b64decode(value), text)
    return answer({"verified": names})


@Request.application
def application(request):
    parts = request.path.strip("/").split("/")
    if parts[0] == "recorded":
        with lock:
            return answer(requests)
    if parts[0] == "record":
        record(request, 200)
        return answer({"id": request.headers.get("Idempotency-Key")})
    if parts[0] == "held":
        record(request, 200)
        released.wait()
        return answer({"id": request.headers.get("Idempotency-Key")})
    if parts[0] == "release":
        released.set()
        return answer({})
    if parts[0] == "proxy":
        return answer({"port": proxy(parts[1], int(parts[2]))})
    if parts[0] == "flaky":
        return flaky(request, int(parts[1]))
    if parts[0] == "signed":
        return signed(request)
    if parts[0] == "echo-authorization":
        text = request.headers.get("Authorization", "")
        return Response(json.dumps({"you sent": text, text: [text]}), headers={"ETag": text},
                        mimetype="application/json")
    if parts[0] == "bad-json":
        return Response("{'no': json}", mimetype="application/json")
    return httpbin


class Handler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *arguments):
        pass


def misbehave(connection):
    """Reads a request, then answers as its path says."""
    head = b""
    with connection:
        while b"\r\n\r\n" not in head:
            part = connection.recv(4096)
            if not part:
                return
            head += part
        path = head.split(b" ")[1]
        if path == b"/cut":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nten bytes.")
        elif path == b"/garbage":
            connection.sendall(b"220 mail.example.com ESMTP\r\n\r\n")
        elif path == b"/drop":
            pass
        elif path in (b"/silent", b"/drip"):
            if path == b"/drip":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            connection.settimeout(0.2)
            while True:
                try:
                    if not connection.recv(1):
                        return
                except TimeoutError:
                    if path == b"/drip":
                        connection.sendall(b"x")


def serve_raw(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=quietly, args=(misbehave, connection), daemon=True).start()


def proxy(mode, failures):
    """Listens before the service; the first connections are treated as the mode says, the others passed on."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)

    def serve():
        for number in range(1 << 30):
            connection, _ = listener.accept()
            what = mode if number < failures else "pass"
            threading.Thread(target=quietly, args=(pass_on, connection, what), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def pass_on(connection, mode):
    with connection:
        if mode == "reset-early":
            return reset(connection)
        if mode == "swallow":
            while connection.recv(65536):
                pass
            return
        with socket.create_connection(("127.0.0.1", web_port)) as service:
            threading.Thread(target=quietly, args=(copy, connection, service), daemon=True).start()
            while part := service.recv(65536):
                if mode == "reset":
                    return reset(connection)
                if mode == "delay":
                    threading.Event().wait(1)
                if mode != "cut":
                    connection.sendall(part[:-1] if mode == "cut-within" else part)
                if mode.startswith("cut"):
                    return connection.shutdown(socket.SHUT_RDWR)


def copy(source, target):
    while part := source.recv(65536):
        target.sendall(part)
    target.shutdown(socket.SHUT_WR)


def reset(connection):
    """Ends a connection as a host does that has forgotten it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    # Who reads from it in another thread would keep it open.
    connection.shutdown(socket.SHUT_RD)


def twins():
    """One port of two addresses; each tells which of them it is, and how many connections both have had."""
    first = socket.create_server(("127.0.0.1", 0), backlog=128)
    second = socket.create_server(("127.0.0.2", first.getsockname()[1]), backlog=128)

    def serve(listener):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=quietly, args=(tell, connection), daemon=True).start()

    def tell(connection):
        at = connection.getsockname()[0]
        with lock:
            connections[at] += 1
            body = json.dumps({"at": at, "connections": connections}).encode()
        with connection:
            connection.recv(65536)
            connection.sendall(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s"
                % (len(body), body))

    for listener in (first, second):
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
    return first.getsockname()[1]


def quietly(function, *arguments):
    try:
        function(*arguments)
    except OSError:
        pass  # The other side is gone.


def certificates(folder):
    """An authority, and certificates of it for localhost and for another host."""
    def write(name, data):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def name(text):
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    now = datetime.datetime.now(datetime.timezone.utc)
    authority = ec.generate_private_key(ec.SECP256R1())

    def certificate(subject, key, alternatives, is_authority):
        builder = (
            x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name("Test Authority"))
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1)).not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True))
        if alternatives:
            builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        return builder.sign(authority, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    files = {"ca": write("ca.pem", certificate("Test Authority", authority, None, True))}
    names = {
        "right": [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))],
        "wrong": [x509.DNSName("other.example")],
    }
    for which, alternatives in names.items():
        key = ec.generate_private_key(ec.SECP256R1())
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        files[which] = write(f"{which}.pem", certificate(which, key, alternatives, False) + private)
    return files


def web_server(certificate=None):
    context = None
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Handler, ssl_context=context)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def main():
    global web_port
    httpbin.testing = True
    files = certificates(sys.argv[1])
    raw = socket.create_server(("127.0.0.1", 0), backlog=128)
    threading.Thread(target=serve_raw, args=(raw,), daemon=True).start()
    # Bound and not listening: who connects is refused.
    closed = socket.socket()
    closed.bind(("127.0.0.1", 0))
    web_port = web_server()
    print(json.dumps({
        "http": web_port, "twins": twins(), "tls": web_server(files["right"]), "wrong": web_server(files["wrong"]),
        "raw": raw.getsockname()[1], "closed": closed.getsockname()[1], "ca": files["ca"],
    }), flush=True)
    parent = os.getppid()
    while os.getppid() == parent:
        threading.Event().wait(0.5)


main()
