"""Modules of JavaScript as one script."""

from pathlib import Path

import pytest

from explorer.drawing.scripts import linked


@pytest.fixture
def modules(tmp_path):
    """Write modules; return the first."""

    def write(**texts: str) -> Path:
        for name, text in texts.items():
            (tmp_path / f"{name}.js").write_text(text, encoding="utf-8")
        return tmp_path / f"{next(iter(texts))}.js"

    return write


def test_a_module_that_several_import_runs_once(modules):
    text = linked(
        modules(
            top='import { a } from "./left.js";\nimport { b } from "./right.js";\nexport const c = a + b;\n',
            left='import { one } from "./one.js";\nexport const a = one;\n',
            right='import { one } from "./one.js";\nexport const b = one;\n',
            one="export const one = Math.random();\n",
        )
    )
    assert text.count("Math.random()") == 1


def test_a_circular_import_is_named(modules):
    top = modules(
        top='import { a } from "./other.js";\nexport const b = 1;\n',
        other='import { b } from "./top.js";\nexport const a = 1;\n',
    )
    with pytest.raises(ValueError, match=r"top\.js → other\.js → top\.js"):
        linked(top)


@pytest.mark.parametrize(
    "line", ['import * as a from "./a.js";', 'import "./a.js";', "export default 1;", "export { a };"]
)
def test_other_import_forms_are_refused(modules, line):
    with pytest.raises(ValueError, match=r"top\.js.*" + line.split()[0]):
        linked(modules(top=f"{line}\n", a="\n"))


def test_an_import_may_be_renamed(modules):
    text = linked(
        modules(
            top='import { mount as play } from "./other.js";\nexport const mount = () => play() + 1;\n',
            other="export const mount = () => 1;\n",
        )
    )
    assert "const { mount: play } = modules[0];" in text
