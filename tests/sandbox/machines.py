"""A cluster for tests: certificates, a scheduler and workers as local processes, on loopback."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from explorer.sandbox.cluster.remote import Cluster
from tests.patience import PATIENT, eventually
from tests.sandbox.processes import children, running

ROOT = str(Path(__file__).parents[2])


class Certificates:
    """An authority and one certificate of it, made with openssl in a folder."""

    def __init__(self, folder: Path):
        folder.mkdir(exist_ok=True)
        self.authority, self.certificate, self.key = (str(folder / name) for name in ("ca.pem", "cert.pem", "key.pem"))
        new_key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
        _openssl(folder, "req", "-x509", *new_key, "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem")
        _openssl(folder, "req", *new_key, "-subj", "/CN=machine", "-keyout", "key.pem", "-out", "asked.pem")
        signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2")
        _openssl(folder, "x509", "-req", "-in", "asked.pem", *signed, "-out", "cert.pem")


def _openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True, timeout=PATIENT)


def environment(port: int, certificates: Certificates) -> dict[str, str]:
    """Return the environment variables of every machine in the cluster."""
    return {
        "EXPLORER_SCHEDULER": f"tls://127.0.0.1:{port}",
        "EXPLORER_SCHEDULER_CA": certificates.authority,
        "EXPLORER_SCHEDULER_CERT": certificates.certificate,
        "EXPLORER_SCHEDULER_KEY": certificates.key,
    }


class Machines:
    """A scheduler and workers that have one turn each.

    Attributes:
        settings: the environment of all of them.
        workers: the processes of workers by the names that dask knows them by.
    """

    def __init__(self, settings: dict[str, str], log: Path):
        self.settings, self._log = settings, log
        self.workers: dict[str, subprocess.Popen] = {}
        self.scheduler: subprocess.Popen | None = None

    def start_scheduler(self) -> None:
        """Returns when it listens."""
        self.scheduler = self._started("scheduler")
        assert self.scheduler.stdout is not None and self.scheduler.stdout.readline()

    def start_worker(self) -> str:
        """Returns at once: its name."""
        process = self._started("worker", "--at-once", "1")
        name = f"{socket.gethostname()}-{process.pid}"
        self.workers[name] = process
        return name

    def end_scheduler(self) -> None:
        """Kill the scheduler, as if its machine failed."""
        _kill(self.scheduler)

    def kill(self, name: str) -> None:
        """Ends a worker as a machine that fails."""
        _kill(self.workers.pop(name))

    def parents(self, name: str) -> list[int]:
        """Return the processes that a worker has preloaded."""
        return list(children(self.workers[name].pid))

    def programs(self, name: str) -> list[int]:
        """Return the processes that run something on a worker now."""
        return [pid for parent in self.parents(name) for pid in running(parent)]

    def busy(self, count: int = 1) -> list[str]:
        """Return the names of the workers on which a program runs, waiting until there are so many."""
        found: list[str] = []

        def there() -> bool:
            found[:] = [name for name in self.workers if self.programs(name)]
            return len(found) == count

        assert eventually(there), found
        return found

    def forget_layouts(self) -> None:
        """End the processes that wait for another layout; call it while nothing runs."""
        for pid in (pid for name in self.workers for pid in self.programs(name)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def idle(self) -> bool:
        """Wait, and return whether nothing runs."""
        return eventually(lambda: not any(map(self.programs, self.workers)))

    def full(self, cluster: Cluster) -> bool:
        """Wait until all workers have joined; return whether they did."""
        cluster.start()
        return eventually(lambda: cluster.ready(0) and cluster.workers_turns() == len(self.workers))

    def end(self) -> None:
        """Ends all of them."""
        for process in (*self.workers.values(), self.scheduler):
            _kill(process)

    def _started(self, *words: str) -> subprocess.Popen:
        with self._log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "explorer", *words],
                cwd=ROOT,
                env=os.environ | self.settings,
                stdout=subprocess.PIPE,
                stderr=log,
            )


def _kill(process: subprocess.Popen | None) -> None:
    if process is not None:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait()
        process.stdout.close()
