"""A run read back from the JSON that `save` or the command line wrote: a read-only view."""

import json
from dataclasses import dataclass, field

from explorer.export import Json
from explorer.trace import SCHEMA


@dataclass(frozen=True)
class LoadedTrace:
    """What `explorer.load` read: the JSON object of a run, with the few questions one asks of it.

    Attributes:
        object: the whole object as it lies in the file.
    """

    object: dict[str, Json] = field(repr=False)

    @property
    def status(self) -> str:
        """How it ended: ok, error, refused, limited or unusable."""
        return self.object["status"]

    @property
    def cells(self) -> list[dict[str, Json]]:
        """The cells with what they showed, in order."""
        return self.object["cells"]

    @property
    def operations(self) -> list[dict[str, Json]]:
        """The torch calls in the order they began."""
        return self.object["operations"]

    @property
    def tensors(self) -> list[dict[str, Json]]:
        """The tensors the program touched; the index is the id."""
        return self.object["tensors"]

    @property
    def nodes(self) -> list[dict[str, Json]]:
        """The nodes of the autograd graph; the index is the id."""
        return self.object["nodes"]

    @property
    def backwards(self) -> list[dict[str, Json]]:
        """The backward calls in order."""
        return self.object["backwards"]

    def tensor(self, name: str) -> dict[str, Json]:
        """The tensor that `name` was bound to last. Raises KeyError for an unknown name."""
        bound = [
            (binding["from"], tensor["id"])
            for tensor in self.tensors
            for binding in tensor["names"]
            if binding["name"] == name
        ]
        if not bound:
            raise KeyError(name)
        return self.tensors[max(bound)[1]]

    def __getitem__(self, name: str) -> dict[str, Json] | None:
        """The last value of the tensor that `name` was bound to last. Raises KeyError for an unknown name."""
        return self.tensor(name)["value"]

    def gradient(self, name: str) -> dict[str, Json] | None:
        """Its gradient in the backward that was selected when the file was written, None if there is none."""
        return self.tensor(name)["gradient"]


def from_json(text: str) -> LoadedTrace:
    """A saved run. Raises ValueError when the text is no such object."""
    obj = json.loads(text)
    if not isinstance(obj, dict) or obj.get("schema") != SCHEMA or not isinstance(obj.get("nodes"), list):
        raise ValueError(f"not a saved run of schema {SCHEMA}")
    return LoadedTrace(obj)
