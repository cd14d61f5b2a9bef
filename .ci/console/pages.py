"""Every page in both themes and at three widths: no violation of axe, nothing beside the window, and a picture."""
import pathlib

from axe_playwright_python.sync_playwright import Axe
from browser import expect

PICTURES = pathlib.Path(".build/pictures")
RULES = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]},
}
ALL = {
    "overview": "/console/",
    "machines": "/console/machines",
    "machine-order": "/console/machines/order",
    "machine-order-stats": "/console/machines/order?stats=all",
    "machine-order-1": "/console/machines/order?version=1",
    "machine-editor": "/console/machines/editor",
    "machine-plant": "/console/machines/plant",
    "instances": "/console/instances",
    "instances-failed": "/console/instances?machine=order&status=failed",
    "instances-none": "/console/instances?machine=order&where=context.amount+%3E+9000",
    "instance-running": "/console/instances/order-1004",
    "instance-failed": "/console/instances/order-1006",
    "instance-past": "/console/instances/order-1006?seq=3",
    "instance-suspended": "/console/instances/order-1012",
    "instance-done": "/console/instances/order-1005",
    "instance-editor": "/console/instances/photo-1",
    "instance-plant": "/console/instances/plant-1",
    "instance-parcel": "/console/instances/parcel-2",
    "effects": "/console/effects",
    "queues": "/console/queues",
    "runs": "/console/runs",
    "run": "/console/runs/ops-41",
    "activity": "/console/activity",
    "missing": "/console/instances/order-9999",
    "nowhere": "/console/nowhere",
}
SHORT = ("nowhere",)
MISSING = ("status of 404",)
# 320 px are also 1280 px at 400 %; 640 px are 1280 px at 200 %.
WIDTHS, PICTURED = (1280, 640, 320), (1280, 320)


def overflow(page):
    """Returns what is wider than the window, outside of regions that scroll by themselves."""
    return page.evaluate("""() => {
        const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth
        if (wide <= 0) return ''
        const scrolls = e => e && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement))
        const beside = [...document.querySelectorAll('body *')].filter(e =>
            e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !scrolls(e.parentElement))
        return wide + ' px: ' + beside.slice(0, 3).map(e => e.outerHTML.slice(0, 120)).join(' | ')
    }""")


def small_targets(page):
    """Returns buttons, fields and links outside of text that are smaller than 24 px and have no room around them."""
    return page.evaluate("""() => [...document.querySelectorAll('button, input:not([type=hidden]), select, summary')]
        .filter(e => { const r = e.getBoundingClientRect(); return r.width && (r.width < 24 || r.height < 24) })
        .map(e => e.outerHTML.slice(0, 120)).join(' | ')""")


def accessible(page, what):
    found = Axe().run(page, options=RULES)
    told = [f"{one['id']}: " + ", ".join(node["html"][:160] for node in one["nodes"][:3])
            for one in found.response["violations"]]
    expect(not told, f"{what}: axe: " + "; ".join(told))


def look(window, path, name, theme):
    """Opens a page once, and looks at it at each width."""
    page = window.page
    page.set_viewport_size({"width": WIDTHS[0], "height": 800})
    window.open(path)
    for width in WIDTHS:
        what = f"{name}, {theme}, {width} px"
        page.set_viewport_size({"width": width, "height": 800})
        expect(not overflow(page), f"{what}: wider than the window by {overflow(page)}")
        expect(not small_targets(page), f"{what}: too small to hit: {small_targets(page)}")
        if width in PICTURED:
            page.screenshot(path=PICTURES / f"{name}-{theme}-{width}.png", full_page=True)
            accessible(page, what)
    window.check()


def every(browser, names=ALL):
    """Looks at every page, and at the one without a session."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for theme in ("light", "dark"):
        with browser.window(theme, meant=MISSING) as window:
            for name in names:
                look(window, ALL[name], name, theme)
        with browser.window(theme, new=True, meant=("status of 401",)) as window:
            look(window, "/console/", "login", theme)


def active_is_seen(stage):
    """A drawing larger than its frame shows what is active in it, also after an event."""
    stage.api.start("editor", "photo-3")
    with stage.browser.window(width=320) as window:
        page = window.open("/console/instances/photo-3")
        page.locator("#live.live").wait_for(state="attached")
        for event in ("music", "none"):
            stage.api.send("photo-3", event)
            page.locator("main dl").first.get_by_text(event, exact=True).wait_for()
            expect(page.evaluate("""() => {
                const frame = document.querySelector('.drawing').getBoundingClientRect()
                const state = [...document.querySelectorAll('.state.active')].pop().getBoundingClientRect()
                return state.left >= frame.left && state.right <= frame.right
                    && state.top >= frame.top && state.bottom <= frame.bottom
            }"""), f"the drawing does not show '{event}'")


def picture(browser):
    """Makes the picture that README.md shows."""
    with browser.window() as window:
        window.open(ALL["instance-running"]).screenshot(path="docs/pictures/console.png")
