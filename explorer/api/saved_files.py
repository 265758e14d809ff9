"""Save and load runs: `.trace` is MessagePack, `.json` loads as a read-only view."""

import errno
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from explorer.api.answers import answering
from explorer.api.step_table import load_steps
from explorer.io.export import to_json
from explorer.io.json_values import Json, dumps
from explorer.trace import MOST_FILE, MOST_SAVED, SCHEMA, SUFFIX, InvalidTrace, Trace, encode
from explorer.trace import read as read_trace
from explorer.trace.step_statistics import STATISTICS, InvalidStatistics
from explorer.workers.diagnoses import diagnoses_of

TRACE, JSON = SUFFIX, ".json"
KINDS = {"trace": TRACE, "json": JSON, "steps": STATISTICS}  # and the endings of their names
DESCRIPTIONS = {"trace": "a Trace", "json": "a run as JSON", "steps": "the steps of a watched training"}
_LISTS = ("cells", "operations", "tensors", "nodes", "backwards")
_MOST_MB = MOST_SAVED // 1_000_000


@dataclass(frozen=True, repr=False)
class LoadedTrace:
    """A run loaded from JSON, with the most common questions.

    Attributes:
        object: the JSON object as in the file.
        status: how the run ended: ok, error, refused, limited or unusable.
        cells: cells with their outputs, in order.
        operations: torch calls in the order they began.
        tensors: tensors the program touched. In a file from `save`, the index is the id.
        nodes: nodes of the autograd graph. The index is the id.
        backwards: backward calls in order.
        steps: training steps, an object for each place that calls backward in a loop. [] in older files.
    """

    object: dict[str, Json]
    status: str
    cells: list[dict[str, Json]]
    operations: list[dict[str, Json]]
    tensors: list[dict[str, Json]]
    nodes: list[dict[str, Json]]
    backwards: list[dict[str, Json]]
    steps: list[dict[str, Json]]

    def tensor(self, name: str) -> dict[str, Json]:
        """Return the last tensor called `name`. Raises KeyError for an unknown name."""
        named = ((tensor["id"], binding) for tensor in self.tensors for binding in tensor["names"])
        bound = [(binding["from"], id) for id, binding in named if binding["name"] == name]
        if not bound:
            raise KeyError(name)
        last = max(bound)[1]
        return next(tensor for tensor in self.tensors if tensor["id"] == last)  # long runs leave some out

    def __getitem__(self, name: str) -> dict[str, Json] | None:
        """Return the last tensor `name`'s last value. Raises KeyError."""
        return self.tensor(name)["value"]

    def gradient(self, name: str) -> dict[str, Json] | None:
        """Return a tensor's gradient in the backward selected when saving, or None."""
        return self.tensor(name)["gradient"]


def from_json(text: str) -> LoadedTrace:
    """Read a saved run. Raises ValueError for invalid JSON."""
    try:
        obj = json.loads(text)
    except RecursionError:
        raise ValueError("lists in lists, too deep to be read") from None
    if not isinstance(obj, dict) or obj.get("schema") != SCHEMA:
        raise ValueError(f"not a saved run of schema {SCHEMA}")
    for name in _LISTS:
        rows = obj.get(name)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise ValueError(f"its {name} are no list of objects")
    if not isinstance(obj.get("status"), str):
        raise ValueError("it does not say how the run ended")
    return LoadedTrace(obj, obj["status"], **{name: obj[name] for name in _LISTS}, steps=obj.get("steps", []))


def write(trace: Trace, path: Path, lang: str) -> None:
    """Write a Trace in the format of the file name's suffix.

    Raises ValueError for another suffix, or if the file would be too large to load.
    """
    if path.suffix == TRACE:
        data = encode(trace)
    elif path.suffix == JSON:
        data = (dumps(to_json(trace, "", lang, diagnoses=diagnoses_of(trace))) + "\n").encode("ascii")
    else:
        raise _unknown(path)
    if len(data) - (trace.full.size if path.suffix == TRACE else 0) > MOST_SAVED:
        less = "save it as .trace, or record less" if path.suffix == JSON else "record less"
        raise ValueError(f"{path} would have {len(data) / 1e6:.0f} MB, and a saved run has at most {_MOST_MB}: {less}")
    path.write_bytes(data)


def load_file(path: Path, kind: str | None = None) -> Any:
    """Load a file that `write` wrote.

    Raises FileNotFoundError if nothing is there, ValueError for anything else or another kind.
    """
    if kind not in (None, *KINDS):
        raise ValueError(f'kind is "trace", "json" or "steps", not {repr(kind)[:80]}')
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    actual = next((one for one, ending in KINDS.items() if ending == path.suffix), "")
    if kind and actual and actual != kind:
        raise ValueError(f"{path} is {DESCRIPTIONS[actual]}, and {DESCRIPTIONS[kind]} was asked for (kind={kind!r})")
    if path.suffix == TRACE:
        return answering(load_trace(path))
    if path.suffix == STATISTICS:
        try:
            return load_steps(path)
        except InvalidStatistics as problem:
            raise ValueError(f"{path} has no steps of a watched training: {problem}") from None
    if path.suffix == JSON:
        try:
            return from_json(_data(path, MOST_SAVED).decode("ascii"))
        except ValueError as problem:
            raise ValueError(f"{path} is no saved run: {problem}") from None
    raise _unknown(path)


def load_trace(path: Path) -> Trace:
    """Read the Trace in a file. Raises ValueError when there is none."""
    try:
        return read_trace(_data(path, MOST_FILE))
    except InvalidTrace as problem:
        raise ValueError(f"{path} is no saved Trace: {problem}") from None


def _data(path: Path, most: int) -> bytes:
    """Return a file's bytes. Raises ValueError if there are more than `most`."""
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"{path} has more than {most // 1_000_000} MB, and no saved run has")
    return data


def _unknown(path: Path) -> ValueError:
    return ValueError(f"{path}: a saved run ends in {TRACE} (compact, read back whole) or {JSON} (for people)")
