"""Where things stand in a page, read when they have come to rest."""

from playwright.sync_api import Locator


def boxes(*places: Locator) -> list[dict[str, float]]:
    """The boxes of these, in px, once two readings a tenth of a second apart agree: what is drawn anew still moves."""
    before = None
    for _ in range(100):
        now = [place.bounding_box() for place in places]
        if now == before and None not in now:
            return now
        before = now
        places[0].page.wait_for_timeout(100)
    raise AssertionError(f"they never lie still: {before}")
