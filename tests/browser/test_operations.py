"""The picture of an operation in a real browser: pointing, keys, the way back."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from explorer.analysis.explain.autograd import contributions, node_gradients, selected_backward
from explorer.analysis.explain.entries.operation_view import operation_view, operations
from explorer.drawing.operations import operation_html
from explorer.drawing.scripts import linked
from tests.browser.measures import wait_until
from tests.patience import eventually
from tests.traces import trace_of

ROOT = Path(__file__).parents[2]
STYLE = [ROOT / "explorer/drawing/style" / name for name in ("tokens.css", "graph.css", "operations.css")]
SCRIPT = linked(ROOT / "explorer/ui/panels/call.js")
PROGRAM = """
import torch
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
idx = torch.tensor([[0, 0], [1, 0]])
out = a.gather(1, idx)
out.sum().backward()
"""


def drawn(chromium, program: str, name: str, width=900, height=700):
    """Draw the last call with a name as a separate page."""
    trace = trace_of(program)
    backward = selected_backward(trace)
    call = [one.operation for one in operations(trace) if one.name == name][-1]
    view = operation_view(trace, call, node_gradients(trace, backward), contributions(trace, backward))
    page = chromium.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    style = "".join(path.read_text(encoding="utf-8") for path in STYLE)
    page.set_content(f'<style>{style}</style><div id="here"><div class="operations"></div></div>')
    page.add_script_tag(content=SCRIPT)
    page.evaluate(
        "html => mount({ data: { html, stale: false }, parentElement: document.querySelector('#here') })",
        operation_html(view, "en"),
    )
    return page


@pytest.fixture
def picture(chromium):
    """Yield the gather of the program."""
    page = drawn(chromium, PROGRAM, "gather")
    yield page
    page.close()


def lit(page, state: str) -> list[str]:
    return page.eval_on_selector_all(f".op-cell.{state}", "cells => cells.map(cell => cell.dataset.at)")


def said(page) -> str:
    return page.inner_text(".op-entry")


def test_hovering_an_entry_highlights_its_sources_and_dependents(picture):
    at_rest = said(picture)
    picture.hover('[data-at="r0.2"]')
    assert lit(picture, "is-chosen") == ["r0.2"] and lit(picture, "is-read") == ["o0.3", "o1.2"]
    assert said(picture) == "out[1, 0] = a[1, 1] = 4"
    picture.hover('[data-at="o0.0"]')
    assert lit(picture, "is-read") == ["r0.0", "r0.1"]
    picture.mouse.move(5, 690)
    assert lit(picture, "is-chosen") == [] and said(picture) == at_rest


def test_arrow_keys_move_between_entries(picture):
    for _ in range(5):  # the two buttons, then one stop per tensor
        picture.keyboard.press("Tab")
    assert lit(picture, "is-chosen") == ["r0.0"]
    picture.keyboard.press("ArrowDown")
    picture.keyboard.press("ArrowRight")
    assert lit(picture, "is-chosen") == ["r0.3"] and lit(picture, "is-read") == ["o0.2", "o1.3"]
    picture.keyboard.press("ArrowRight")
    assert lit(picture, "is-chosen") == ["r0.3"]
    picture.keyboard.press("Escape")
    assert lit(picture, "is-chosen") == []


def test_backward_shows_gradients_and_forward_restores_values(picture):
    square = '[data-at="o0.0"]'
    assert eventually(lambda: picture.inner_text(square) == "1")
    plain = picture.eval_on_selector(square, "cell => getComputedStyle(cell).backgroundColor")
    picture.click('[data-way="back"]')
    assert eventually(lambda: picture.inner_text(square) == "+2" and picture.inner_text('[data-at="o0.1"]') == "0")
    assert picture.eval_on_selector(square, "cell => getComputedStyle(cell).backgroundColor") != plain
    picture.hover(square)
    assert said(picture) == "∂/∂a[0, 0] = +1 + (+1) = +2"
    assert eventually(lambda: "scatter-add" in picture.inner_text(".op-about.back"))
    picture.click('[data-way="forward"]')
    assert eventually(lambda: picture.inner_text(square) == "1")


@pytest.mark.parametrize("width", [800, 358])
@pytest.mark.parametrize(
    "program, name",
    [
        ("import torch\ntorch.bmm(torch.randn(9, 6, 7), torch.randn(9, 7, 8))", "bmm"),
        ("import torch\na = torch.randn(20, 30) / 1000\na.sum(0)", "sum"),
        ("import torch\na = torch.randn(3, 4) * 1e-6\na * a", "mul"),
    ],
)
def test_the_result_is_visible_and_every_number_fits_its_square(chromium, width, program, name):
    page = drawn(chromium, program, name, width)
    seen = page.evaluate(
        """() => {
          const inside = (inner, outer) =>
            inner.left >= outer.left - 1 && inner.right <= outer.right + 1 && inner.top >= outer.top - 1 &&
            inner.bottom <= outer.bottom + 1;
          const box = (element) => element.getBoundingClientRect();
          const first = document.querySelector(".op-to .op-cell");
          const frames = [first.closest(".op-side"), document.querySelector(".op-scroll")].map(box);
          const pane = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
          return {
            result: [...frames, pane].every((frame) => inside(box(first), frame)),
            out: [...document.querySelectorAll(".op-cell .val")]
              .filter((one) => !inside(box(one), box(one.parentElement))).map((one) => one.textContent),
          };
        }"""
    )
    assert seen == {"result": True, "out": []}
    wait_until(page, f"document.documentElement.scrollWidth <= {width}")
    page.close()


def test_an_edited_program_is_drawn_and_the_old_address_redirects(open_page):
    page = open_page("/tensors?view=operations&example=first", wait=".op-line")
    page.wait_for_url("**/operations?*", wait_until="commit")  # the load event may belong to the previous page
    area = page.locator(".code-editor textarea").first
    area.fill("a = torch.ones(2, 3)\nb = a.cumsum(1)")
    page.locator(".op-line", has_text="a.cumsum(1)").wait_for()
    page.hover('.operation:has-text("a.cumsum(1)") [data-at="r0.5"]')
    expect(page.locator(".op-entry")).to_have_text("b[1, 2] = 1 + 1 + 1 = 3")
    assert not page.errors


def test_an_operation_is_opened_by_its_card_and_found_by_its_name(open_page):
    page = open_page("/operations", wait=".op-card")
    expect(page.locator(".st-key-editor")).to_be_hidden()  # a gallery needs no editor
    card = page.locator('.op-card[data-choose="sum"]')
    card.hover()  # plays what each sum reads
    expect(card.locator('[data-at="r0.1"].is-chosen')).to_have_count(1)
    expect(card.locator(".is-read")).to_have_text(["1", "5", "9"])
    page.get_by_role("button", name="gather").hover()
    expect(card.locator(".is-chosen, .is-read")).to_have_count(0)
    page.get_by_role("button", name="gather").press("Enter")
    expect(page.locator(".st-key-editor")).to_be_visible()
    page.locator(".op-line", has_text="a.gather(1, idx)").wait_for()
    page = open_page("/operations", wait=".op-card")
    page.get_by_text("Which operations have a picture").click()
    assert page.locator(".op-known code", has_text="logsumexp").is_visible()
    for width in (390, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        wait_until(page, f"document.documentElement.scrollWidth <= {width}")
    field = page.locator(".st-key-op_find input")
    field.click()
    field.fill("softm")
    page.keyboard.press("Enter")
    wait_until(page, "document.querySelector('.operations').innerText.includes('softmax')")
    for width in (390, 1400):
        page.set_viewport_size({"width": width, "height": 900})
        wait_until(page, f"document.documentElement.scrollWidth <= {width}")
    assert not page.errors
