"""The JSON and commands that docs/editors.md offers to other editors exist."""

import json
from pathlib import Path

from explorer.cli.main import _parser

ROOT = Path(__file__).parents[2]


def test_the_snippets_for_editors_are_json_and_name_real_options():
    text = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
    tasks, launch = (json.loads(block.partition("```")[0]) for block in text.split("```json\n")[1:])
    orders = [task["args"][1:] if task["args"][0] == "-m" else task["args"] for task in tasks["tasks"]]
    orders = [order[1:] if order[0] == "explorer" else order for order in orders]
    orders += [found["args"] for found in launch["configurations"]]
    assert [_parser("en").parse_args(order).command is not None for order in orders] == [True] * 3
