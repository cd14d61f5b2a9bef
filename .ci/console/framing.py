"""A page of another origin that has the console in a frame, and gets to see nothing of it."""
import http.server
import threading

from browser import expect


class Framer(http.server.BaseHTTPRequestHandler):
    """Answers every request with a page that is one frame."""

    target = ""

    def do_GET(self):
        text = f"<!doctype html><title>f</title><iframe src='{self.target}' width=900 height=600></iframe>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        """Keeps its requests out of the output."""


def refused(stage):
    Framer.target = stage.browser.origin + "/console/instances"
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Framer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        # The same site, but another origin: the browser even sends the cookie of the session.
        address = f"http://127.0.0.1:{server.server_port}/"
        meant = ("frame-ancestors", f"request to {address}", "status of 403")
        with stage.browser.window(meant=meant) as window:
            page = window.open(address)
            frame = page.frame_locator("iframe")
            expect(frame.get_by_text("order-1006").count() == 0, "the console is shown in a frame of another origin")
            texts = [one.evaluate("document.body.innerText") for one in page.frames[1:]]
            expect("order" not in "".join(texts), f"a frame has {texts}")
            expect(any("frame-ancestors" in text for text in window.told), f"no report of the frame: {window.told}")
    finally:
        server.shutdown()
