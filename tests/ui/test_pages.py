"""One table names the pages; folders, files, sheets and the navigation follow it."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from explorer.text import LANGUAGES, say
from explorer.ui.frame.shell import _style
from explorer.ui.session import preferred_language
from explorer.ui.session.links import PAGES, PROPERTIES, path_of

ROOT = Path(__file__).parents[2]
NAMES = [one.name for one in PAGES]


def test_every_page_has_its_folder_and_its_file_and_no_other_has():
    assert {path.parent.name for path in ROOT.glob("explorer/ui/pages/*/page.py")} == set(NAMES)
    assert {path.stem for path in ROOT.glob("pages/*.py")} == set(map(path_of, NAMES))


@pytest.mark.parametrize("name", NAMES)
def test_every_page_has_a_name_in_every_language(name):
    assert all(say(lang, f"nav-{name}") for lang in LANGUAGES)


def test_what_an_address_holds_is_of_a_page():
    assert {one.page for one in PROPERTIES} <= set(NAMES)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_a_page_has_its_own_sheets_and_those_it_shares_and_no_others(page):
    style = _style(page.name)
    for sheet in ROOT.glob("explorer/**/*.css"):
        owners = {o.name for o in PAGES if o.name in (sheet.stem, sheet.parent.name) or sheet.stem in o.sheets}
        if "ui" in sheet.parts or sheet.parent.name == "style":
            assert (sheet.read_text(encoding="utf-8") in style) == (not owners or page.name in owners), sheet


@pytest.mark.parametrize(
    ("locale", "lang"), [("zh-CN", "zh"), ("zh", "zh"), ("en-GB", "en"), ("xx-XX", "en"), ("zho", "en"), ("", "en")]
)
def test_the_language_to_begin_with_is_the_one_that_the_browser_prefers(locale, lang, monkeypatch):
    monkeypatch.setattr(preferred_language.st, "context", SimpleNamespace(locale=locale))
    assert preferred_language.preferred_language() == lang
