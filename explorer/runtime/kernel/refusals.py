"""Refusals of the system: the line and its request.

The kernel refuses. Python's audit events (PEP 578) announce a program's requests with their frames. An error that
follows is reported as a refusal with that place and a reason. Security does not depend on the events: a refusal without
an event is reported from the exception alone.
"""

import errno
import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import NamedTuple

from explorer.runtime.files.own_folder import error_number
from explorer.runtime.recorder.assemble import readable
from explorer.runtime.recorder.source_map import SourceMap
from explorer.trace import Refusal

_EVENTS = {
    "network": """
        socket.__new__ socket.connect socket.bind socket.sendto socket.getaddrinfo socket.gethostbyname
        socket.gethostbyaddr urllib.Request http.client.connect ftplib.connect smtplib.connect
        """,
    "process": "os.fork os.forkpty os.posix_spawn os.exec os.spawn os.kill os.killpg subprocess.Popen pty.spawn",
    "shell": "os.system",
    "input": "builtins.input",
}
_REASONS = {event: reason for reason, events in _EVENTS.items() for event in events.split()}

# Modules whose frames in a traceback identify the request; the first match counts.
_MODULES = (
    ("torchvision.models", "weights"),
    ("torch.hub", "hub"),
    *((name, "profiler") for name in ("torch.profiler", "torch.autograd.profiler")),
    *((name, "download") for name in ("explorer.runtime.book", "torchvision.datasets", "sklearn.datasets")),
    ("seaborn", "download"),
    *((name, "process") for name in ("subprocess", "multiprocessing", "concurrent", "threading", "joblib", "loky")),
    *((name, "network") for name in ("socket", "ssl", "http", "urllib", "urllib3", "requests", "httpx", "aiohttp")),
)
_FONTS = (".ttf", ".ttc", ".otf", ".afm")  # without Landlock no file can be opened
_BY_NETWORK = ("weights", "hub", "download", "network")
_NOT_PERMITTED = (errno.EPERM, errno.EACCES, errno.EROFS)
_LONGEST = 100  # longest code in a message
_KEPT = 50  # maximum number of remembered requests
_NO_THREAD = "can't start new thread"


class _Request(NamedTuple):
    reason: str
    span: int


class Refusals:
    """The system resources that a run's program has requested.

    Attributes:
        on_shell: called with the span of a shell line, which fails without an exception.
    """

    def __init__(self, source_map: SourceMap, of_file: Callable[[str], str], network: bool = False) -> None:
        """Store `of_file`, the reason for a file, and `network`, if any."""
        self._of_file = of_file
        self._network = network
        self._source_map, self._requests = source_map, deque[_Request](maxlen=_KEPT)
        self.on_shell = lambda what: None

    def ask(self, reason: str) -> None:
        """Remember a request of the running line."""
        frame, _ = self._source_map.program_frame(1)
        if frame is None:
            return
        span = self._source_map.call_site(frame).span
        self._requests.append(_Request(reason, span))
        if reason == "shell":
            self.on_shell(self.code(span))

    def refused(self, problem: BaseException, span: int) -> Refusal | None:
        """Return the refusal behind an error, None for the program's own error."""
        seen: set[int] = set()
        modules: set[str] = set()  # modules in the traceback
        error: BaseException | None = problem
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            modules.update(_modules(error.__traceback__))
            reason = self._reason(error, span, modules)
            if reason:
                return Refusal(self.code(span) or type(problem).__name__, span, reason)
            if self._raised_by_program(error.__traceback__):
                return None
            error = error.__cause__ or error.__context__
        return None

    def code(self, span: int) -> str:
        """Return the program's text at a place, in one line."""
        if span < 0:
            return ""
        cell, line, column, end_line, end_column = list(self._source_map.spans)[span]
        text = self._source_map.lines[cell][line - 1].decode("utf-8", "replace")
        text = text[column : end_column if line == end_line else None].strip()
        if text.endswith("("):
            text += "…)"
        return readable(text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…")

    def _reason(self, problem: BaseException, span: int, modules: set[str]) -> str:
        """Return the refusal's reason, "" for the program's own error."""
        request = next((question.reason for question in reversed(self._requests) if question.span == span), "")
        match problem:
            case EOFError():
                return request if request == "input" else ""
            case ModuleNotFoundError():
                return "module" if problem.name and not _reads_libraries() else ""
            case RuntimeError() if _NO_THREAD in str(problem):
                return "process"
            case RuntimeError() if str(problem) == os.strerror(errno.EPERM):  # raised by C++
                return self._of_modules(modules) or request or "system"
            case OSError() | RuntimeError():
                return self._of_the_system(problem, request, modules)
        return ""

    def _of_the_system(self, problem: OSError | RuntimeError, request: str, modules: set[str]) -> str:
        """Return the system's refusal, "" if there is none."""
        of_network = type(problem).__name__ in ("gaierror", "herror")
        if self._network:
            request = "" if request in _BY_NETWORK else request
            if of_network:
                return ""
        downloading = request == "network" and not self._raised_by_program(problem.__traceback__)
        if not (downloading or of_network or error_number(problem) in _NOT_PERMITTED):
            return ""
        file = getattr(problem, "filename", None)
        if str(file).endswith(_FONTS):
            return "font"
        return self._of_modules(modules) or request or (self._of_file(os.fsdecode(file)) if file else "system")

    def _of_modules(self, modules: set[str]) -> str:
        """Return the reason that failing modules identify, or ""."""
        for name, reason in _MODULES:
            if self._network and reason in _BY_NETWORK:
                continue
            if any(module == name or module.startswith(f"{name}.") for module in modules):
                return reason
        return ""

    def _raised_by_program(self, trace: TracebackType | None) -> bool:
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        return trace is not None and self._source_map.files[trace.tb_frame.f_code.co_filename] >= 0


def _reads_libraries() -> bool:
    """Return whether the libraries' files are readable: without Landlock none is."""
    try:
        with open(os.__file__, "rb"):
            return True
    except PermissionError:
        return False


def _modules(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        yield str(trace.tb_frame.f_globals.get("__name__", ""))
        trace = trace.tb_next


_listening: list[Refusals] = []
_installed: list[bool] = []


def _on_event(event: str, arguments: tuple) -> None:
    if event in _REASONS and _listening:
        _listening[-1].ask(_REASONS[event])


@contextmanager
def listening(refusals: Refusals) -> Iterator[None]:
    """Send audit events to these Refusals.

    A hook lasts as long as its process, so there is only one.
    """
    if not _installed:
        sys.addaudithook(_on_event)
        _installed.append(True)
    _listening.append(refusals)
    try:
        yield
    finally:
        _listening.remove(refusals)
