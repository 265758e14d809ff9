"""backward() as code below the player: a line chooses its card, and the program opens with its check."""

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment

PROGRAM = "w = torch.tensor([1., 2.], requires_grad=True)\ny = w * 3\nloss = y.sum()\nloss.backward()"


def test_a_line_chooses_its_card_and_the_check_opens(open_page):
    page = open_page(
        "/?lang=en#" + to_fragment({"program": PROGRAM, "name": "p.py"}), wait='g.card[aria-label^="loss"]'
    )
    page.locator("summary", has_text="backward() as code").click()
    page.get_by_text("Run: equal to .grad, bit for bit.").wait_for()
    line = page.locator(".backward-code li", has_text="grad_w = grad_y * 3")
    line.click()
    chosen = page.locator("g.card.is-selected")
    expect(chosen).to_have_attribute("data-id", line.get_attribute("data-card") or "")
    page.locator('g.card[aria-label^="loss"]').click()
    expect(page.locator(".backward-code .is-lit").first).to_contain_text("grad_loss")
    page.get_by_role("button", name="Open with its check").click()
    page.get_by_text("torch.testing.assert_close").first.wait_for()
    page.get_by_text("The lines above give the same").first.wait_for()
    assert page.errors == []


DEEP = """import torch
from torch import nn
net = nn.Sequential(*(layer for _ in range(14) for layer in (nn.Linear(4, 4), nn.Tanh())))
net(torch.ones(2, 4)).sum().backward()"""


def test_the_code_of_a_deep_network_leaves_the_graph_its_room(open_page):
    page = open_page("/?lang=en#" + to_fragment({"program": DEEP, "name": "p.py"}), wait=".layers")
    page.locator("summary", has_text="backward() as code").click()
    page.get_by_text("Run: equal to .grad").wait_for()
    stage, player, code = (page.locator(one).bounding_box() for one in (".stage", ".player", ".backward-code"))
    assert stage["height"] > 200 and code["height"] > 100
    assert stage["y"] + stage["height"] <= player["y"] and player["y"] + player["height"] <= code["y"]
    assert page.errors == []
