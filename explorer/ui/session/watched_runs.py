"""The folder of watched trainings that this server shows, and their indexes; read again only where they changed."""

import os
from functools import lru_cache
from pathlib import Path

from explorer.paths import site
from explorer.sandbox.hosting import hosted
from explorer.trace.watched_runs import RUNS, WatchIndex, indexes_in, read_index, runs_in


def runs_folder() -> Path | None:
    """The folder, None where none was given, and on a hosted site."""
    given = os.environ.get(RUNS, "")
    return Path(given) if given and not hosted() else None


def sample_runs() -> Path:
    """The folder of the runs that come with the app: those of `examples/watch.py`."""
    return site() / "examples" / "runs"


def watched_runs(folder: Path) -> dict[str, WatchIndex]:
    """The runs in a folder by name, a rank each, the one that began last first."""
    runs: dict[str, WatchIndex] = {}
    for run in runs_in(folder):
        for path in indexes_in(run):
            if (index := _index(path)) is not None:
                name = run.name if run == folder else run.relative_to(folder).as_posix()
                runs[name if index.begun.ranks == 1 else f"{name} · rank {index.rank}"] = index
    return dict(sorted(runs.items(), key=lambda item: (-item[1].begun.began, item[0])))


def _index(path: Path) -> WatchIndex | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=32)
def _read(path: Path, _changed: int, _size: int) -> WatchIndex | None:
    return read_index(path)
