"""Convert numbers, entries and texts for JSON."""

import json
import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, get_type_hints

import numpy as np
from msgspec import Struct

from explorer.safe_regex import plain
from explorer.text.numbers import json_number
from explorer.trace import Span, Trace, Value
from explorer.trace.columns import Ids

Json = Any  # anything that json.dumps accepts

_BEYOND_ASCII = plain("[^\x00-\x7f]+")
MOST_TEXT = 8_000_000  # characters of expressions and names longer than SHORT in one object
SHORT = 120
_SHOWN = ("strings", "spans", "values", "shapes")  # tables whose rows replace their ids
MAX_EMPTY_LISTS = 1000  # for a value without entries: (1000000, 0) must not print a million brackets


def dumps(obj: Json) -> str:
    """Write one line of ASCII JSON. Lone surrogates become U+FFFD.

    Non-finite numbers must already be strings (`json_number`).
    """
    text = json.dumps(obj, ensure_ascii=False, allow_nan=False)
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return _BEYOND_ASCII.sub(lambda match: json.dumps(match[0])[1:-1], text)


def value_json(value: Value | None) -> dict[str, Json] | None:
    """Return one value with its entries nested by shape."""
    if value is None:
        return None
    return {
        "shape": list(value.shape),
        "dtype": value.dtype,
        "data": None if value.data is None else _nested(value.data, value.shape),
        "sample": [json_number(entry) for entry in value.sample],
        "min": json_number(value.minimum),
        "max": json_number(value.maximum),
        "mean": json_number(value.mean),
        "norm": json_number(value.norm),
        "nonfinite": value.nonfinite,
        "sampled": value.sampled,
    }


def _nested(entries: tuple, shape: tuple[int, ...]) -> Json:
    if not entries:
        before_zero = shape[: shape.index(0)]
        return np.empty((*before_zero, 0)).tolist() if math.prod(before_zero) <= MAX_EMPTY_LISTS else None
    array = np.empty(len(entries), dtype=object)
    array[:] = [json_number(entry) for entry in entries]
    return array.reshape(shape).tolist()


def optional_index(i: int) -> int | None:
    """Return an index of the Trace for JSON: null instead of -1."""
    return None if i < 0 else i


def entry_or_none(values: Sequence[int], k: int) -> int:
    """Return the k-th index, -1 if there are fewer."""
    return values[k] if k < len(values) else -1


class JsonContext:
    """Context shared by all parts of the JSON: Trace, language, backward, text budget."""

    def __init__(self, trace: Trace, lang: str, backward: int | None) -> None:
        self.trace, self.lang, self.backward = trace, lang, backward
        self._known: dict[int, dict[str, Json] | None] = {}
        self._left = MOST_TEXT
        self._of: dict[str, Callable[[int], Json]] = {
            "strings": lambda i: self.text(trace.string(i)),
            "values": self.value,
            "shapes": lambda i: None if i < 0 else trace.shapes[i],
            "": optional_index,
        }

    def text(self, words: str | None) -> str | None:
        """Return a repeatable text, shortened once MOST_TEXT characters have been written."""
        if words is None or len(words) <= SHORT:
            return words
        self._left -= len(words)
        return words if self._left >= 0 else words[:SHORT]

    def value(self, i: int) -> dict[str, Json] | None:
        if i not in self._known:
            self._known[i] = value_json(self.trace.value(i))
        return self._known[i]

    def span(self, i: int) -> list[int] | None:
        if i < 0:
            return None
        span: Span = self.trace.spans[i]
        return [span.line, span.column, span.end_line, span.end_column]

    def place(self, i: int) -> dict[str, Json]:
        return {"cell": None if i < 0 else self.trace.spans[i].cell, "span": self.span(i)}

    def row(self, record: Struct, names: str, i: int | None = None) -> dict[str, Json]:
        """Return fields of a record or of row i of its columns.

        Ids become their text, place, value or shape as declared. Ids of other tables stay numbers, null for -1.
        """
        fields: dict[str, Json] = {}
        for name, table in _tables(type(record), names):
            entry = getattr(record, name) if i is None else getattr(record, name)[i]
            if table is None:
                fields[name] = entry
            elif table == "spans":
                fields |= self.place(entry)
            else:
                fields[name] = list(map(self._of[table], entry)) if isinstance(entry, list) else self._of[table](entry)
        return fields


@cache
def _tables(of: type[Struct], names: str) -> list[tuple[str, str | None]]:
    """Map fields to the tables of their ids, or ""."""
    hints, tables = get_type_hints(of, include_extras=True), []
    for name in names.split():
        ids = next((note for note in getattr(hints[name], "__metadata__", ()) if isinstance(note, Ids)), None)
        number = None if ids is None or ids.least >= 0 else ""
        tables.append((name, str(ids.of) if ids is not None and ids.of in _SHOWN else number))
    return tables
