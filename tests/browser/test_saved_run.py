"""A saved run dropped on the page: seen as it was recorded, changed, and the program before it back again."""

from playwright.sync_api import expect

from explorer.trace import encode
from tests.browser.test_workbench import write
from tests.traces import trace_of

ELSEWHERE = "w = torch.rand(3, requires_grad=True)\ny = w * w\nelsewhere = y.sum()\nelsewhere.backward()\n"
MINE = "mine = torch.tensor(7., requires_grad=True)\nout = mine * 2\nout.backward()\n"


def chosen(page, path, said):
    """Choose a file in the menu that opens a program, and wait until it is answered and the menu has closed."""
    page.locator(".st-key-file button").first.click()
    place = page.locator(".st-key-open input[type=file]")
    expect(place).to_have_count(1)
    expect(page.locator("[data-stale=true]")).to_have_count(0)
    place.set_input_files(path)
    expect(page.locator(".st-key-notices")).to_contain_text(said)
    expect(page.locator(".st-key-open")).to_have_count(0)


def test_a_saved_run_opens_as_recorded_and_the_previous_program_is_restored(open_page, tmp_path):
    trace = trace_of(ELSEWHERE, seed=41)
    (tmp_path / "net.trace").write_bytes(encode(trace))
    page = open_page()
    write(page, MINE)
    card = page.locator(".stage g.node", has_text="out")
    expect(card.first).to_contain_text("14")

    chosen(page, tmp_path / "net.trace", "Saved run. Edit it to run it again.")
    saved = page.locator(".stage g.node.out")
    number = f"{sum(trace['w'].data[i] ** 2 for i in range(3)):.3g}"
    expect(saved).to_contain_text(number)
    expect(page.locator(".code-editor .ghost").first).to_be_visible()
    saved.click()
    expect(page.locator(".st-key-inspector")).to_contain_text("elsewhere")

    write(page, ELSEWHERE + "print('changed')\n")
    expect(page.locator(".st-key-output pre")).to_have_text("changed")
    expect(saved).not_to_contain_text(number)
    page.get_by_role("button", name="Back to your program").click()
    expect(card.first).to_contain_text("14")
    assert page.errors == []
