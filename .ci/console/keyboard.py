"""A walk by keyboard alone, and what a keyboard needs: a focus that is seen."""
from browser import LOGGED_IN, expect
from pages import accessible

# More steps than any page has places to stop at.
STEPS = 200


def is_seen(page):
    """Returns why the element with the focus is not seen, or nothing."""
    return page.evaluate("""() => {
        const e = document.activeElement, style = getComputedStyle(e), box = e.querySelector(':scope > .box')
        const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
        const drawn = box && parseFloat(getComputedStyle(box).strokeWidth) >= 3
        if (!outlined && !drawn) return 'no outline'
        const r = e.getBoundingClientRect(), d = document.documentElement
        const inside = r.bottom > 0 && r.right > 0 && r.top < d.clientHeight && r.left < d.clientWidth
        return inside ? '' : 'outside of the window'
    }""")


def tab_to(page, locator):
    """Presses Tab until an element has the focus; each one on the way shows that it has it."""
    locator.wait_for()
    for _ in range(STEPS):
        page.keyboard.press("Tab")
        why = is_seen(page)
        if why:
            html = page.evaluate("document.activeElement.outerHTML.slice(0, 160)")
            expect(False, f"{page.url}: the focus is not seen ({why}) on {html}")
        if locator.evaluate("e => e === document.activeElement"):
            return
    expect(False, f"{page.url}: {STEPS} times Tab do not lead to {locator}")


def follow(page, locator, heading):
    """Goes to a link or button, presses Enter, and waits for the page with a heading."""
    tab_to(page, locator)
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name=heading, exact=True).wait_for()


def walk(stage):
    """From the login to an instance that failed."""
    with stage.browser.window(new=True, meant=("status of 401",)) as window:
        page = window.open("/console/")
        tab_to(page, page.get_by_label("Token", exact=True))
        page.keyboard.type(stage.token)
        page.keyboard.press("Enter")
        page.locator(LOGGED_IN).wait_for()
        skip_to_content(page)
        failed = page.get_by_role("region", name="Groups of failures").get_by_role("link")
        follow(page, failed.first, "Instances")
        follow(page, page.get_by_role("link", name="order-1006", exact=True), "order-1006")


def mend(stage):
    """From the list to one that failed, which is ticked, rehearsed, retried, and goes on."""
    stage.api.repair("order-1011", "set", reason="OPS-42", set={"parcels": 5})
    with stage.browser.window() as window:
        page = window.open("/console/instances?machine=order&status=failed")
        tab_to(page, page.get_by_label("Tick order-1011"))
        page.keyboard.press("Space")
        tab_to(page, page.get_by_role("button", name="Rehearse with the ticked"))
        page.keyboard.press("Enter")
        page.get_by_role("heading", level=1, name="Rehearsal").wait_for()
        accessible(page, "the rehearsal")
        tab_to(page, page.get_by_label("Reason"))
        page.keyboard.type("OPS-42")
        tab_to(page, page.get_by_role("button", name="Do it"))
        page.keyboard.press("Enter")
        follow(page, page.get_by_role("link", name="order-1011", exact=True), "order-1011")
        page.locator("main dl").first.get_by_text("running", exact=True).wait_for()
        each = stage.api.do("GET", "/v1/instances/order-1011")["context"]["each"]
        expect(each == 250, f"the failed step was retried, and made {each}")


def skip_to_content(page):
    """The first stop of a page leads past its header."""
    page.keyboard.press("Tab")
    expect(page.locator(".skip").evaluate("e => e === document.activeElement"), "the first stop is not the skip link")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    inside = page.evaluate("document.querySelector('main').contains(document.activeElement)")
    expect(inside, "the skip link does not lead into the content")
