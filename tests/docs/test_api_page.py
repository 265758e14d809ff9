"""docs/api.md: its programs are run, and what they print is what stands below them."""

import contextlib
import io
import linecache
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "api.md"


def examples() -> list[tuple[str, str]]:
    """Each program of the page with the output below it."""
    parts = PAGE.read_text(encoding="utf-8").split("```")[1::2]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [(program.removeprefix("python\n"), output.removeprefix("\n")) for program, output in pairs]


def test_the_examples_of_the_api_print_what_the_page_says():
    names: dict = {"__name__": "__main__"}
    filename = "example.py"  # each example is the whole file, as a reader would run it
    for program, expected in examples():
        linecache.cache[filename] = (len(program), None, program.splitlines(keepends=True), filename)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(program, filename, "exec"), names)
        assert printed.getvalue() == expected, program
