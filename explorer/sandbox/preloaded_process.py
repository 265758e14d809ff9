"""The server's view of a preloaded process."""

import contextlib
import importlib.util
import json
import os
import select
import socket
import subprocess
import sys
import threading

from explorer.paths import target_folders
from explorer.sandbox.libraries import folders
from explorer.sandbox.protocol import READY

# A preloaded process reads its code from standard input: its arguments and variables, which children find in their
# memory, are the same for all.
_READS = "import os; exec(os.read(0, 1 << 20))"
_KEPT = ("SYSTEMROOT", "USERPROFILE", "TEMP") if sys.platform == "win32" else ()  # Python on Windows needs them
_VARIABLES = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",  # arenas of other threads reserve address space, which a program could unmap and use
    "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",  # a fork copies one entry for 512 pages, and starting is cheaper too
    **{name: os.environ[name] for name in _KEPT if name in os.environ},
}


def search_path() -> dict[str, str]:
    """Return the environment for finding the server's modules, and nothing else of it."""
    return _VARIABLES | {"PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path)}


def start(module: str, code: str) -> str:
    """Return the first code of a preloaded process."""
    homes = {_home("explorer"), _home(module.partition(".")[0])}
    libraries = [*folders(), *map(os.path.realpath, target_folders())]
    places = [os.path.abspath(place) for place in sys.path]
    own = [place for place in places if _is_below(os.path.realpath(place), libraries)]
    return f"import sys; sys.path[:] = {list(dict.fromkeys([*own, *sorted(homes)]))!r}; {code}"


def _home(module: str) -> str:
    """Return the folder that contains a module."""
    spec = importlib.util.find_spec(module)
    package = spec is not None and spec.submodule_search_locations
    return os.path.dirname(os.path.abspath(next(iter(package)) if package else spec.origin)) if spec else os.sep


def _is_below(place: str, folders: list[str]) -> bool:
    return any(place == folder or place.startswith(folder + os.sep) for folder in folders)


def answered(module: str, question: str) -> list[str]:
    """Call a function in a preloaded environment, [] if it fails."""
    code = f"import json, {module} as asked; print(json.dumps(asked.{question}()))"
    command = [sys.executable, "-P", "-s", "-c", start(module, code)]
    try:
        done = subprocess.run(command, env=_VARIABLES, cwd="/", capture_output=True, timeout=120, check=True)
        return json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return []


def is_readable(end: socket.socket, timeout: float = 0.0) -> bool:
    """Return whether data or EOF is available within these seconds."""
    poll = select.poll()
    poll.register(end, select.POLLIN)
    return bool(poll.poll(timeout * 1000))


class Preloaded:
    """One preloaded process. Its owner ensures one calling thread at a time.

    Args:
        start: first code.

    Attributes:
        pid, control: process number, and the socket to it.
        calls: number of calls.
        retired: whether it accepts no more work.
    """

    def __init__(self, start: str):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.calls = 0
        self.retired = False
        self._has_preloaded = False
        # No PR_SET_PDEATHSIG for the process: it would die with the thread that started it, not with the server. It
        # ends when its control socket closes.
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-c", _READS],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=_VARIABLES,
                cwd="/",
                start_new_session=True,  # a terminal's interrupt is meant for the server
            )
        self.pid = self._process.pid
        with contextlib.suppress(OSError):  # already ended, as the next call notices
            self.control.send(start.encode())

    def running(self) -> bool:
        """Return whether it is still running."""
        return self._process.poll() is None

    def stopped(self) -> bool:
        """Return whether a signal has stopped it (SIGSTOP)."""
        try:
            return os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:  # it has ended
            return False

    def ready(self, timeout: float = 0.0) -> bool:
        """Return whether it has preloaded and runs, waiting at most `timeout` seconds. Thread-safe."""
        return self.has_preloaded(timeout) and self.running()

    def has_preloaded(self, timeout: float = 0.0) -> bool:
        """Return whether it has preloaded, even if it has ended since."""
        try:
            if not self._has_preloaded and is_readable(self.control, timeout):
                flags = socket.MSG_DONTWAIT | socket.MSG_PEEK  # left there for other waiting threads
                self._has_preloaded = self.control.recv(len(READY), flags) == READY
        except (OSError, ValueError):  # the socket was closed
            pass
        return self._has_preloaded

    def retire(self) -> None:
        """Accept no more work, and end with the last child."""
        self.retired = True
        self.control.close()
        threading.Thread(target=self._process.wait, name="retired", daemon=True).start()

    def end(self) -> None:
        """Kill it, and its children with it."""
        self._process.kill()
        self._process.wait()
        self.control.close()
