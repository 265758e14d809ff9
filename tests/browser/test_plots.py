"""A plot of each kind: light, dark, in Chinese, on a phone."""

from pathlib import Path

from explorer.program.permalink import to_fragment
from tests.browser.measures import wait_until
from tests.notebooks import written

SETUP = "import numpy as np, pandas as pd, torch\nimport matplotlib.pyplot as plt\nx = torch.linspace(0, 6, 50)\n"
KINDS = {
    "line": "plt.plot(x, x.sin(), label='正弦'), plt.title('损失 $x^2$'), plt.legend()",
    "scatter": "plt.scatter(x, x.cos(), c=x), plt.colorbar()",
    "histogram": "plt.hist(np.arange(50) % 7)",
    "image": "plt.imshow(torch.eye(9)), plt.axis('off')",
    "bar": "plt.bar(['a', 'b'], [1, 2])",
    "space": "plt.figure().add_subplot(projection='3d').plot(x, x.sin(), x.cos())",
    "panels": "plt.subplots(2, 2, figsize=(9, 6))[0].suptitle('four')",
    "table": "pd.DataFrame({'a': [1, 3], 'b': [2, 1]}).plot()",
    "long": "plt.scatter(*np.random.RandomState(0).rand(2, 9_000))",
    "graph": "import graphviz\ngraph = graphviz.Digraph()\ngraph.edge('损失', 'w')\ngraph",
    "growing": "from d2l import torch as d2l\nanimator = d2l.Animator(xlabel='epoch', legend=['train'])\n"
    "for i in range(9):\n    animator.add(i, 1 / (i + 1))",
}


def opened(page, path: Path) -> None:
    path.write_text(written(SETUP, *KINDS.values()), encoding="utf-8")
    page.locator(".st-key-file button").first.click()
    page.locator(".st-key-open input[type=file]").set_input_files(path)
    wait_until(page, "count => document.querySelectorAll('img.picture').length >= count", len(KINDS))
    page.keyboard.press("Escape")


def test_a_plot_of_each_kind_is_an_image_on_its_own_paper(open_page, tmp_path):
    page = open_page("/?lang=zh", width=390, scheme="dark", wait=".code-editor textarea")
    opened(page, tmp_path / "kinds.ipynb")
    shown = wait_until(
        page,
        """() => { const all = [...document.querySelectorAll('img.picture')];
        return all.every((one) => one.complete && one.naturalWidth) && all.map((one) => {
          const [box, pane] = [one.getBoundingClientRect(), one.closest('.st-key-program').getBoundingClientRect()];
          return { alt: one.alt, kind: one.src.slice(5, 14), paper: getComputedStyle(one).backgroundColor,
            wide: box.width, tall: box.height, asked: Number(one.getAttribute('width')),
            inside: box.left >= pane.left && box.right <= pane.right + 1 }; }) }""",
    )
    assert len(shown) == len(KINDS) and all(one["inside"] and one["paper"] == "rgb(255, 255, 255)" for one in shown)
    assert {one["kind"] for one in shown} == {"image/svg", "image/png"}
    assert all(abs(one["wide"] - one["asked"]) < 1 or one["wide"] < one["asked"] for one in shown)
    assert all(100 < one["tall"] < 700 for one in shown)
    assert "损失" in shown[0]["alt"] and "正弦" in shown[0]["alt"] and page.errors == []


def test_plots_of_a_single_cell_appear_in_its_output(open_page):
    source = SETUP + "plt.plot([1, 2]), plt.title('<b>first</b>')\nplt.show()\nplt.plot([2, 1]), plt.title('second')"
    page = open_page("/#" + to_fragment({"program": source}), wait=".code-editor textarea")
    page.locator(".st-key-run button").first.click()
    alts = wait_until(
        page,
        """() => { const all = [...document.querySelectorAll('.st-key-output img.picture')];
        return all.length === 2 && all.map((one) => one.alt) }""",
    )
    assert alts == ["Plot: <b>first</b>", "Plot: second"]
