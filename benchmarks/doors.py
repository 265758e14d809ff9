"""Attacks at the server's own doors, one after the other, beside twenty sessions that stay open and one that types.

usage: python benchmarks/doors.py [NAME...]   (from the project's root)

All traffic goes to a server that this program starts on this machine, as strangers meet it, and ends by itself. Prints
for each attack: seconds that an edit of the other session takes (median and longest), the longest silence of the
health check, and what the server held before, at most, and half a minute later (MB). The line "nothing" says how the
machine is without an attack: on one that others use, compare with that.
"""

import contextlib
import http.client
import re
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import WebSocketException

from tests.visitor import Health, Visitor, server

SESSIONS, EDITS = 20, 8
ATTACKER = "203.0.113.9"
STORM, AFTER = 8.0, 30.0  # seconds of the storm, and from an attack's end to the last look
UPLOADS, UPLOADED = 60, 4_900_000  # files, and bytes of each


def message(value: str, count: int = 1, name: str = "w") -> bytes:
    """A message with so many states of components."""
    asked = BackMsg()
    asked.rerun_script.widget_states.SetInParent()
    for i in range(count):
        widget = asked.rerun_script.widget_states.widgets.add()
        widget.id, widget.json_value = name if count == 1 else f"{name}{i}", value
    return asked.SerializeToString()


def edits(value: str, times: int = 1) -> Callable[[int, list[Visitor]], object]:
    """An attack: what the editor says is this, in place of an edit."""

    def attack(_: int, them: list[Visitor]) -> None:
        for visitor in them if times > 1 else them[:1]:
            say([visitor], message(f'{{"edit": {value}, "cell": 0}}', 1, visitor.editor), times, 0.5)

    return attack


def say(visitors: list[Visitor], data: bytes, times: int = 1, pause: float = 0.0) -> None:
    """Each of them sends the same, so many times; a server that hangs up ends it."""

    def speak(visitor: Visitor) -> None:
        with contextlib.suppress(WebSocketException, OSError):
            for _ in range(times):
                visitor.say(data)
                time.sleep(pause)

    threads = [threading.Thread(target=speak, args=(visitor,)) for visitor in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def upload(port: int, visitors: list[Visitor]) -> list[int]:
    """Put files to the door for uploads; the answers."""
    connection = http.client.HTTPConnection("localhost", port, timeout=60)
    connection.request("GET", "/_stcore/health")
    answer = connection.getresponse()
    answer.read()
    token = re.match(r"_streamlit_xsrf=([^;]*)", answer.getheader("Set-Cookie") or "")[1]
    form = b'--b\r\nContent-Disposition: form-data; name="f"; filename="f.csv"\r\n\r\n%s\r\n--b--\r\n'
    headers = {
        "Content-Type": "multipart/form-data; boundary=b",
        "Cookie": f"_streamlit_xsrf={token}",
        "X-Xsrftoken": token,
        "X-Forwarded-For": ATTACKER,
    }
    told = []
    for i in range(UPLOADS):
        path = f"/_stcore/upload_file/{visitors[i % len(visitors)].session}/file{i}"
        try:
            connection.request("PUT", path, form % (b"x" * UPLOADED), headers)
            answer = connection.getresponse()
            answer.read()
            told.append(answer.status)
        except OSError:  # refused before it was read
            connection.close()
            told.append(0)
    connection.close()
    return told


ATTACKS: dict[str, Callable[[int, list[Visitor]], object]] = {
    "nothing": lambda *_: time.sleep(3),
    "lists, 19 MB": edits("[" + "[]," * 6_300_000 + "[]]"),
    "lists, 1 MB": edits("[" + "[]," * 330_000 + "[]]", 2),
    "deep": edits("[" * 400_000 + "]" * 400_000, 2),
    "numbers": edits("[" + "1," * 480_000 + "1]", 2),
    "states": lambda _, them: say(them[:1], message("1", 150_000)),
    "states, 1 MB": lambda _, them: say(them, message("1", 70_000), 3, 0.5),
    "uploads": upload,
    "storm": lambda _, them: say(them, message("1"), int(STORM * 100), 0.01),
    "names of files": lambda _, them: say(them, _names(), 20, 0.05),
}


def _names() -> bytes:
    asked = BackMsg()
    asked.file_urls_request.file_names.extend(["a"] * 100_000)
    return asked.SerializeToString()


class Held:
    """What a process holds in MB, looked at ten times a second. Attributes: most."""

    def __init__(self, pid: int):
        self._process, self._over = psutil.Process(pid), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.most = 0.0

    def __enter__(self) -> "Held":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def now(self) -> float:
        """At this moment."""
        return self._process.memory_info().rss / 1e6

    def _watch(self) -> None:
        while not self._over.wait(0.1):
            self.most = max(self.most, self.now())


def attacked(name: str, pid: int, port: int) -> str:
    """What an attack did, in a line."""
    other, them = Visitor(port, "198.51.100.1"), [Visitor(port, ATTACKER) for _ in range(6)]
    took: list[float | None] = []
    over = threading.Event()

    def types() -> None:
        for i in range(1_000):
            if over.is_set() and i >= EDITS:
                return
            took.append(other.type(f"print('answer ' * 2, {i})", f"answer answer  {i}", 30))
            time.sleep(0.3)

    with Held(pid) as held, Health(port) as health:
        before = held.now()
        typing = threading.Thread(target=types)
        typing.start()
        time.sleep(1)
        told = ATTACKS[name](port, them)
        time.sleep(3)
        over.set()
        typing.join()
        most = held.most
        for visitor in them:
            visitor.close()
        time.sleep(AFTER)
        after = held.now()
    other.close()
    known = [seconds for seconds in took if seconds is not None]
    edits = f"{statistics.median(known):.2f} {max(known):.2f} of {len(took)}" if known else "none answered"
    answers = f"  answers {sorted(set(told))}" if isinstance(told, list) else ""
    lost = f"  lost {len(took) - len(known)}" if len(known) < len(took) else ""
    return f"edits {edits}{lost}  health {health.longest:.2f}  MB {before:.0f} {most:.0f} {after:.0f}{answers}"


def main(names: list[str]) -> None:
    """Measures and prints; each attack meets a server of its own."""
    for name in names or ATTACKS:
        with server(EXPLORER_HOSTED="1") as (process, port):
            open_pages = [Visitor(port, f"198.51.100.{i + 2}") for i in range(SESSIONS)]
            if not open_pages[0].ready():
                raise SystemExit("programs cannot be run")
            try:
                said = attacked(name, process.pid, port)
            except (OSError, WebSocketException) as problem:
                said = f"the server did not answer: {type(problem).__name__}"
            print(f"{name:16} {said}", flush=True)
            for visitor in open_pages:
                visitor.close()


if __name__ == "__main__":
    main(sys.argv[1:])
