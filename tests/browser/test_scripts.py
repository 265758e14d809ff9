"""Linked modules in a real browser."""

from explorer.drawing.scripts import linked


def test_modules_take_what_others_give_and_keep_the_rest_to_themselves(chromium, tmp_path):
    (tmp_path / "paint.js").write_text("const line = 1;\nexport const own = () => line;\n", encoding="utf-8")
    top = 'import { own } from "./paint.js";\nconst line = 2;\nexport const both = () => [own(), line];\n'
    (tmp_path / "top.js").write_text(top, encoding="utf-8")
    page = chromium.new_page()
    page.add_script_tag(content=linked(tmp_path / "top.js"))
    assert page.evaluate("[both(), typeof own, typeof line]") == [[1, 2], "undefined", "undefined"]
    page.close()
