"""backward() as code in the menu File: checked by a run, and opened with its check."""

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment

PROGRAM = "w = torch.tensor([1., 2.], requires_grad=True)\ny = w * 3\nloss = y.sum()\nloss.backward()"


def test_the_code_is_checked_and_opens_with_its_check(open_page):
    page = open_page(
        "/?lang=en#" + to_fragment({"program": PROGRAM, "name": "p.py"}), wait='g.card[aria-label^="loss"]'
    )
    page.locator(".st-key-file button").first.click()
    page.locator(".st-key-menu_export summary").click()
    page.get_by_role("button", name="backward() as code").click()
    page.get_by_text("equal to .grad bit for bit").wait_for()
    expect(page.get_by_role("dialog").last).to_contain_text("grad_w = grad_y * 3")
    page.get_by_role("button", name="Open with its check").click()
    page.get_by_text("torch.testing.assert_close").first.wait_for()
    page.get_by_text("The lines above agree with torch").first.wait_for()
    assert page.errors == []
