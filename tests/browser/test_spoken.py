"""What a screen reader meets: the parts of the page in order, the cards of a graph, and the sentences of a film."""

import re

from playwright.sync_api import expect

GRAPH = """
- group "Graph of 5 cards, values run forward":
  - button "x, leaf, line 2, value 2, gradient +2"
  - button "w, leaf, line 1, value 1, gradient +5"
  - button "a = w + x, AddBackward0, line 3, value 3, gradient +2"
  - button "b = w + 1, AddBackward0, line 4, value 2, gradient +3"
  - button "y = a * b, MulBackward0, line 5, value 6, gradient +1"
"""
PARTS = [
    *('link "Skip to the page"', "navigation", 'button "Run"', 'textbox "Program"', 'radiogroup "View"'),
    *('group "Graph of 5 cards', 'region "The run, step by step"', 'button "Play"'),
]


def test_the_parts_of_the_page_follow_each_other(open_page):
    page = open_page("/?lang=en")
    expect(page.locator(".st-key-graph")).to_match_aria_snapshot(GRAPH)
    spoken = page.locator("body").aria_snapshot()
    places = [spoken.find(part) for part in PARTS]
    assert -1 not in places and places == sorted(places), list(zip(PARTS, places, strict=True))


def test_the_arrow_keys_follow_the_edges_of_the_graph(open_page):
    page = open_page("/?lang=en")
    page.locator(".st-key-graph g.node").last.focus()
    for key, name in [("ArrowUp", "a = w + x"), ("ArrowRight", "b = w + 1"), ("ArrowUp", "w, leaf")]:
        page.keyboard.press(key)
        expect(page.locator("g.node:focus")).to_have_attribute("aria-label", re.compile("^" + re.escape(name)))


def test_a_film_speaks_each_step_once_and_in_order(open_page):
    page = open_page("/?lang=en")
    page.get_by_role("button", name="Back to the start").click()
    track, sentence = (
        page.get_by_role("slider", name="The run, step by step"),
        page.locator(".player [aria-live] >> nth=0"),
    )
    said = []
    for step in range(1, 11):
        expect(track).to_have_attribute("aria-valuetext", re.compile(f"^Step {step} of 10. "))
        said.append(sentence.inner_text())
        page.get_by_role("button", name="Step", exact=True).click()
    assert len(set(said)) == 10
    assert [said[k].split(" ")[0] for k in (0, 5, 9)] == ["w", "y.backward()", "x.grad"], said
