"""Uploads: who may send files, how many, how large, and their removal with the session."""

import tempfile

import pytest
from starlette.datastructures import Headers
from starlette.formparsers import MultiPartParser
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from explorer.hosting.uploads import FILES, HOSTED, SHARE, Bounds, Uploads, server_uploads
from explorer.program.given_files import HOSTED_ALL, MAX_FILES
from tests.visitor import alone

BOUNDS = Bounds(file=100, session=200, everybody=800)


class Door:
    """Uploads in front of Streamlit's manager; all sessions except "nobody" have a place."""

    def __init__(self, bounds: Bounds = BOUNDS):
        self.kept = MemoryUploadedFileManager("/upload")
        self.uploads = Uploads(lambda: self.kept, lambda: bounds, lambda session: session != "nobody")

    def put(self, session: str, name: str, size: int, visitor: str = "ann") -> int:
        """Return the status of an upload, which arrives at once if accepted."""
        status = self.uploads.begin(session, visitor, size)
        if status == 200:
            self.kept.add_file(session, UploadedFileRec(name, name, "text/csv", b"x" * size))
            self.uploads.end(session, size)
        return status

    def held(self) -> int:
        return sum(len(one.data) for files in self.kept.file_storage.values() for one in files.values())


def test_the_oldest_files_of_a_session_are_dropped():
    door = Door()
    assert [door.put("a", str(i), 60) for i in range(50)] == [200] * 50
    assert list(door.kept.file_storage["a"]) == ["47", "48", "49"]
    assert [door.put("a", f"small {i}", 1) for i in range(100)] == [200] * 100
    assert len(door.kept.file_storage["a"]) == FILES


def test_waiting_sessions_cannot_upload_and_oversized_files_are_refused():
    door = Door()
    assert door.put("nobody", "a", 1) == 403
    assert door.put("a", "a", 101) == 413
    assert door.held() == 0 and not door.uploads._coming


def test_one_visitor_with_many_sessions_leaves_room_for_others():
    door = Door()
    told = [door.put(f"session {i}", str(k), 50) for i in range(30) for k in range(4)]
    assert door.held() == BOUNDS.everybody // SHARE and set(told) == {200, 413}
    assert door.put("other", "a", 100, "bo") == 200


def test_uploads_in_progress_count_toward_the_limit():
    door = Door()
    assert door.uploads.begin("a", "ann", 100) == door.uploads.begin("b", "ann", 100) == 200
    assert door.uploads.begin("c", "ann", 100) == 413
    assert door.uploads.begin("d", "bo", 100) == 200
    door.uploads.end("a", 100)
    assert door.uploads.begin("c", "ann", 100) == 200


def test_room_is_free_again_when_a_session_ends():
    door = Door()
    for i in range(2):
        door.put(f"session {i}", "a", 100)
    assert door.put("later", "a", 100) == 413
    door.kept.remove_session_files("session 0")
    assert door.put("later", "a", 100) == 200
    assert set(door.uploads._visitors) <= {"session 1", "later"}


def test_allowed_uploads_exceed_the_programs_limits_so_that_errors_are_reported():
    """Dropped files are not reported: the remaining ones exceed a session's limit anyway."""
    assert HOSTED.session - HOSTED.file > HOSTED_ALL and MAX_FILES + 1 < FILES
    assert HOSTED.everybody // SHARE > 4 * HOSTED.session


@pytest.mark.parametrize(("length", "status"), [(b"50", 204), (b"101", 413), (b"9" * 30, 413), (b"x", 413)])
def test_a_request_is_answered_before_its_body_is_read(length, status):
    door, sent = Door(), []

    async def app(scope, receive, send):
        assert door.uploads._coming["a"] == 50
        await send({"type": "http.response.start", "status": 204})

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": "/base/_stcore/upload_file/a/f", "headers": [(b"content-length", length)]}
    alone(door.uploads.put(app, {**scope, "client": ("192.0.2.1", 1)}, None, send))
    assert sent[0]["status"] == status and not door.uploads._coming


def test_a_large_file_arrives_in_memory_and_never_in_a_file_of_the_machine(monkeypatch):
    def refused(*_, **__):
        raise FileNotFoundError("No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryFile", refused)
    server_uploads()
    data = b"x" * 3_000_000
    head = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n'

    async def body():
        yield head + data + b"\r\n--b--\r\n"

    async def arrived() -> bytes:
        form = await MultiPartParser(Headers({"content-type": "multipart/form-data; boundary=b"}), body()).parse()
        return await form["f"].read()

    assert alone(arrived()) == data
