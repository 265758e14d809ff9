"""What the Derivatives page costs: its runs with their views, and in Chromium from a change to the new picture, in ms.

usage: python benchmarks/derivatives.py [address of a running app]   (from the project's root)
Without an address only the runs are measured. Goals: a moved point 120 ms (median), a surface of 200 × 200 300 ms.
"""

import shutil
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.analysis.calculus import (
    AxisWindow,
    Function,
    curve,
    point_program,
    products,
    surface,
    surface_program,
    sweep,
    sweep_program,
    vector_program,
)
from explorer.drawing.derivatives.curves import tangent_picture
from explorer.drawing.derivatives.surfaces import contour_plot, surface_plot
from explorer.sandbox import Runner

ROUNDS = 15
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"

# Presses an arrow key on the point; resolves with the time until the picture shows the run that follows.
PRESS = """(key) => new Promise((done) => {
  const stage = document.querySelector(".tangents"), before = stage.dataset.at, start = performance.now();
  const seen = new MutationObserver(() => {
    if (stage.dataset.at === before) return;
    seen.disconnect();
    done(performance.now() - start);
  });
  seen.observe(stage, { attributes: true, attributeFilter: ["data-at"] });
  stage.querySelector(".wide .first").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
})"""
# Starts to look for plots whose last trace lies at a new y; `window.plotted` resolves when both are drawn.
PLOTTED = """(at) => { const start = performance.now();
  const there = () => [...document.querySelectorAll(".js-plotly-plot")].filter(
    (plot) => Math.abs(plot.data?.at(-1)?.y?.[0] - at) < 1e-9).length === 2;
  window.plotted = new Promise((done) => {
    const look = () => there() ? requestAnimationFrame(() => done(performance.now() - start))
      : performance.now() - start > 20000 ? done(Infinity) : requestAnimationFrame(look);
    look();
  }) }"""


def told(name: str, found: list[float]) -> None:
    """Prints one line."""
    found = sorted(found)
    p95 = found[int(0.95 * (len(found) - 1))]
    print(f"{name:42} median {statistics.median(found):6.0f}   least {found[0]:6.0f}   p95 {p95:6.0f}")


def timed(name: str, work, rounds: int = ROUNDS) -> None:
    """Runs something several times and prints what it took."""
    found = []
    for k in range(rounds):
        start = time.perf_counter()
        work(k)
        found.append((time.perf_counter() - start) * 1e3)
    told(name, found)


def runs() -> None:
    """Measures runs with their views and drawings, in the server."""
    runner = Runner()
    runner.start()
    runner.ready(60)
    f, window = Function("3*x**2 - 4*x"), AxisWindow(-0.5, 2.5)
    g, both = Function("x**2 + 3*y**2", ("x", "y")), (AxisWindow(-2.0, 2.0), AxisWindow(-2.0, 2.0))
    branch = Function("def f(x):\n    if x > 1:\n        return x*x\n    return 2*x - 1")
    maps = Function("x**2*y, 5*x + sin(y)", ("x", "y"))
    known = {one: sweep(runner.submit(*sweep_program(one, window)).result(), one, window) for one in (f, branch)}

    def at_point(one, section=""):
        def work(k):
            asked = point_program(one, 1 + k / 100, window, section)
            tangent_picture(curve(runner.submit(*asked).result(), known[one]), "en")

        return work

    def plane(k):
        view = surface(runner.submit(*surface_program(g, (1.5, 1 + k / 100), *both, 30.0, 0.05, 30)).result(), g)
        surface_plot(view, False, "en").to_json()
        contour_plot(view, False, "en").to_json()

    timed("point moved: run, view, SVG", at_point(f))
    timed("point moved, f with a Python if", at_point(branch))
    timed("point moved, quotients in three dtypes", at_point(f, "precision"))
    timed(
        "new function: curve and marks", lambda k: sweep(runner.submit(*sweep_program(f, window)).result(), f, window)
    )
    timed("surface 200 × 200: run, view, two plots", plane)
    timed("Jacobian and two products", lambda k: products(
        runner.submit(*vector_program(maps, (1.0, k / 10), (1.0, 1.0), (1.0, 1.0))).result(), maps))  # fmt: skip
    runner.close()


def browser(address: str) -> None:
    """Measures in Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        window = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET.split())
        page = window.new_page(viewport={"width": 1400, "height": 900})
        page.goto(f"{address}/derivatives")
        page.wait_for_selector(".tangents .first:visible", timeout=60_000)
        page.wait_for_timeout(1000)
        found = []
        for k in range(2 * ROUNDS):
            found.append(page.evaluate(PRESS, "ArrowRight" if k < ROUNDS else "ArrowLeft"))
            page.wait_for_timeout(100)
        told("Chromium: key to new picture", found)
        frame = """() => { const slider = document.querySelector(".h-slider"), start = performance.now();
          for (let i = 0; i < 100; i++) { slider.value = i; slider.dispatchEvent(new Event("input")); }
          return (performance.now() - start) / 100; }"""
        told("Chromium: one step of the slider", [page.evaluate(frame) for _ in range(5)])
        page.goto(f"{address}/derivatives?more=two")
        page.wait_for_selector(".st-key-derivatives_contours .contour", timeout=60_000)
        page.wait_for_timeout(3000)
        found = []
        for k in range(7):
            field = page.locator(".st-key-derivatives_g_at input")
            field.fill(f"1.5, {0.5 + k / 10:.1f}")
            page.evaluate(PLOTTED, 0.5 + k / 10)
            field.press("Enter")
            found.append(page.evaluate("plotted"))
            page.wait_for_timeout(2000)  # until the last surface is drawn
        told("Chromium: surface of 200 × 200 drawn anew", found)
        window.close()


if __name__ == "__main__":
    runs()
    if len(sys.argv) > 1:
        browser(sys.argv[1])
