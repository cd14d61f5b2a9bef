"""Each page without JavaScript: it reads the same, and its forms work."""
import time

import pages
from browser import LOGGED_IN, expect


def read(stage):
    """Every page has its heading and its text."""
    with stage.browser.window(scripts=False, meant=pages.MISSING) as window:
        for name, path in pages.ALL.items():
            page = window.open(path)
            expect(page.locator("main h1").inner_text(), f"{name}: no heading without scripts")
            expect(page.locator("main").inner_text().count("\n") > 1 or name in pages.SHORT,
                   f"{name}: no content without scripts")


def forms(stage):
    """Login, filter and logout."""
    with stage.browser.window(scripts=False, new=True, meant=("status of 401",)) as window:
        page = window.open("/console/instances")
        page.get_by_label("Token", exact=True).fill(stage.token)
        page.get_by_role("button", name="Log in").click()
        page.locator(LOGGED_IN).wait_for()
        expect(page.url.endswith("/console/instances"), f"the login leads to {page.url}")
        page.get_by_label("Machine", exact=True).fill("order")
        page.get_by_label("Status", exact=True).select_option("failed")
        page.get_by_role("button", name="Show").click()
        page.get_by_role("link", name="Show all").wait_for()
        statuses = set(page.locator("td .pill").all_inner_texts())
        expect(statuses == {"failed"}, f"the filter shows {statuses}")
        page.get_by_role("button", name="Log out").click()
        page.get_by_role("heading", name="Log in").wait_for()


def mend(stage):
    """An instance is ticked, rehearsed and skipped."""
    with stage.browser.window(scripts=False) as window:
        page = window.open("/console/instances?machine=order&status=failed")
        page.get_by_label("Tick order-1010").check()
        page.get_by_label("Verb").select_option("skip")
        page.get_by_role("button", name="Rehearse with the ticked").click()
        page.get_by_label("Reason").fill("OPS-43")
        page.get_by_role("button", name="Do it").click()
        page.get_by_role("heading", name="skip-").wait_for()
        link = page.get_by_role("link", name="order-1010", exact=True)
        # Without scripts the page of a run shows what was done when it was loaded.
        deadline = time.monotonic() + 60
        while link.count() == 0:
            expect(time.monotonic() < deadline, "the run tells nothing of order-1010")
            page.reload()
        link.click()
        page.locator("main dl").first.get_by_text("running", exact=True).wait_for()
