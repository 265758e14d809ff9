"""Positions of elements on a page at rest."""

from contextlib import suppress
from typing import Any

from playwright.sync_api import Error, Frame, Locator, Page


def boxes(*places: Locator) -> list[dict[str, float]]:
    """Return the boxes in px once two readings a tenth of a second apart agree."""
    before = None
    for _ in range(3000):
        now = [place.bounding_box() for place in places]
        if now == before and None not in now:
            return now
        before = now
        places[0].page.wait_for_timeout(100)
    raise AssertionError(f"they never lie still: {before}")


def wait_until(page: Page | Frame, script: str, arg: Any = None) -> Any:
    """Return a script's value as soon as it is true.

    Playwright's own `wait_for_function` evaluates texts inside the page, which the policy for scripts forbids.
    """
    for _ in range(6000):
        with suppress(Error):  # a page that is being left has nothing to evaluate in
            if found := page.evaluate(script, arg):
                return found
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {script}")


def answered(page: Page) -> None:
    """Wait until the editor has the answer to its last message; before, marks and cards may be outdated."""
    wait_until(page, "(({answered, count}) => answered === count)(document.querySelector('.code-editor').explorer)")
