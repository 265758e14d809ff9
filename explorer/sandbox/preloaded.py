"""A preloaded process as the server sees it: started by exec, told what to do over its control socket."""

import os
import select
import socket
import subprocess
import sys
import threading

from explorer.sandbox.wire import READY


def search_path() -> dict[str, str]:
    """The environment of a process that finds the modules the server finds; it holds nothing else of the server's."""
    return {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path),
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


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
                [sys.executable, "-P", "-c", start],
                stdin=theirs,
                stdout=subprocess.DEVNULL,
                env=search_path(),
                cwd="/",
                start_new_session=True,  # an interrupt at the terminal is the server's to handle
            )

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
