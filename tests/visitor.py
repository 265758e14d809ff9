"""A visitor without a browser, speaking Streamlit's protocol with a running server."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TypeVar

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from tests.patience import PATIENT

ROOT = Path(__file__).parents[1]

Said = TypeVar("Said")


def alone(asked: Coroutine[object, object, Said]) -> Said:
    """Run a coroutine in a separate thread, because this one may run a browser's loop."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, asked).result()


class Visitor:
    """One session of the Autograd page.

    Args:
        address: client address, as reported by a proxy on this machine; "" for this machine.
        tls: context that trusts the server's certificate, for a server with TLS.
        source: local address of the connection, such as 127.0.0.2; "" for any.

    Attributes:
        exceptions: errors shown by the page.
        session, editor: Streamlit's ids of the session and its editor.
    """

    def __init__(
        self,
        port: int,
        address: str = "",
        timeout: float = PATIENT,
        tls: ssl.SSLContext | None = None,
        source: str = "",
    ):
        self._closing = contextlib.ExitStack()
        self._socket = self._closing.enter_context(
            connect(
                f"{'wss' if tls else 'ws'}://localhost:{port}/_stcore/stream",
                ssl=tls,
                origin=f"{'https' if tls else 'http'}://localhost:{port}",
                additional_headers={"X-Forwarded-For": address} if address else None,
                subprotocols=["streamlit"],
                max_size=None,
                open_timeout=timeout,
                close_timeout=1,
                source_address=(source, 0) if source else None,
            )
        )
        self._count = 0
        self.editor = ""
        self.exceptions: list[str] = []
        self.session = ""
        self._rerun({})
        self._until_drawn(timeout)

    def type(self, text: str, shows: str, timeout: float = PATIENT) -> float | None:
        """Replace the editor's text; return the seconds until its output is shown, None if never."""
        self.send(text)
        began = time.monotonic()
        return time.monotonic() - began if self._until_drawn(timeout, shows) else None

    def ready(self, timeout: float = PATIENT) -> bool:
        """Wait until programs can run; preloading starts with the first page. Return whether they can."""
        end, patience = time.monotonic() + timeout, 2.0
        while time.monotonic() < end:
            if self.type("print('it is ' * 2)", "it is it is", patience) is not None:
                return True
            patience *= 2  # on a busy machine, each may take longer than that
        return False

    def send(self, text: str) -> None:
        """Put a text into the editor without waiting."""
        self._count += 1
        edit = {"count": self._count, "revision": 0, "cells": [[0, text]], "have": []}
        self._rerun({self.editor: {"edit": edit, "cell": 0}})

    def say(self, data: bytes) -> None:
        """Send a message as it is."""
        self._socket.send(data)

    def close(self) -> None:
        """Leave."""
        with contextlib.suppress(WebSocketException, OSError):
            self._closing.close()

    def _rerun(self, states: dict) -> None:
        message = BackMsg()
        message.rerun_script.widget_states.SetInParent()
        for name, state in states.items():
            widget = message.rerun_script.widget_states.widgets.add()
            widget.id, widget.json_value = name, json.dumps(state)
        self._socket.send(message.SerializeToString())

    def _until_drawn(self, timeout: float, shows: str = "") -> bool:
        """Return whether a nonempty drawing was finished in time."""
        end, seen = time.monotonic() + timeout, False
        while (left := end - time.monotonic()) > 0:
            try:
                data = self._socket.recv(left)
            except TimeoutError:
                return False
            seen = seen or shows.encode() in data
            message = ForwardMsg()
            message.ParseFromString(data)
            self.session = message.new_session.initialize.session_id or self.session
            element = message.delta.new_element
            if element.HasField("bidi_component") and element.bidi_component.component_name.endswith("explorer_editor"):
                self.editor = element.bidi_component.id
            if element.HasField("exception"):
                self.exceptions.append(f"{element.exception.type}: {element.exception.message}")
            if seen and message.WhichOneof("type") == "script_finished":
                return True
        return False


class Health:
    """Checks every tenth of a second whether the server answers, in a thread. Use as a context manager."""

    def __init__(self, port: int):
        self._url, self._over = f"http://localhost:{port}/_stcore/health", threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.longest, self.answers, self.failures = 0.0, 0, 0

    def __enter__(self) -> "Health":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.1):
            began = time.monotonic()
            try:
                with urllib.request.urlopen(self._url, timeout=PATIENT) as answer:
                    answer.read()
                self.answers += 1
            except OSError:
                self.failures += 1
            self.longest = max(self.longest, time.monotonic() - began)


@contextlib.contextmanager
def server(
    log: int | IO[bytes] = subprocess.DEVNULL, root: Path = ROOT, **environment: str
) -> Iterator[tuple[subprocess.Popen, int]]:
    """Run a checkout's server; yield it and its port, and kill it at the end. `log`: for its output."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true", f"--server.port={port}"]
    process = subprocess.Popen(command, cwd=root, env=os.environ | environment, stdout=log, stderr=log)
    try:
        wait(f"http://localhost:{port}/_stcore/health")
        yield process, port
    finally:
        process.kill()
        process.wait()


def wait(url: str) -> None:
    """Wait until an address answers."""
    end = time.monotonic() + PATIENT
    while time.monotonic() < end:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=PATIENT):
            return
        time.sleep(0.1)
    raise TimeoutError(url)


def ends(process: subprocess.Popen, seconds: float) -> bool:
    """Ask a server to end; return whether it does in time."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
