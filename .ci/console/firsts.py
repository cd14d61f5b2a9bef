"""The first view of a page, an event that comes onto it, and a thousand failures that are mended by hand."""
import time

from breaks import active, live
from browser import expect

# The requests that a page needs before it is shown; a stream and later requests are not counted.
SHOWN = ("document", "stylesheet", "script", "image", "font")
REQUESTS, ASSETS = 3, 60 * 1024
FAILING = """
id: batch
initial: waiting
context: {parts: 0, each: 0}
states:
  waiting: {on: {share: {target: shared, actions: {send: count}}}}
  shared: {on: {count: {actions: {assign: {each: 100 / context.parts}}}}}
"""


def view(stage):
    """A page that was never opened takes three requests at most. Prints how soon an event is on it."""
    stage.api.start("order", "order-3001")
    with stage.browser.window() as window:
        asked = []
        window.page.on("request", lambda request: asked.append(request))
        page = window.open("/console/instances/order-3001")
        live(page)
        shown = [request for request in asked if request.resource_type in SHOWN]
        size = sum(len(request.response().body()) for request in shown if request.resource_type != "document")
        expect(len(shown) <= REQUESTS, f"the first view takes {[request.url for request in shown]}")
        expect(0 < size <= ASSETS, f"the assets have {size} bytes")
        begun = time.monotonic()
        stage.api.send("order-3001", "submit", {"amount": 1250})
        committed = time.monotonic()
        active(page, "review.legal.pending").wait_for()
        print(f"console: {len(shown)} requests, assets of {size} bytes, an event was on the page "
              f"{1000 * (time.monotonic() - committed):.0f} ms after its answer ({1000 * (committed - begun):.0f} ms)")


def thousand(stage):
    """A thousand failed instances are found, rehearsed and retried with the mouse. Prints the seconds."""
    stage.api.apply(FAILING)
    for number in range(1000):
        stage.api.start("batch", f"batch-{number}")
        stage.api.ask("POST", f"/v1/instances/batch-{number}/events", {"event": "share"})
    with stage.browser.window() as window:
        begun = time.monotonic()
        page = window.open("/console/")
        page.get_by_role("region", name="Groups of failures").locator("a[href*=batch]").first.click()
        choose(page, "set")
        page.get_by_label("Values").fill("parts=4")
        page.get_by_role("button", name="Rehearse").click()
        confirm(page)
        page.goto("/console/instances?machine=batch&status=failed")
        choose(page, "retry")
        confirm(page)
        print(f"console: a thousand failed instances were mended in {time.monotonic() - begun:.1f} s")
    mended = stage.api.do("GET", "/v1/instances/batch-999")["context"]["each"]
    expect(mended == 25, f"the last one has {mended}")


def choose(page, verb):
    page.get_by_label("Verb").select_option(verb)
    page.get_by_role("button", name="Rehearse with all that match").click()


def confirm(page):
    """Begins a rehearsed run, and waits for its end."""
    page.get_by_label("Reason").fill("OPS-44")
    page.get_by_label("Number").fill("1000")
    page.get_by_role("button", name="Do it").click()
    page.get_by_text("done", exact=True).first.wait_for()
