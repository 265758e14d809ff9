"""An edit and a step make Chromium compute the styles of few elements.

A single :has() rule can make it recompute the whole page each time.
"""

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.measures import wait_until

STYLES = {"includedCategories": ["devtools.timeline"], "recordMode": "recordAsMuchAsPossible"}


def restyled(page: Page, act: Callable[[], object]) -> list[int]:
    """Return how many elements each style update reached in the meantime."""
    tracing, events, ended = page.context.browser.new_browser_cdp_session(), [], []
    tracing.on("Tracing.dataCollected", lambda told: events.extend(told["value"]))
    tracing.on("Tracing.tracingComplete", lambda told: ended.append(told))
    tracing.send("Tracing.start", {"traceConfig": STYLES})
    act()
    tracing.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(50)
    tracing.detach()
    return [event["args"]["elementCount"] for event in events
            if event["name"] == "UpdateLayoutTree" and "elementCount" in event.get("args", {})]  # fmt: skip


def test_an_edit_and_a_step_restyle_a_small_part_of_the_page(open_page):
    page = open_page()
    area = page.locator(".st-key-editor textarea").first
    page.evaluate("() => document.addEventListener('explorer:drawn', () => (window.drawn = (window.drawn ?? 0) + 1))")

    def edit(number: str) -> None:
        before = page.evaluate("window.drawn ?? 0")
        area.fill(f"w = torch.tensor({number}, requires_grad=True)\ny = (w * 2 + 1) ** 2\ny.backward()\n")
        page.keyboard.press("Control+Enter")
        wait_until(page, f"window.drawn > {before}")
        page.wait_for_timeout(1000)  # for updates after the picture

    def step() -> None:
        page.get_by_label("Step", exact=True).click()
        page.wait_for_timeout(600)

    for number in ("1.5", "1.55"):  # afterwards the inspector has its place next to a program of three lines
        edit(number)
    everything = page.evaluate("document.querySelectorAll('*').length")
    counted = restyled(page, lambda: edit("1.6"))
    assert counted and max(counted) < everything / 2, (everything, counted)
    page.get_by_label("Back to the start").click()
    page.locator(".stepno", has_text="Step 1 of").wait_for()
    page.wait_for_timeout(1000)
    counted = restyled(page, step)
    assert counted and max(counted) < everything / 2, (everything, counted)
