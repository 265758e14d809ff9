"""Write docs/json.md from docs/schema.json: `python -m tools.generate_json`."""

import json
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).parents[1] / "docs" / "json.md"
SCHEMA = json.loads(DOCUMENT.with_name("schema.json").read_text("utf-8"))
HEAD = """# The JSON of a run

<!-- runs in: app -->
<!-- file: train.py -->
<!-- python
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
loss = (w**2).sum()
loss.backward()
-->
`python -m explorer run --json train.py` prints one object per path, one per line, ASCII only. This page is written from
[schema.json](schema.json), the JSON Schema of that object. The format is a contract: as long as `schema` is 1, programs
that read it today can read it tomorrow. New fields and new kinds may appear. Removing a field or changing its meaning
raises the number.

## Short and full objects

For a run of more than 500 operations the object is short. It has the outputs, errors, diagnoses, curves of the training
without entries, each backward without its steps, and only those tensors that have a name at the end or are leaves that
require grad, with their last version. `operations` and `nodes` are then empty, and `left_out` counts the omitted rows.
`--json=full` writes every run in full.

`explorer.save` writes the full object into a `.json`, and `explorer.load` reads it. Into a `.trace` it writes the Trace
itself, which can be read back completely. Both hold at most 100 MB, and a `.trace` at most five million lists and
dictionaries. A file is checked before anything reads it.

## Conventions

- An `id` is an index from 0 into its own list; in a short object, into the list of the full one. Integers such as
  `node`, `tensor`, `operation`, `backward` and `cell` refer to such ids. A reference to nothing is null.
- Lines count from 1, columns from 0 in code points. A `span` is `[line, column, end_line, end_column]` in its `cell`.
- Fields for features that don't exist yet are null or empty.

## Checks

`checks` has an object for each leaf of the first and the last backward. With `--check` it covers runs that take longer
than half a second, too.

| field | type | meaning |
|---|---|---|
| `tensor`, `name`, `backward` | integer, string, integer | the leaf and the backward |
| `verdict` | string | agrees, differs, depends (no gradient, but the root depends on the leaf) or unchecked |
| `why` | string | why an unchecked leaf was not checked |
| `reason` | object or null | cause (cut, no_grad, function, hook, straight, overwritten, recomputed), with its place |
| `text` | string | the result in words |
| `gradient`, `slope` | number or null | derivative along a random direction: by the gradient, by finite differences |

## What has no effect

Only `report` and `check` have `influence`: the parts of the program that change nothing.

| field | type | meaning |
|---|---|---|
| `unused` | array or null | results that nothing uses, null if only part of the run is known |
| `idle` | array | entries of data that change no loss when they are moved |
| `orders` | array | data whose order changes no loss |
| `batch` | object or null | the first batch: the call that combines its rows, its loss, and its halves' mean loss |
| `uncalled` | array | functions that are never called |
| `unread` | array | arguments that are never read |
| `data` | array | slopes of the losses with respect to the entries of data |
| `measured` | object | which of these the further runs could measure in time |

A Trace also keeps data that only the pages need and the JSON omits: `strided` and `picked` (entries of tensors named in
`Options.full`), `arrays` (NumPy arrays that share a tensor's memory), `tables` and `table_tensors` (requested by
`Options.tables`), and `Operations.arguments` (a call's arguments other than its tensors).
"""


def document() -> str:
    """Return the page: a table for each object of the schema."""
    return HEAD + "".join(map(_section, SCHEMA["$defs"]))


def _section(name: str) -> str:
    part = SCHEMA["$defs"][name]
    rows = "".join(
        f"| `{field}` | {_type(form)} | {form.get('description', '').replace('|', chr(92) + '|')} |\n"
        for field, form in part["properties"].items()
    )
    described = " ".join(part["description"].split())
    return f"\n## {name}\n\n{described}\n\n| field | type | meaning |\n|---|---|---|\n{rows}"


def _type(form: dict[str, Any]) -> str:
    """Return a type in words, with a link to its table."""
    if "$ref" in form:
        name = form["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in form:
        return " or ".join(dict.fromkeys(_type(one) for one in form["anyOf"]))
    if "enum" in form:
        return " or ".join(f"`{json.dumps(one)}`" for one in form["enum"])
    if form.get("type") == "array":
        return f"array of {_type(form['items'])}" if form.get("items") else "array"
    named = form.get("type", "any")
    return named if isinstance(named, str) else " or ".join(named)


if __name__ == "__main__":
    DOCUMENT.write_text(document(), "utf-8")
