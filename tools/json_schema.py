"""Write docs/schema.json, the shape of the JSON of a run: python -m tools.json_schema (from the project's root)."""

import json
from pathlib import Path

from explorer.io.schema import json_schema

PAGE = Path(__file__).parents[1] / "docs" / "schema.json"


def text() -> str:
    """The file's text."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
