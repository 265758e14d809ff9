"""The list of a class: which lines are links, what is said of the others, and the page that writes and shows them."""

import json

import pytest

from explorer.lessons.course import course
from explorer.program.permalink import MAX_FRAGMENT, to_fragment
from explorer.ui.session.class_list import MOST, added, moved, read_list
from tests.ui.pages import html, new_page, words

HERE = "school.example:8501"
PROGRAM = to_fragment({"program": "x = torch.ones(2)"})


def addresses(text: str) -> list[str]:
    links, wrong = read_list(text, HERE, course(), "en")
    assert wrong == []
    return [one.address for one in links]


def test_a_line_is_an_address_of_the_app_or_the_id_of_a_lesson():
    first = next(iter(course().lessons))
    links, wrong = read_list(f"{first}\n\nWarm-up | http://{HERE}/?lang=en#{PROGRAM}\n", HERE, course(), "zh")
    assert wrong == [] and [one.address for one in links] == [
        f"lessons?lesson={first.replace('/', '%2F')}",
        f"./#{PROGRAM}",
    ]
    assert links[1].label == "Warm-up" and links[0].label == course().lessons[first].text("zh").title.replace("`", "")


def test_an_address_is_made_anew_of_its_parts_and_leads_to_no_other_site():
    assert addresses(f"https://{HERE}/base/broadcasting?a=3%2C1&lang=zh") == ["broadcasting?a=3%2C1"]
    assert addresses('/?hide=grad&x="><script>') == ["./?hide=grad&x=%22%3E%3Cscript%3E"]
    assert addresses("/class?open=1") == ["class?open=1"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("https://evil.example/lessons", "other"),
        ("//evil.example/lessons", "other"),
        ("javascript:alert(1)", "other"),
        ("data:text/html,<b>", "other"),
        ("x | http://school.example/", "other"),  # another port is another server
        ("/nowhere", "page"),
        ("/lessons/../../etc", "page"),
        ("just words", "unread"),
        ("/#<script>", "unread"),
        ("http://[::1/", "unread"),
        ("/?" + "a=1&" * 100, "unread"),
        ("/?" + "a" * 5_000, "large"),
        ("/#" + "A" * (MAX_FRAGMENT + 1), "large"),
    ],
)
def test_any_other_line_is_told_with_its_number(line, kind):
    links, wrong = read_list(f"\n{line}", HERE, course(), "en")
    assert links == [] and [(one.line, one.kind) for one in wrong] == [(2, kind)]
    assert len(wrong[0].text) < 60


def test_a_list_has_an_end():
    links, wrong = read_list("/\n" * (MOST + 50), HERE, course(), "en")
    assert len(links) == MOST and [one.kind for one in wrong] == ["many"]
    assert read_list("|" * 100_000, HERE, course(), "en")[0] == []


def test_a_line_is_moved_taken_out_or_added_and_empty_ones_go():
    text = "a\n\n b |/ \nc"
    assert moved(text, 0, 1) == "b |/\na\nc\n"
    assert moved(text, 2, 0) == "c\na\nb |/\n"
    assert moved(text, 1, -1) == "a\nc\n"
    assert [moved(text, at, 0) for at in (-1, 3, 10**9)] == [text] * 3
    assert added(text, "d", "e") == "a\nb |/\nc\nd\ne\n" and added("") == ""


@pytest.mark.thorough
def test_an_empty_list_offers_the_first_chapter_and_a_link_is_added_with_a_name():
    app = new_page().run()
    app.switch_page("pages/class.py").run()
    names = [button.label for button in app.button]
    assert len(names) == len(set(names))  # a name says which button it is
    app.button(key="class_begin").click().run()
    chapter = course().chapters[0]
    assert app.text_area(key="class_list").value.split() == [f"{chapter.id}/{name}" for name in chapter.lessons]
    app.text_input(key="class_address").set_value("/broadcasting")
    app.text_input(key="class_name").set_value("Warm-up")
    app.button(key="class_add_link").click().run()
    assert app.text_area(key="class_list").value.endswith("Warm-up | /broadcasting\n")
    assert not app.text_input(key="class_address").value


@pytest.mark.thorough
def test_the_page_writes_a_link_that_opens_the_list():
    app = new_page().run()
    app.switch_page("pages/class.py").run()
    app.text_input(key="class_title").set_value("<b>Week 3</b>")
    app.text_area(key="class_list").set_value("A & B | /?hide=grad\nhttps://evil.example/")
    app.run()
    assert "Line 2 leads to another site" in words(app)
    assert "&lt;b&gt;Week 3&lt;/b&gt;" in html(app)
    assert '<a href="./?hide=grad" target="_blank"><span>A &amp; B<' in html(app)
    made = next(one.proto for one in app.get("bidi_component") if one.proto.component_name == "explorer_class")
    fragment = json.loads(made.json or made.mixed.json)["fragment"]
    told = {"count": 1, "page": "class", "query": {"open": "1"}, "fragment": fragment, "framed": False}
    app.session_state["link"] = {"came": told}
    app.run()
    assert not app.text_area and "Week 3" in words(app) and '<a href="./?hide=grad">' in html(app)
