"""Chromium, and what its pages must never do."""
import contextlib
import os
import shutil

from playwright.sync_api import sync_playwright

LOGGED_IN = "header .who"


class Failure(AssertionError):
    """A page that is not as it should be."""


def expect(is_so, message):
    if not is_so:
        raise Failure(message)


@contextlib.contextmanager
def chromium(port):
    with sync_playwright() as playwright:
        # As root Chromium wants no sandbox.
        options = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=options)
        yield Browser(browser, f"http://127.0.0.1:{port}")
        browser.close()


class Browser:
    """Makes windows of a person who has logged in, or of a new one."""

    def __init__(self, browser, origin):
        self.browser, self.origin, self.state = browser, origin, None

    def log_in(self, token):
        """Pastes a token into the form; all windows after this have the session."""
        with self.window(new=True) as window:
            page = window.open("/console/login")
            page.get_by_label("Token", exact=True).fill(token)
            page.get_by_role("button", name="Log in").click()
            page.locator(LOGGED_IN).wait_for()
            self.state = window.context.storage_state()

    @contextlib.contextmanager
    def window(self, theme="light", width=1280, height=800, scripts=True, meant=(), new=False):
        """Opens a window; at its end, nothing may have happened in it but what is meant."""
        context = self.browser.new_context(
            base_url=self.origin, color_scheme=theme, viewport={"width": width, "height": height},
            java_script_enabled=scripts, storage_state=None if new else self.state, reduced_motion="reduce",
            timezone_id="Europe/Paris", locale="en-GB")
        context.set_default_timeout(60_000)
        window = Window(context, self.origin, meant)
        try:
            yield window
            window.check()
        finally:
            context.close()


class Window:
    """Notes errors, refusals by the policy of the pages, dialogs, and requests to other hosts."""

    def __init__(self, context, origin, meant):
        self.context, self.origin, self.meant, self.told = context, origin, meant, []
        context.on("console", self.console)
        context.on("weberror", lambda error: self.told.append(f"error: {error.error}"))
        context.on("dialog", self.dialog)
        context.on("request", self.request)
        self.page = context.new_page()

    def console(self, message):
        if message.type in ("error", "warning"):
            self.told.append(f"{message.type} on {message.location.get('url', '')}: {message.text}")

    def dialog(self, dialog):
        self.told.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def request(self, request):
        if not request.url.startswith(self.origin + "/console/"):
            self.told.append(f"request to {request.url}")

    def open(self, path):
        self.page.goto(path)
        return self.page

    def check(self):
        """Fails if something was told that nobody means."""
        told = [text for text in self.told if not any(meant in text for meant in self.meant)]
        self.told.clear()
        expect(not told, f"{self.page.url}: " + "; ".join(told[:5]))
