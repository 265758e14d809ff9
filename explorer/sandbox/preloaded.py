"""A preloaded process as the server sees it: started by exec, told what to do over its control socket."""

import contextlib
import importlib.util
import os
import select
import socket
import subprocess
import sys
import threading

from explorer.sandbox.libraries import folders
from explorer.sandbox.wire import READY

# What it shall do a preloaded process reads: its arguments and its variables, which its children find in their memory,
# are the same everywhere.
_READS = "import os; exec(os.read(0, 1 << 20))"
_VARIABLES = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}


def search_path() -> dict[str, str]:
    """The environment of a process that finds the modules the server finds; it holds nothing else of the server's."""
    return _VARIABLES | {"PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path)}


def start(module: str, code: str) -> str:
    """What a process runs first that shall find a module, Python's libraries and this package, and no other folder."""
    homes = {_home("explorer"), _home(module.partition(".")[0])}
    libraries = folders()
    places = [os.path.abspath(place) for place in sys.path]
    kept = [place for place in places if _is_below(os.path.realpath(place), libraries)]
    return f"import sys; sys.path[:] = {list(dict.fromkeys([*kept, *sorted(homes)]))!r}; {code}"


def _home(module: str) -> str:
    """The folder that a module is found in."""
    found = importlib.util.find_spec(module)
    package = found is not None and found.submodule_search_locations
    return os.path.dirname(os.path.abspath(next(iter(package)) if package else found.origin)) if found else os.sep


def _is_below(place: str, folders: list[str]) -> bool:
    return any(place == folder or place.startswith(folder + os.sep) for folder in folders)


class Preloaded:
    """One such process, from its start to its end. The owner sees to it that one thread at a time calls.

    Attributes:
        process, control: it, and the socket to it.
        calls: how many it was asked for.
    """

    def __init__(self, start: str):
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.calls = 0
        self._said_ready = False
        # No PR_SET_PDEATHSIG for the process: it would die with the thread that started it, not with the server. It
        # ends when its control socket closes.
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-s", "-c", _READS],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env=_VARIABLES,
                cwd="/",
                start_new_session=True,  # an interrupt at the terminal is the server's to handle
            )
        with contextlib.suppress(OSError):  # it has ended already: whoever asks hears so
            self.control.send(start.encode())

    def running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def ready(self, timeout: float = 0.0) -> bool:
        """Whether it has preloaded and runs, waiting at most so many seconds for it. Any thread may ask."""
        try:
            if not self._said_ready and select.select([self.control], [], [], timeout)[0]:
                self._said_ready = self.control.recv(len(READY), socket.MSG_DONTWAIT) == READY or self._said_ready
        except (OSError, ValueError):  # another thread read it, or the socket was closed meanwhile
            pass
        return self._said_ready and self.running()

    def retire(self) -> None:
        """It takes no more work and ends with its last child; nothing of it is left then."""
        self.control.close()
        threading.Thread(target=self.process.wait, name="retired", daemon=True).start()

    def gone(self) -> bool:
        """Whether it has ended."""
        return not self.running()

    def end(self) -> None:
        """Kills it, and with it its children."""
        self.process.kill()
        self.process.wait()
        self.control.close()
