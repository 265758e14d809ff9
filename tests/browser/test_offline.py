"""An exported page: a run played from a file, without a server."""

import pytest
from playwright.sync_api import expect

from explorer.drawing import picture as pictures
from explorer.drawing.picture import picture
from tests.browser.measures import wait_until
from tests.drawing.test_offline import HOSTILE
from tests.patience import eventually
from tests.programs import traced

PROGRAM = """import torch
n = 2
w = torch.tensor(1., requires_grad=True)
a = w * n
y = a + w
print("y is", y.item())
y.backward()
print("done")
"""
MODULES = """import torch
net = torch.nn.Sequential(*(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()) for _ in range(12)))
net(torch.ones(1, 2)).sum().backward()
"""


@pytest.fixture
def opened(chromium, tmp_path, request):
    """Open a program's exported page. `page.requested`: addresses it requested."""
    window = chromium.new_context(has_touch=True)

    def open_page(program=PROGRAM, lang="en", width=1400, height=900, scheme="light", drawn=None):
        file = tmp_path / "run.html"
        file.write_text((drawn or picture(traced(program, statements=True), lang)).html(), encoding="utf-8")
        page = window.new_page()
        page.requested, page.errors = [], []
        page.on("request", lambda request: page.requested.append(request.url))
        page.on("pageerror", lambda problem: page.errors.append(str(problem)))
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.goto(file.as_uri())
        page.locator("main .bar").wait_for()
        return page

    yield open_page
    window.close()


def at(page, step: int) -> None:
    expect(page.locator(".stepno")).to_contain_text(f"Step {step} of")


def running(page) -> str:
    return page.locator(".program .line.is-running .src").inner_text().strip()


def beside(page) -> list[str]:
    return [text for text in page.locator(".program .ghost .v").all_inner_texts() if text]


def card(page, name: str):
    return page.locator(f'g.card[aria-label^="{name}"]').first


def test_each_keyboard_step_shows_the_state_at_that_moment(opened):
    page = opened()
    expect(page.locator(".stepno")).to_contain_text("10 steps")
    assert eventually(lambda: page.locator(".program .outs").inner_text().split() == ["y", "is", "3.0", "done"])
    page.keyboard.press("Home")
    at(page, 1)
    assert eventually(
        lambda: running(page) == "import torch" and page.locator("g.card:visible").count() == 0 and beside(page) == []
    )
    page.keyboard.press("ArrowRight")
    assert eventually(lambda: running(page) == "n = 2" and beside(page) == ["2"])
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert eventually(lambda: running(page) == "a = w * n" and card(page, "a = w * n").is_visible())
    assert eventually(
        lambda: not card(page, "y = a + w").is_visible() and page.locator(".program .outs:visible").count() == 0
    )
    expect(page.locator(".player .sentence")).to_contain_text("1 · 2 = 2")
    page.keyboard.press("PageDown")
    assert eventually(lambda: running(page) == "y.backward()" and page.locator("g.edge.is-now").count() == 2)
    assert eventually(lambda: page.locator(".program .so-far").inner_text().split() == ["y", "is", "3.0"])
    page.keyboard.press("ArrowLeft")
    at(page, 6)
    page.keyboard.press("End")
    expect(page.locator(".line.is-running")).to_have_count(0)
    assert len(page.requested) == 1 and page.errors == []


def test_an_exported_page_plays_on_a_dark_chinese_phone(opened):
    page = opened(lang="zh", width=390, height=844, scheme="dark")
    marks = [mark.bounding_box() for mark in page.locator(".player .track i").all()]
    page.touchscreen.tap(marks[3]["x"] + 2, marks[3]["y"] + 2)
    expect(page.locator(".stepno")).to_contain_text("第 4 步")
    page.locator(".player .ctl button").nth(3).tap()
    expect(page.locator(".stepno")).to_contain_text("第 5 步")
    wait_until(page, "document.documentElement.scrollWidth <= 390")
    page.locator(".program .line").nth(1).tap()
    expect(page.locator(".stepno")).to_contain_text("第 2 步")
    assert page.errors == []


def test_nested_modules_open_and_describe_the_cards_on_the_page(opened, monkeypatch):
    monkeypatch.setattr(pictures, "CARDS", 40)
    page = opened(MODULES)
    page.locator('g.card[data-module="net.*"] .opener').click()
    inner = page.locator('g.card[data-module="net.5"]')
    inner.click(position={"x": 20, "y": 10})
    expect(page.locator("aside > [data-card]:visible h3")).to_have_text("net.5")
    expect(page.locator("aside > [data-card]:visible .heat")).not_to_have_count(0)
    inner.locator(".opener").click()
    expect(page.locator(".missing")).to_contain_text('open="net.5"')
    page.locator('g.card[data-module="net.0"] .opener').click()
    expect(page.locator('g.card[data-within="net.0"]')).not_to_have_count(0)
    expect(page.locator(".missing")).to_be_hidden()
    assert len(page.requested) == 1 and page.errors == []


def test_markup_in_a_program_never_runs(opened):
    page = opened(HOSTILE)
    page.evaluate("void (globalThis.ran = () => (globalThis.harmed = true))")
    page.keyboard.press("Home")
    for _ in range(12):
        page.keyboard.press("ArrowRight")
    assert page.locator(".program img, .player img, svg img").count() == 0
    assert not page.evaluate("Boolean(globalThis.harmed)") and len(page.requested) == 1


def test_a_recording_plays_its_recorded_steps(opened):
    import torch

    import explorer

    with explorer.record() as trace:
        w = torch.tensor(2.0, requires_grad=True)
        loss = w * w
        loss.backward()
    page = opened(drawn=explorer.draw(trace))
    page.keyboard.press("Home")
    at(page, 1)
    expect(page.locator(".program .line.is-running")).to_have_count(1)
    page.keyboard.press("PageDown")
    expect(page.locator("g.edge.is-now")).not_to_have_count(0)
    assert page.errors == []
