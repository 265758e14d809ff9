"""The messages between server and worker: a call and its answer as MessagePack, and the function that dask calls."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from explorer.sandbox.calls import Answer
from explorer.sandbox.confine import Level
from explorer.sandbox.wire import Order
from explorer.trace.streaming import MOST_BYTES

Kind = Literal["programs", "layouts"]  # a worker's two executors; also the resource that dask counts

TURNS = "turns"  # resource that says how many programs a worker runs at once; no task consumes it
PLUGIN = "autograd-explorer"  # name of our dask plugin


class RemoteTask(Struct, frozen=True, array_like=True):
    """A call for a worker.

    Attributes:
        kind: with torch or without.
        least: a less confined process runs nothing.
        order: its limits.
        most: largest reply in bytes.
        request: the bytes for the process; the worker does not decode them.
    """

    kind: Kind
    least: Level
    order: Order
    most: Annotated[int, Meta(ge=0)]
    request: bytes


_tasks = msgspec.msgpack.Decoder(RemoteTask)
_answers = msgspec.msgpack.Decoder(Answer)


def encode_task(kind: Kind, least: Level, order: Order, most: int, request: bytes) -> bytes:
    """A call as bytes."""
    return msgspec.msgpack.encode(RemoteTask(kind, least, order, most, request))


def decode_task(data: bytes) -> RemoteTask:
    """Decode a call. Raises msgspec.DecodeError."""
    return _tasks.decode(data)


def encode_answer(answer: Answer) -> bytes:
    """The end of a call, as bytes."""
    return msgspec.msgpack.encode(answer)


def decode_answer(data: object, most: int) -> Answer:
    """Decode a worker's answer, whose reply may have `most` bytes. Raises msgspec.DecodeError, ValueError."""
    if not isinstance(data, bytes | bytearray | memoryview) or len(data) > most + 2 * MOST_BYTES:
        raise ValueError("more than a reply, or none")
    return _answers.decode(data)


def perform(data: bytes) -> bytes:
    """Make the call on the worker that dask chose. Dask sends this function by name and `data` as it is."""
    from distributed import get_worker

    worker = get_worker()
    plugin: Any = worker.plugins.get(PLUGIN)
    if plugin is None:  # the worker is leaving
        return encode_answer(Answer("cancelled"))
    return plugin.perform(str(worker.get_current_task()), data)
