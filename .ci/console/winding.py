"""The address of a moment: links and rows make entries of the browser's history, which lead back and forth."""
from browser import expect

NAME = "order-1006"
PAGE = f"/console/instances/{NAME}"


def shown(page, seq):
    """Waits for the page as it was after a seq; `None` for now."""
    heading = NAME if seq is None else f"{NAME} at seq {seq}"
    page.get_by_role("heading", level=1, name=heading, exact=True).wait_for()
    ending = "" if seq is None else f"#seq={seq}"
    expect(page.url.endswith(PAGE + ending), f"'{heading}' has the address {page.url}")


def back_and_forth(stage):
    """The back button undoes a link and a row; an address that is typed leads to its moment."""
    with stage.browser.window() as window:
        page = window.open(PAGE)
        shown(page, None)
        page.locator(".wind").get_by_role("link", name="Previous").click()
        newest = int(page.locator("#wind").get_attribute("max"))
        shown(page, newest - 1)
        page.locator("#part-history tbody a", has_text="2").first.click()
        shown(page, 2)
        page.go_back()
        shown(page, newest - 1)
        page.go_back()
        shown(page, None)
        page.go_forward()
        shown(page, newest - 1)
        page.evaluate("location.hash = '#seq=3'")
        shown(page, 3)
        lit = page.locator(".drawing .taken").count()
        expect(lit > 0, "the step lights no transition")
        page.go_back()
        shown(page, newest - 1)
        page.locator(".wind").get_by_role("link", name="Now").click()
        shown(page, None)
        page.locator("#live.live").wait_for(state="attached")
        expect(page.locator("#wind").input_value() == str(newest), "the slider is not at the end now")
        # An address with a seq leads there at once.
        window.open(f"{PAGE}#seq=2")
        page.reload()
        shown(page, 2)
