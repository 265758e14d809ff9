"""Clear the messages of a fragment that starts again. Streamlit drops those that the fragment drew, and keeps those of
inner fragments and elements sent only as a digest.
"""

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

_clear = ForwardMsgQueue.clear

Path = tuple[int, ...]


def patch_queue() -> None:
    """Patch the queue of every session from now on."""
    ForwardMsgQueue.clear = clear  # type: ignore[method-assign,assignment]


def clear(
    queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: list[str] | None = None
) -> None:
    """Replaces the queue's own method."""
    before = queue._queue
    _clear(queue, retain_lifecycle_msgs, fragment_ids_this_run)
    if fragment_ids_this_run is None:
        return
    ids = {id(message) for message in queue._queue}
    first: dict[Path, int] = {}  # by surrounding block the first place from which on messages were dropped
    for message in before:
        if id(message) not in ids and (path := _path(message)):
            first[path[:-1]] = min(path[-1], first.get(path[:-1], path[-1]))
    queue._queue = [
        message for message in queue._queue if not (_is_of_another(message) and _stands_there(_path(message), first))
    ]


def _path(message: ForwardMsg) -> Path:
    return tuple(message.metadata.delta_path)


def _is_of_another(message: ForwardMsg) -> bool:
    """Whether it may belong to an inner fragment: a digest does not say."""
    return message.HasField("ref_hash") or (message.HasField("delta") and bool(message.delta.fragment_id))


def _stands_there(path: Path, first: dict[Path, int]) -> bool:
    return any(path[end] >= first.get(path[:end], path[end] + 1) for end in range(len(path)))
