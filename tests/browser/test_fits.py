"""Every page fits a phone in Chinese and in the dark."""

import pytest

from tests.browser.measures import wait_until

PAGES = [
    ("/?lang=zh", ".player"),
    ("/derivatives?lang=zh&more=orders", ".strips .narrow svg"),
    ("/tensors?lang=zh&example=numpy&view=tensor", ".sheet"),
    ("/tensors?lang=zh&example=numpy&view=memory", "svg.storage"),
]


@pytest.mark.parametrize(("path", "shows"), PAGES)
def test_a_page_fits_a_phone(open_page, path, shows):
    page = open_page(path, 390, 844, "dark", shows)
    wait_until(page, "document.documentElement.scrollWidth <= 390")
    assert page.errors == []
