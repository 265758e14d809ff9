"""docs/api.md: its programs are run, and what they print is what stands below them."""

import contextlib
import io
import json
import linecache
from pathlib import Path

from explorer.cli.main import _parser

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "api.md"


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


def test_the_snippets_for_editors_are_json_and_name_real_options():
    text = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    tasks, launch = (json.loads(block.partition("```")[0]) for block in text.split("```json\n")[1:])
    orders = [task["args"][1:] if task["args"][0] == "-m" else task["args"] for task in tasks["tasks"]]
    orders = [order[1:] if order[0] == "explorer" else order for order in orders]
    orders += [found["args"] for found in launch["configurations"]]
    assert [_parser("en").parse_args(order).command is not None for order in orders] == [True] * 3
