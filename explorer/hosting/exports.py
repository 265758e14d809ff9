"""Make downloads on demand: one at a time for each visitor, and only for open pages.

Streamlit makes all requested files at once and to the end. Here a file waits for its visitor's turn, and ends like an
overdue page part or one of a closed page.
"""

import asyncio
from weakref import WeakValueDictionary

from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.proto.ForwardMsg_pb2 import BackendOperationResponse
from streamlit.runtime import get_instance
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager

from explorer.hosting import processor_budget
from explorer.sandbox.fair_queue import in_turn
from explorer.sandbox.hosting import visitor

_make = DeferredFileHandler.handle
_making: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()  # locks by visitor while a file is being made


def patch_exports() -> None:
    """Patch every request from now on."""
    DeferredFileHandler.handle = make_file  # type: ignore[method-assign,assignment]


async def make_file(
    handler: DeferredFileHandler, asked: BackendOperationRequest, session: str
) -> BackendOperationResponse:
    """Replace the method that makes a pressed button's file.

    Buttons of an earlier drawing or a closed page have lost their file. They are refused, while Streamlit would log a
    server failure.
    """
    manager, file, who = handler._get_media_file_mgr(), asked.deferred_file.file_id, visitor(_address(session))
    lock = _making.setdefault(who, asyncio.Lock())
    async with lock:
        if file in manager._deferred_callables and is_here(session):
            return await _make(DeferredFileHandler(lambda: _Turn(manager, who, session)), asked, session)
    return BackendOperationResponse(request_id=asked.request_id, error_msg="Failed to generate file for download")


class _Turn(MediaFileManager):
    """A file manager that makes one file in its visitor's turn, within a page part's time."""

    def __init__(self, manager: MediaFileManager, who: str, session: str):
        self._manager, self._who, self._session = manager, who, session

    def execute_deferred(self, file_id: str) -> str:
        """Return the file's address. Raises MediaFileStorageError if late or its page was closed."""
        with in_turn(self._who), processor_budget.limited(lambda: is_here(self._session)):
            return self._manager.execute_deferred(file_id)


def is_here(session: str) -> bool:
    """Return whether a session's page is still open."""
    return get_instance().is_active_session(session)


def _address(session: str) -> str | None:
    """Return the address from which a session's page was opened."""
    client = get_instance().get_client(session)
    context = client.client_context if client is not None else None
    return context.remote_ip if context is not None else None
