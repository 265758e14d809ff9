"""docs/json.md describes the fields of docs/schema.json as they are today."""

from tools.generate_json import DOCUMENT, SCHEMA, document


def test_the_page_is_written_from_the_schema():
    assert DOCUMENT.read_text("utf-8") == document(), "run python -m tools.generate_json"


def test_every_object_has_a_table_with_its_fields():
    page = DOCUMENT.read_text("utf-8")
    for name, part in SCHEMA["$defs"].items():
        rows = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert [row.split("`")[1] for row in rows.splitlines() if row.startswith("| `")] == list(part["properties"])
