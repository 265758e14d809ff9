"""The one journey of the default command: an edit runs, an error is explained, and the next edit runs."""

from playwright.sync_api import expect

from tests.browser.test_first_sight import card, write


def test_an_edit_runs_an_error_is_explained_and_the_next_edit_runs(open_page):
    page = open_page()
    expect(page.locator(".st-key-graph g.node")).to_have_count(5)
    write(page, "p = torch.tensor(4., requires_grad=True)\nq = p ** 2\nq.backward()\nprint(p.grad)\n")
    card(page, "q = p ** 2")
    expect(page.locator(".st-key-output")).to_contain_text("tensor(8.)")
    write(page, "p = torch.tensor(4., requires_grad=True)\nq = p ** 2\nq.backward()\nq.backward()\n")
    expect(page.locator(".st-key-problems .problem").first).to_contain_text("line 4")
    write(page, "k = torch.tensor(1., requires_grad=True)\n(k * 7).backward()\n")
    card(page, "k * 7")
    expect(page.locator(".st-key-problems .problem")).to_have_count(0)
    page.locator(".st-key-graph g.node").first.click()
    expect(page.locator("g.node.is-selected")).to_have_count(1)
    assert page.errors == []
