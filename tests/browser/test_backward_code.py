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
