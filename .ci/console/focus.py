"""The focus of a keyboard: where it stops in a drawing, and that no bar covers it."""
from browser import expect

# More steps than a list of instances has places to stop at.
STEPS = 200
STOPS = "[...document.querySelectorAll('.drawing [data-state][tabindex=\"0\"]')].map(e => e.dataset.state)"
FOCUSED = "document.activeElement.dataset.state ?? ''"


def stops(page, expected, when):
    found = page.evaluate(STOPS)
    expect(found == [expected], f"{when}, Tab stops in the drawing at {found}, and not at '{expected}' alone")


def one_stop(stage):
    """The states of a drawing are one stop, at the innermost active one; arrow keys lead from one to another."""
    stage.api.start("editor", "photo-4")
    with stage.browser.window() as window:
        page = window.open("/console/instances/photo-4")
        page.locator("#live.live").wait_for(state="attached")
        stops(page, "none", "At first")
        page.locator('[data-state="none"]').focus()
        page.keyboard.press("ArrowDown")
        second = page.evaluate(FOCUSED)
        expect(second not in ("", "none"), f"the arrow key leads from 'none' to '{second}'")
        stops(page, second, "After an arrow key")
        page.keyboard.press("ArrowUp")
        expect(page.evaluate(FOCUSED) == "none", "the other arrow key does not lead back")
        page.keyboard.press("Tab")
        inside = page.evaluate("document.activeElement.matches('[data-state]')")
        expect(not inside, "Tab leads from one state to another")
        # A part with new states has one stop too, whether the drawing came with it or not.
        stage.api.send("photo-4", "music")
        page.locator(".drawing .state.active[data-state='music']").wait_for()
        stops(page, page.evaluate(STOPS)[0], "After an event")
        window.open("/console/machines/plant")
        expect(len(page.evaluate(STOPS)) == 1, "the drawing of a machine has several stops")


def uncovered(stage):
    """The bar of a list stays at the edge of the window, and covers nothing that has the focus."""
    for width, height in ((1280, 600), (640, 520), (320, 640)):
        with stage.browser.window(width=width, height=height) as window:
            page = window.open("/console/instances?machine=order")
            bar = page.locator(".selection")
            expect(bar.evaluate("e => getComputedStyle(e).position") == "sticky", "the bar does not stay")
            reached = False
            for _ in range(STEPS):
                page.keyboard.press("Tab")
                covered = page.evaluate("""() => {
                    const e = document.activeElement, bar = document.querySelector('.selection')
                    if (bar.contains(e) || e === document.body) return ''
                    const r = e.getBoundingClientRect(), b = bar.getBoundingClientRect()
                    // A list that scrolls by itself may be higher than the window.
                    const fits = r.height < b.top
                    return fits && r.bottom > b.top && r.top < b.bottom ? e.outerHTML.slice(0, 120) : ''
                }""")
                expect(not covered, f"{width} x {height}: the bar covers {covered}")
                if bar.evaluate("e => e.contains(document.activeElement)"):
                    reached = True
                    break
            expect(reached, f"{width} x {height}: {STEPS} times Tab do not lead to the bar")
