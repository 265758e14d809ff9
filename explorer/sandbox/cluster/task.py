"""Messages between server and worker: calls and answers as MessagePack, and dask's function."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from explorer.sandbox.calls import Answer
from explorer.sandbox.confine import Level
from explorer.sandbox.protocol import ChildLimits
from explorer.trace.streaming import MOST_BYTES

Kind = Literal["programs", "layouts"]  # a worker's two executors, and the resource that dask counts

TURNS = "turns"  # resource for a worker's number of concurrent programs; no task consumes it
PLUGIN = "autograd-explorer"  # name of our dask plugin


class RemoteTask(Struct, frozen=True, array_like=True):
    """A call for a worker.

    Attributes:
        kind: with or without torch.
        least: a less confined process runs nothing.
        order: its limits.
        most: largest reply in bytes.
        request: bytes for the process, which the worker does not decode.
    """

    kind: Kind
    least: Level
    order: ChildLimits
    most: Annotated[int, Meta(ge=0)]
    request: bytes


_tasks = msgspec.msgpack.Decoder(RemoteTask)
_answers = msgspec.msgpack.Decoder(Answer)


def encode_task(kind: Kind, least: Level, order: ChildLimits, most: int, request: bytes) -> bytes:
    """Encode a call."""
    return msgspec.msgpack.encode(RemoteTask(kind, least, order, most, request))


def decode_task(data: bytes) -> RemoteTask:
    """Decode a call. Raises msgspec.DecodeError."""
    return _tasks.decode(data)


def encode_answer(answer: Answer) -> bytes:
    """Encode the end of a call."""
    return msgspec.msgpack.encode(answer)


def decode_answer(data: object, most: int) -> Answer:
    """Decode a worker's answer with a reply of at most `most` bytes.

    Raises msgspec.DecodeError, ValueError.
    """
    if not isinstance(data, bytes | bytearray | memoryview) or len(data) > most + 2 * MOST_BYTES:
        raise ValueError("more than a reply, or none")
    return _answers.decode(data)


def perform(data: bytes) -> bytes:
    """Perform the call on dask's chosen worker; dask sends this function by name."""
    from distributed import get_worker

    worker = get_worker()
    plugin: Any = worker.plugins.get(PLUGIN)
    if plugin is None:  # the worker is leaving
        return encode_answer(Answer("cancelled"))
    return plugin.perform(str(worker.get_current_task()), data)
