"""Record a film of the app's start as docs/film.gif: the first program plays, asks for `w.grad`, and is answered.

Run it when the page has changed; it needs Chromium and requirements-dev.txt:

    python tools/generate_film.py   (from the project's root)
"""

import io
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

DOCS = Path(__file__).parents[1] / "docs"
SIZE = {"width": 1200, "height": 760}
LASTS_S, EVERY_S, END_MS = 40.0, 0.2, 4_000  # length of the film, interval of pictures, duration of the last one
STILL_S = 6.0  # the film ends after this many seconds without a change
THINKS_S, ANSWER = 2.5, "5"  # thinking time before the answer, and the answer
COLOURS, MOST_BYTES = 64, 2_000_000


def film(port: int) -> list[tuple[bytes, float]]:
    """Pictures of the page that differ, each with the second at which it was taken."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        for _ in range(2):  # the server prepares itself during the first visit
            page = browser.new_page(viewport=SIZE)
            page.goto(f"http://localhost:{port}/")
            page.wait_for_selector(".st-key-graph g.node", timeout=300_000)
        began, found, asked = time.monotonic(), list[tuple[bytes, float]](), 0.0
        question = page.locator(".asks input")
        while (now := time.monotonic() - began) < LASTS_S and (not found or now - found[-1][1] < STILL_S):
            if not asked and question.is_visible():
                asked = now
            if asked and now - asked > THINKS_S and question.is_visible():
                question.fill(ANSWER)
                question.press("Enter")
            picture = page.screenshot(caret="initial")
            if not found or picture != found[-1][0]:
                found.append((picture, now))
            time.sleep(EVERY_S)
        browser.close()
    return found


def write(pictures: list[tuple[bytes, float]]) -> None:
    """Write the film."""
    images = [Image.open(io.BytesIO(data)).convert("RGB") for data, _ in pictures]
    palette = images[-1].quantize(COLOURS)
    frames = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    times = [taken for _, taken in pictures]
    lasts = [int(1000 * (after - at)) for at, after in pairwise(times)] + [END_MS]
    frames[0].save(DOCS / "film.gif", save_all=True, append_images=frames[1:], duration=lasts, loop=0, optimize=True)
    size = (DOCS / "film.gif").stat().st_size
    print(f"{len(frames)} pictures, {sum(lasts) / 1000:.0f} s, {size} bytes")
    assert size < MOST_BYTES


def main() -> None:
    """Start the app, film it, end it."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    options = ["--server.headless=true", f"--server.port={port}"]
    process = subprocess.Popen([sys.executable, "-m", "streamlit", "run", "app.py", *options], cwd=DOCS.parent)
    try:
        for _ in range(600):
            with suppress(OSError), urllib.request.urlopen(f"http://localhost:{port}/_stcore/health"):
                break
            time.sleep(0.1)
        write(film(port))
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    main()
