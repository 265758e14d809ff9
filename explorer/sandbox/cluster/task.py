"""What travels between server and worker: a call and its answer as MessagePack, and the function that dask calls."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from explorer.sandbox.calls import Answer
from explorer.sandbox.confine import Level
from explorer.sandbox.wire import Order
from explorer.told import MOST_BYTES

Kind = Literal["programs", "layouts"]  # which of a worker's two executors; also the resource that dask counts

TURNS = "turns"  # the resource that says how many programs a worker is to have at once; nothing takes of it
PLUGIN = "autograd-explorer"  # what a worker of ours calls its plugin


class RemoteTask(Struct, frozen=True, array_like=True):
    """A call that a worker shall make.

    Attributes:
        kind: with torch or without.
        least: a process that is confined less runs nothing.
        order: what it may take.
        most: bytes of its reply that are read.
        request: as the process wants it; the worker does not look into it.
    """

    kind: Kind
    least: Level
    order: tuple[float, float, float]
    most: Annotated[int, Meta(ge=0)]
    request: bytes


_tasks = msgspec.msgpack.Decoder(RemoteTask)
_answers = msgspec.msgpack.Decoder(Answer)


def encode_task(kind: Kind, least: Level, order: Order, most: int, request: bytes) -> bytes:
    """A call as bytes."""
    return msgspec.msgpack.encode(
        RemoteTask(kind, least, (order.seconds, order.lasting, order.memory_mb), most, request)
    )


def decode_task(data: bytes) -> RemoteTask:
    """The call that these bytes hold. Raises msgspec.DecodeError."""
    return _tasks.decode(data)


def encode_answer(answer: Answer) -> bytes:
    """How a call ended, as bytes."""
    return msgspec.msgpack.encode(answer)


def decode_answer(data: object, most: int) -> Answer:
    """What a worker answered, whose reply may have `most` bytes. Raises msgspec.DecodeError, ValueError."""
    if not isinstance(data, bytes | bytearray | memoryview) or len(data) > most + 2 * MOST_BYTES:
        raise ValueError("more than a reply, or none")
    return _answers.decode(data)


def perform(data: bytes) -> bytes:
    """Makes the call on the worker that dask chose. Dask sends this function as its name, `data` as it is."""
    from distributed import get_worker

    worker = get_worker()
    plugin: Any = worker.plugins.get(PLUGIN)
    if plugin is None:  # the worker is leaving
        return encode_answer(Answer("cancelled"))
    return plugin.perform(str(worker.get_current_task()), data)
