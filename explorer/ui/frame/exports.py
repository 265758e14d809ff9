"""Make the files that buttons offer, when their button is pressed: one at a time for each visitor, and for nobody who
has left.

Streamlit makes as many at once as are asked for, and each to its end. Here a file waits for its visitor's turn, and
its making ends like a part of a page that takes too long, or whose page was closed.
"""

import asyncio
from weakref import WeakValueDictionary

from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.proto.ForwardMsg_pb2 import BackendOperationResponse
from streamlit.runtime import get_instance
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager

from explorer.sandbox.fair_queue import in_turn
from explorer.sandbox.hosting import visitor
from explorer.ui.components import processor_budget

_make = DeferredFileHandler.handle
_making: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # by visitor, as long as one is made


def patch_exports() -> None:
    """Patch every request from now on."""
    DeferredFileHandler.handle = make_file  # type: ignore[method-assign,assignment]


async def make_file(
    handler: DeferredFileHandler, asked: BackendOperationRequest, session: str
) -> BackendOperationResponse:
    """Replaces the method that makes the file of a pressed button.

    A button of an earlier drawing is gone with its file, and so is one of a page that was closed: both are refused,
    where Streamlit would log a failure of the server.
    """
    manager, file, who = handler._get_media_file_mgr(), asked.deferred_file.file_id, visitor(_address(session))
    lock = _making.setdefault(who, asyncio.Lock())
    async with lock:
        if file in manager._deferred_callables and is_here(session):
            return await _make(DeferredFileHandler(lambda: _Turn(manager, who, session)), asked, session)
    return BackendOperationResponse(request_id=asked.request_id, error_msg="Failed to generate file for download")


class _Turn(MediaFileManager):
    """A manager of files that makes one in its visitor's turn, and within the time of a part of a page."""

    def __init__(self, manager: MediaFileManager, who: str, session: str):
        self._manager, self._who, self._session = manager, who, session

    def execute_deferred(self, file_id: str) -> str:
        """The address of the file. Raises MediaFileStorageError if it took too long or its page was closed."""
        with in_turn(self._who), processor_budget.limited(lambda: is_here(self._session)):
            return self._manager.execute_deferred(file_id)


def is_here(session: str) -> bool:
    """Whether the page of a session is still open."""
    return get_instance().is_active_session(session)


def _address(session: str) -> str | None:
    """The address that a session's page was opened from."""
    client = get_instance().get_client(session)
    context = client.client_context if client is not None else None
    return context.remote_ip if context is not None else None
