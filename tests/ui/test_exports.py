"""The files of pressed buttons: one at a time for each visitor, and none for a page that was closed."""

import asyncio
import threading
import time

import pytest
from streamlit.proto.BackMsg_pb2 import BackendOperationRequest
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from explorer.analysis.autograd import graph_view
from explorer.hosting import exports, processor_budget
from tests.patience import PATIENT
from tests.ui.test_processor_budget import large
from tests.visitor import alone


class Site:
    """A server with pages of visitors. Attributes: open: the sessions whose page is open."""

    def __init__(self):
        self.open = {"a1", "a2", "b1"}  # of visitor a, and of visitor b
        self.files = MediaFileManager(MemoryMediaFileStorage("/media"))

    def button(self, make) -> str:
        """A button for the file that `make` makes."""
        return self.files.add_deferred(make, "text/plain", f"0.{id(make)}", "program.py")

    def press(self, *buttons: tuple[str, str]) -> list:
        """Press buttons of sessions at once; return the answers."""

        async def together():
            return await asyncio.gather(*(self._press(*button) for button in buttons))

        return alone(together())

    def _press(self, session: str, button: str):
        request = BackendOperationRequest(request_id="r")
        request.deferred_file.file_id = button
        return exports.make_file(DeferredFileHandler(lambda: self.files), request, session)


@pytest.fixture
def site(monkeypatch):
    made = Site()
    monkeypatch.setattr(exports, "is_here", made.open.__contains__)
    monkeypatch.setattr(exports, "_address", lambda session: {"a": "192.0.2.1", "b": "192.0.2.2"}[session[0]])
    return made


def test_a_removed_buttons_file_is_refused_without_an_error(site, caplog):
    here = site.button(lambda: b"x = 1")
    assert site.press(("a1", here))[0].deferred_file.url.startswith("/media/")
    caplog.clear()
    [gone] = site.press(("a1", "gone"))
    assert gone.request_id == "r" and gone.error_msg and not caplog.records


def test_each_visitor_has_one_export_at_a_time(site):
    making, most, met = [], [], threading.Barrier(2)

    def made() -> bytes:
        making.append("a")
        most.append(len(making))
        time.sleep(0.05)
        making.remove("a")
        return b"x"

    def meets() -> bytes:
        met.wait(PATIENT)  # computed at the same time as the other visitor's
        return b"x"

    answers = site.press(*((f"a{1 + number % 2}", site.button(lambda: made())) for number in range(6)))
    assert most == [1] * 6 and all(answer.deferred_file.url for answer in answers)
    assert all(answer.deferred_file.url for answer in site.press(*((who, site.button(meets)) for who in ("a1", "b1"))))


def test_a_page_closed_while_waiting_gets_no_export(site):
    def last() -> bytes:
        site.open.clear()
        return b"x"

    first, second = site.press(("a1", site.button(last)), ("a2", site.button(lambda: pytest.fail("it was made"))))
    assert first.deferred_file.url and second.error_msg


@pytest.mark.skipif("sys.platform != 'linux'", reason="only there a thread is ended")
@pytest.mark.parametrize("leaves", [True, False])
def test_an_export_ends_when_its_page_closes_or_it_takes_too_long(site, leaves, monkeypatch):
    monkeypatch.setattr(processor_budget, "BUDGET", PATIENT if leaves else 0.2)
    trace = large()

    def endless() -> bytes:
        if leaves:
            site.open.clear()
        while True:
            graph_view(trace)

    [answer] = site.press(("a1", site.button(endless)))
    assert answer.error_msg and not answer.deferred_file.url
