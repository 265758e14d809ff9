"""A preloaded process as the server sees it: started by exec, with orders over its control socket."""

import contextlib
import importlib.util
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Collection

from explorer.sandbox.libraries import folders
from explorer.sandbox.wire import READY

# A preloaded process reads its code from standard input: its arguments and variables, which children find in their
# memory, are the same for all.
_READS = "import os; exec(os.read(0, 1 << 20))"
_PID = 20  # digits
_KEPT = ("SYSTEMROOT", "USERPROFILE", "TEMP") if sys.platform == "win32" else ()  # Python on Windows needs them
_VARIABLES = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    **{name: os.environ[name] for name in _KEPT if name in os.environ},
}


def search_path() -> dict[str, str]:
    """The environment of a process that finds the same modules as the server, and nothing else of the server's
    environment.
    """
    return _VARIABLES | {"PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path)}


def start(module: str, code: str) -> str:
    """The first code of a process that finds a module, Python's libraries and this package, and no other folder."""
    homes = {_home("explorer"), _home(module.partition(".")[0])}
    libraries = folders()
    places = [os.path.abspath(place) for place in sys.path]
    kept = [place for place in places if _is_below(os.path.realpath(place), libraries)]
    return f"import sys; sys.path[:] = {list(dict.fromkeys([*kept, *sorted(homes)]))!r}; {code}"


def _home(module: str) -> str:
    """The folder that contains a module."""
    found = importlib.util.find_spec(module)
    package = found is not None and found.submodule_search_locations
    return os.path.dirname(os.path.abspath(next(iter(package)) if package else found.origin)) if found else os.sep


def _is_below(place: str, folders: list[str]) -> bool:
    return any(place == folder or place.startswith(folder + os.sep) for folder in folders)


def answered(module: str, question: str) -> list[str]:
    """The result of a module's function in a process with the environment of a preloaded one; [] if it fails."""
    code = f"import json, {module} as asked; print(json.dumps(asked.{question}()))"
    command = [sys.executable, "-P", "-s", "-c", start(module, code)]
    try:
        done = subprocess.run(command, env=_VARIABLES, cwd="/", capture_output=True, timeout=120, check=True)
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return []


def control_sockets() -> tuple[socket.socket, socket.socket]:
    """The two ends of a control socket: of the server and of the process."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _is_readable(descriptor: int, timeout: float = 0.0) -> bool:
    """Whether something can be read within these seconds."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout * 1000))


class Preloaded(ABC):
    """One such process, from its start to its end. The owner makes sure that one thread at a time calls.

    Attributes:
        pid, control: the process (None if not known yet), and the socket to it.
        calls: how many calls it got.
    """

    pid: int | None = None

    def __init__(self, control: socket.socket):
        self.control = control
        self.calls = 0
        self._has_preloaded = False

    @abstractmethod
    def running(self) -> bool:
        """Whether it is still running."""

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether it has preloaded and runs, waiting at most this many seconds for it. Any thread may ask."""
        return self.has_preloaded(timeout) and self.running()

    def has_preloaded(self, timeout: float = 0.0) -> bool:
        """Whether it has preloaded, even if it has ended since."""
        try:
            if not self._has_preloaded and _is_readable(self.control.fileno(), timeout):
                self._has_preloaded = self._hear() or self._has_preloaded
        except (OSError, ValueError):  # another thread read it, or the socket was closed
            pass
        return self._has_preloaded

    def _hear(self) -> bool:
        """Read whether it is ready."""
        return self.control.recv(len(READY), socket.MSG_DONTWAIT) == READY

    def retire(self) -> None:
        """Accept no more work, and end with the last child."""
        self.control.close()

    def gone(self) -> bool:
        """Whether it has ended."""
        return not self.running()

    @abstractmethod
    def end(self) -> None:
        """Kill it, and its children with it."""


class Started(Preloaded):
    """A process started by exec.

    Args:
        start: its first code.
        kept: a descriptor that it keeps.
    """

    def __init__(self, start: str, kept: Collection[int] = ()):
        ours, theirs = control_sockets()
        super().__init__(ours)
        # No PR_SET_PDEATHSIG for the process: it would die with the thread that started it, not with the server. It
        # ends when its control socket closes.
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-c", _READS],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=_VARIABLES,
                cwd="/",
                start_new_session=True,  # an interrupt at the terminal is for the server
                pass_fds=kept,
            )
        self.pid = self.process.pid
        with contextlib.suppress(OSError):  # it has ended already; the next call notices
            self.control.send(start.encode())

    def running(self) -> bool:
        """Whether it is still running."""
        return self.process.poll() is None

    def retire(self) -> None:
        """Accept no more work, and end with the last child."""
        super().retire()
        threading.Thread(target=self.process.wait, name="retired", daemon=True).start()

    def end(self) -> None:
        """Kill it, and its children with it."""
        self.process.kill()
        self.process.wait()
        self.control.close()


class Forked(Preloaded):
    """A process that another one forked while it preloaded. It sends its number and a descriptor of itself."""

    _descriptor: int | None = None

    def running(self) -> bool:
        """Whether it is still running, or not forked yet."""
        if self._descriptor is not None:
            return not _is_readable(self._descriptor)
        try:
            return self.control.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False

    def _hear(self) -> bool:
        said, descriptors, _, _ = socket.recv_fds(self.control, len(READY) + _PID, 1, socket.MSG_DONTWAIT)
        if not said or self._descriptor is not None:
            return False
        self._descriptor, self.pid = descriptors[0], int(said[len(READY) :])
        return True

    def gone(self) -> bool:
        """Whether it has ended."""
        if ended := not self.running():
            self.end()
        return ended

    def end(self) -> None:
        """Kill it, and its children with it; one that is not forked yet finds its socket closed and ends."""
        self.has_preloaded()
        self.control.close()
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(descriptor, signal.SIGKILL)
            os.close(descriptor)
