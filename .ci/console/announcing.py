"""What a screen reader says by itself: what was done and that a page is old, once each, and nothing of each row."""
import breaks
from browser import expect

# Notes every text that the two places get, and what else on the page would be read aloud.
LISTEN = """() => {
    window.said = []
    for (const id of ['live', 'done']) {
        const place = document.getElementById(id)
        if (place) new MutationObserver(() => window.said.push(place.textContent))
            .observe(place, {childList: true, characterData: true, subtree: true})
    }
}"""
LOUD = """() => [...document.querySelectorAll('[role=alert], [aria-live], [role=log], [role=status], output')]
    .map(e => e.id + ' ' + (e.getAttribute('role') ?? '') + ' ' + (e.getAttribute('aria-live') ?? ''))"""


def said(page):
    return [text for text in page.evaluate("window.said") if text]


def politely(stage):
    """Rows are not announced, a break is announced once, and so is what was done."""
    stage.api.start("editor", "photo-5")
    wire = breaks.Wire(stage.wfd.port)
    meant = (*breaks.BROKEN, f"request to http://127.0.0.1:{wire.port}/console/")
    with stage.browser.window(meant=meant) as window:
        page = window.open(f"http://127.0.0.1:{wire.port}/console/instances/photo-5")
        breaks.live(page)
        expect(page.evaluate(LOUD) == ["live status "], f"read aloud is {page.evaluate(LOUD)}")
        page.evaluate(LISTEN)
        for event, state in (("filter", "filter.none"), ("text", "text.none"), ("music", "music")):
            stage.api.send("photo-5", event)
            breaks.active(page, state).wait_for()
        expect(said(page) == [], f"rows are read aloud: {said(page)}")
        wire.cut()
        page.get_by_text("Not live since").wait_for()
        # The page tries again, and fails; the same is not said twice.
        with page.expect_event("requestfailed"):
            pass
        page.wait_for_timeout(0)
        expect(len(said(page)) == 1 and "Not live since" in said(page)[0], f"a break is told as {said(page)}")
        wire.mend()
        breaks.live(page)
    with stage.browser.window() as window:
        page = window.open("/console/instances/photo-5?done=retry")
        done = page.locator("#done")
        expect(done.get_attribute("role") == "status", "what was done is no status")
        page.get_by_text("Done: ").wait_for()
        expect("done=" not in page.url, f"a reload of {page.url} says it again")
