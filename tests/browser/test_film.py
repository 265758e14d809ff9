"""The time line of a training loop under the hand: pictures without the server, keys, play, and its address."""

from playwright.sync_api import expect

from explorer.program.permalink import to_fragment

LOOP = """w = torch.tensor(4.0, requires_grad=True)
for epoch in range(10):
    for part in range(2):
        loss = (w - 1) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
"""


def test_the_handle_moves_picture_code_and_inspector_and_leaves_its_step_in_the_address(open_page):
    page = open_page(f"/#{to_fragment({'program': LOOP, 'name': 'program.py'})}", wait=".strip[data-frames=here]")
    lane, loss = page.locator(".strip .lane"), page.locator(".stage g.node.out .val")
    expect(lane).to_have_attribute("aria-valuetext", "Step 20 of 20, epoch 9, part 1, loss 0.00187")

    box = lane.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.125 * box["width"], box["y"] + 20)  # the server is asked when the handle is let go
    expect(loss).to_have_text("3.69")
    expect(page.locator(".code-editor .ghost", has_text="3.69")).to_have_count(1)
    expect(page.locator(".player .sentence")).to_contain_text("3.84")
    expect(page.locator(".st-key-inspector .pair")).to_contain_text("3.686")
    moving = page.locator(".stage svg.autograd").text_content()
    assert "backward=" not in page.url
    page.mouse.up()
    page.wait_for_url("**backward=3**")
    expect(page.locator(".stage.is-behind")).to_have_count(0)
    assert page.locator(".stage svg.autograd").text_content() == moving

    lane.press("ArrowRight")
    expect(loss).to_have_text("2.36")
    lane.press("Home")
    expect(lane).to_have_attribute("aria-valuenow", "1")
    lane.press("Space")
    expect(page.get_by_label("Pause")).to_be_visible()
    expect(lane).to_have_attribute("aria-valuenow", "20")
    expect(page.get_by_label("Play the steps")).to_be_visible()
    lane.press("Home")
    lane.press("PageUp")
    page.wait_for_url("**backward=11**")
    page.reload()
    expect(lane).to_have_attribute("aria-valuenow", "11")
    assert page.errors == []


def test_a_handle_that_is_held_before_the_frames_come_shows_its_step_when_they_do(open_page):
    page = open_page(f"/#{to_fragment({'program': LOOP, 'name': 'program.py'})}", wait=".strip .loss path")
    box = page.locator(".strip .lane").bounding_box()
    page.mouse.move(box["x"] + 0.125 * box["width"], box["y"] + 20)
    page.mouse.down()
    expect(page.locator(".strip .lane")).to_have_attribute("aria-valuenow", "3")
    expect(page.locator(".stage g.node.out .val")).to_have_text("3.69")
    assert "backward=" not in page.url
    page.mouse.up()
    page.wait_for_url("**backward=3**")
    assert page.errors == []


# The root of a number below 0 from the seventh step on.
NAN = """w = torch.tensor(0.55, requires_grad=True)
for step in range(12):
    loss = (w - 0.1 * step).sqrt()
    loss.backward()
    w.grad = None
"""


def test_a_sentence_under_the_time_line_leads_to_its_step(open_page):
    page = open_page(f"/#{to_fragment({'program': NAN, 'name': 'program.py'})}", wait=".strip[data-frames=here]")
    lane, said = page.locator(".strip .lane"), page.locator(".strip .said li")
    expect(lane).to_have_attribute("aria-valuenow", "12")
    expect(said.first).to_contain_text("The loss is NaN from step 7")
    said.first.get_by_role("button", name="Step 7").click()
    expect(lane).to_have_attribute("aria-valuenow", "7")
    expect(page.locator(".stage g.node.out .val")).to_have_text("NaN")
    page.wait_for_url("**backward=7**")
    assert page.errors == []


def test_a_film_that_plays_ends_with_its_program(open_page):
    page = open_page(f"/#{to_fragment({'program': LOOP, 'name': 'program.py'})}", wait=".strip[data-frames=here]")
    page.locator(".strip .lane").press("Home")
    page.locator(".strip .lane").press("Space")
    expect(page.get_by_label("Pause")).to_be_visible()
    page.locator(".code-editor textarea").first.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text("import torch\nq = torch.ones(1, requires_grad=True)\n(q * 7).backward()\n")
    page.locator('g.card.leaf[aria-label^="q"]').wait_for()
    expect(page.locator(".strip")).to_have_count(0)
    expect(page.locator(".stage g.node")).to_have_count(2)
    expect(page.locator('g.card.leaf[aria-label^="w"]')).to_have_count(0)
    assert page.errors == []
