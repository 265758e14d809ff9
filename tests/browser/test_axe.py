"""axe-core's checks of every page, light and dark: names, roles, headings, contrast, and width on a phone."""

from functools import partial

import pytest

from explorer.ui.session.addresses import PAGES
from tests.browser.measures import wait_until
from tests.patience import eventually

OWN = [
    "/lessons?lesson=zero/slope",
    "/?seen=values&values=histogram&example=ranks",
    "/?seen=memory&example=numpy",
    "/derivatives?more=two",
]  # shown only on such pages
PLACES = [f"/{page.name}" for page in PAGES] + OWN
AXE = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()  # from requirements-dev.txt
# axe also accepts a sign as a name.
UNNAMED = """() => [...document.querySelectorAll("button, a, summary")].filter((one) => {
  const name = one.getAttribute("aria-label") || one.textContent || one.title;
  return one.checkVisibility() && !/[\\p{L}\\d]/u.test(name);
}).map((one) => one.outerHTML)"""


def told(page, scheme) -> list[str]:
    """Return the violations with their elements; in the dark scheme only those about colour."""
    rules = {"dark": {"runOnly": ["color-contrast", "link-in-text-block"]}}.get(scheme)
    found = AXE.run(page, options=rules).response["violations"]
    return [f"{one['id']}: {node['target']} {node['html'][:120]}" for one in found for node in one["nodes"]]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("place", PLACES)
def test_pages_have_no_accessibility_violations_and_fit_a_phone(open_page, place):
    page = open_page(place, wait=".st-key-nav a")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        wait_until(page, "document.querySelector('.stApp').dataset.testScriptState === 'notRunning'")
        wait_until(page, f"document.documentElement.dataset.theme === '{scheme}'")
        found = partial(told, page, scheme)
        assert eventually(lambda found=found: found() == []), found()  # elements that fade in lack contrast
    assert eventually(lambda: page.evaluate(UNNAMED) == []), page.evaluate(UNNAMED)
    page.set_viewport_size({"width": 390, "height": 844})
    wait_until(page, "document.documentElement.scrollWidth <= 390")
    assert page.errors == []
