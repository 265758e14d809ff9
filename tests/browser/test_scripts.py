"""Linked modules in a real browser."""

import random
import struct
from pathlib import Path

import explorer.drawing.plots
from explorer.drawing.scripts import linked
from explorer.text.numbers import number

PLOTS = Path(explorer.drawing.plots.__file__).parent


def test_modules_import_exports_and_keep_other_names_private(chromium, tmp_path):
    (tmp_path / "paint.js").write_text("const line = 1;\nexport const own = () => line;\n", encoding="utf-8")
    top = 'import { own } from "./paint.js";\nconst line = 2;\nexport const both = () => [own(), line];\n'
    (tmp_path / "top.js").write_text(top, encoding="utf-8")
    page = chromium.new_page()
    page.add_script_tag(content=linked(tmp_path / "top.js"))
    assert page.evaluate("[both(), typeof own, typeof line]") == [[1, 2], "undefined", "undefined"]
    page.close()


def test_the_browser_formats_numbers_like_python(chromium):
    draw = random.Random(0)
    values = [sign * draw.random() * 10.0**power for power in range(-9, 12) for sign in (1, -1) for _ in range(20)]
    values += [round(value, 3) for value in values] + [0.0, 0.1 + 0.2, 825 / 7, 1e5, 99999.5, 999999.5, 1e-5, 0.25]
    values += [struct.unpack("f", struct.pack("f", value))[0] for value in values]
    page = chromium.new_page()
    page.add_script_tag(content=linked(PLOTS / "numbers.js"))
    assert page.evaluate("values => values.map((one) => number(one))", values) == [number(one) for one in values]
    signed = page.evaluate("values => values.map((one) => number(one, true))", values)
    assert signed == [number(one, signed=True) for one in values]
    page.close()
