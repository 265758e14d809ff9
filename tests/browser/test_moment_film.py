"""The moments of the player are saved as a film that plays."""

from playwright.sync_api import expect

from tests.browser.measures import wait_until

PLAYED = """async (bytes) => {
    const film = document.createElement("video"), canvas = document.createElement("canvas");
    const brush = canvas.getContext("2d", { willReadFrequently: true }), seen = new Set();
    film.muted = true;
    film.playbackRate = 4;
    film.src = URL.createObjectURL(new Blob([Uint8Array.from(bytes)]));
    await film.play();
    [canvas.width, canvas.height] = [film.videoWidth / 4, film.videoHeight / 4];
    while (!film.ended) {
        brush.drawImage(film, 0, 0, canvas.width, canvas.height);
        const sums = new Array(64).fill(0), { data } = brush.getImageData(0, 0, canvas.width, canvas.height);
        for (let i = 0; i < data.length; i += 4) sums[Math.floor((i * 64) / data.length)] += data[i] >> 5;
        seen.add(sums.join());
        await new Promise((done) => setTimeout(done, 50));
    }
    return { seconds: film.currentTime, pictures: seen.size, width: film.videoWidth, height: film.videoHeight };
}"""


def test_a_film_of_the_moments_is_saved_without_the_server_and_plays(open_page):
    page = open_page()
    page.get_by_label("Back to the start").click()
    page.locator(".stepno", has_text="Step 1 of").wait_for()  # the server has told the moments
    page.context.set_offline(True)
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the moments as a film").click()
        page.get_by_text("Filming moment 3 of").wait_for()
    expect(page.get_by_text("Film saved.")).to_be_visible()
    expect(page.locator(".stepno")).to_contain_text("Step 1 of")  # where it was
    page.context.set_offline(False)
    assert saved.value.suggested_filename == "autograd.webm"
    found = page.evaluate(PLAYED, list(saved.value.path().read_bytes()))
    assert found["pictures"] > 4 and found["seconds"] > 3 and found["width"] >= 720, found
    assert page.errors == []


def test_closing_the_box_stops_the_film(open_page):
    page = open_page()
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Save the moments as a film").click()
    page.get_by_text("Filming moment 2 of").wait_for()
    page.keyboard.press("Escape")
    wait_until(page, "!document.querySelector('.player').classList.contains('is-on')")
    assert page.errors == []


def test_a_browser_that_cannot_film_says_so(open_page):
    page = open_page()
    page.evaluate("delete globalThis.MediaRecorder")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Save the moments as a film").click()
    expect(page.get_by_text("This browser cannot record a film.")).to_be_visible()
