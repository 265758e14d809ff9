"""docs/reference.md has every public function, with its docstring as it is today."""

import explorer
from tools.generate_reference import DOCUMENT, document


def test_the_page_is_written_from_the_docstrings():
    assert DOCUMENT.read_text("utf-8") == document(), "run python -m tools.generate_reference"


def test_every_public_function_is_described():
    page = DOCUMENT.read_text("utf-8")
    public = {name for name in explorer.__all__ if name.islower() and not name.startswith("_")}
    assert {name for name in public if f"\n### explorer.{name}\n" not in page} == set()
