"""Pages whose connection breaks, whose wfd is killed, and ten of which want connections at once."""
import contextlib
import socket
import threading

from browser import LOGGED_IN, expect

# The words of a browser for a connection that is refused or that ends.
BROKEN = ("net::ERR_", "status of 401")
HIDE = """() => {
    Object.defineProperty(document, 'hidden', {value: true, configurable: true})
    Object.defineProperty(document, 'visibilityState', {value: 'hidden', configurable: true})
    document.dispatchEvent(new Event('visibilitychange'))
}"""


class Wire:
    """A port that passes bytes on to another one, until it is cut."""

    def __init__(self, port):
        self.target, self.ends, self.is_cut = port, [], False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self.target))
                self.ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_RDWR)

    def cut(self):
        """Ends all connections, and each new one."""
        self.is_cut = True
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self):
        self.is_cut = False


def live(page):
    page.locator("#live.live").wait_for(state="attached")


def active(page, state):
    """Finds a state among the active ones."""
    return page.locator("main dl").first.get_by_text(state, exact=True)


def cut(stage):
    """The connection breaks: the page says since when it is old, and catches up afterwards."""
    wire = Wire(stage.wfd.port)
    meant = (*BROKEN, f"request to http://127.0.0.1:{wire.port}/console/")
    with stage.browser.window(meant=meant) as window:
        page = window.open(f"http://127.0.0.1:{wire.port}/console/instances/order-1002")
        live(page)
        wire.cut()
        page.get_by_text("Not live since").wait_for()
        stage.api.send("order-1002", "submit", {"amount": 1250})
        expect(not active(page, "review.legal.pending").is_visible(), "the page knows what nobody told it")
        wire.mend()
        live(page)
        active(page, "review.legal.pending").wait_for()


def killed(stage):
    """Wfd is killed: its sessions are gone, and the page says so and leads back."""
    with stage.browser.window(meant=BROKEN) as window:
        page = window.open("/console/instances/order-1003")
        live(page)
        stage.wfd.kill()
        page.get_by_text("Not live since").wait_for()
        stage.restart()
        page.get_by_text("The session has ended").wait_for()
        page.get_by_role("link", name="Log in").click()
        page.get_by_label("Token", exact=True).fill(stage.token)
        page.get_by_role("button", name="Log in").click()
        page.locator(LOGGED_IN).wait_for()
        expect(page.url.endswith("/console/instances/order-1003"), f"the login leads to {page.url}")
        live(page)
        stage.api.send("order-1003", "legal.ok")
        active(page, "review.legal.ok").wait_for()


def lists(stage):
    """The list of machines and the activity show what others do to machines, without a row of a history."""
    def machine(name):
        return {"id": name, "initial": "cold", "states": {"cold": {}}}

    stage.api.apply(machine("kiln"))
    with stage.browser.window() as window:
        page = window.open("/console/machines")
        live(page)
        stage.api.do("POST", "/v1/machines/kiln/suspend", {"reason": "OPS-51"})
        page.get_by_text("OPS-51").wait_for()
        window.open("/console/activity")
        live(page)
        stage.api.apply(machine("kiln-2"))
        page.get_by_role("link", name="kiln-2").wait_for()
        # Several changes at once are one renewal or two.
        renewals = []
        page.on("request", lambda request: "wfd-parts" in request.headers and renewals.append(request.url))
        for number in range(60, 68):
            stage.api.apply(machine(f"kiln-{number}"))
        page.get_by_role("link", name="kiln-67").wait_for()
        expect(1 <= len(renewals) <= 2, f"the page was renewed {len(renewals)} times")


def ten_tabs(stage):
    """A browser has six connections to a host: tabs that nobody sees keep none."""
    stage.api.start("editor", "photo-2")
    with stage.browser.window() as window:
        page = window.page
        for number in range(10):
            if number > 0:
                page.evaluate(HIDE)
                page = window.context.new_page()
            page.goto("/console/instances/photo-2")
            live(page)
        stage.api.send("photo-2", "music")
        active(page, "music").wait_for()
