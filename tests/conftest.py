"""Shared test setup: which command runs which tests, the browser, the number of workers.

`python -m pytest` leaves out tests marked journeys, cluster, slow or thorough; `-m journeys` and so on run only those.
A file named on the command line runs completely. Without a browser its tests are skipped, as the last lines report.
"""

import gc
import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path, PurePath
from zlib import crc32

import pytest
from hypothesis import settings

from explorer.sandbox.protocol import ChildLimits

os.environ.setdefault("EXPLORER_STRICT", "1")  # errors of the recorder itself are raised, not only counted
os.environ["EXPLORER_CACHE"] = ""  # no test uses an earlier start's cache
os.environ.setdefault("OMP_NUM_THREADS", "1")  # read by torch; parallel tests keep the processors busy anyway
# Use the same examples in every run, so that results are comparable. `--hypothesis-profile=search` draws new
# ones.
settings.register_profile("same", derandomize=True)
settings.register_profile("search", derandomize=False, database=None)
settings.load_profile("same")
gc.disable()  # until the tests are collected, because imported objects stay
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MANY = 100
SMOKE = "tests/browser/test_smoke.py"  # the default command's only journey
FIRST = ("tests/browser", "tests/sandbox", "tests/cli", "tests/ui", "tests/test_readers.py", "tests/trace")
# Many programs each, or pages and processes with what may go wrong in them: `-m slow`, a step of their own in .ci/run.
SLOW = tuple(
    f"tests/{folder}/test_{name}.py"
    for folder, names in {
        "api": "what_is_left",
        "autograd": "backward_code_of_recordings",
        "broadcasting": "aligning",
        "docs": "docstrings",
        "faults": "advice repairs shortened twins untold",
        "gradcheck": "checked",
        "influence": "further_runs results",
        "lessons": "broken course gallery solutions",
        "runtime": "book gaps hosts hosts_training known_results random_programs same_traces steps_optimizers unaltered"
        " unseen",
        "sandbox": "attacks folder further_requests layout limits many memory ring staying torch_runs watch",
        "text": "equations",
        "trace": "arguments fuzzing views",
        "ui": "broadcasting_page compare_page data_page dead_ends examples folder given gradients_checked kept"
        " odd_states operations_page predict processor_budget seen sessions_memory training_page values watched_page"
        " why",
        "why": "any_size",
    }.items()
    for name in names.split()
)
# Programs with a local folder need their own parent with torch, so one worker runs them all.
WITH_FOLDER = (
    "tests/sandbox/test_folder.py",
    "tests/cli/test_cli.py",
    "tests/cli/test_commands.py",
    "tests/ui/test_folder.py",
    "tests/program/test_beside.py",
    "tests/workers/test_diagnoses.py",
)


def pytest_configure(config) -> None:
    """Run a named file completely, including tests that the default command leaves out."""
    named = config.option.file_or_dir or []
    if named and config.option.markexpr == LEFT_OUT and all(Path(one.partition("::")[0]).is_file() for one in named):
        config.option.markexpr = ""


def pytest_collection_finish() -> None:
    """Collect garbage again, without what was imported."""
    gc.freeze()
    gc.enable()


LEFT_OUT = "not journeys and not cluster and not thorough and not installed and not slow"  # as in pyproject.toml


@pytest.fixture(autouse=True, scope="module")
def _young_heap() -> None:
    """Freeze the objects of earlier files, so that a collection, which ends every run here, does not scan them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


# The app gives up early so that a page stays quick; tests must not fail on a slow or busy machine.
PATIENT = {
    ("explorer.sandbox.layout", "PATIENCE"): 300.0,
    ("explorer.sandbox.layout", "ORDER"): ChildLimits(seconds=30.0, lasting=300.0, memory_mb=200.0, stays=True),
    ("explorer.sandbox.staying", "ORDER"): ChildLimits(seconds=8.0, lasting=300.0, memory_mb=200.0),
    ("explorer.workers.diagnoses", "ORDER"): ChildLimits(seconds=30.0, lasting=300.0, memory_mb=200.0),
    ("explorer.workers.second_run", "PATIENCE"): 300.0,
    ("explorer.workers.gradcheck", "PATIENCE"): 300.0,
    ("explorer.drawing.film", "SECONDS"): 30.0,
    ("explorer.drawing.moments", "SECONDS"): 30.0,
}


@pytest.fixture(autouse=True, scope="session")
def _patience() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for (module, name), patient in PATIENT.items():
            patch.setattr(import_module(module), name, patient)
        yield


def pytest_terminal_summary(terminalreporter) -> None:
    if BROWSER is None:
        terminalreporter.write_line("No Chromium was found: the tests in a browser were skipped.", yellow=True)


def pytest_xdist_auto_num_workers(config) -> int:
    """Return one worker per processor (two to four) for the whole suite; a part starts sooner in one process."""
    whole = config.args_source is config.ArgsSource.TESTPATHS and not config.option.keyword
    return max(2, min(4, os.cpu_count() or 2)) if whole else 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items: list[pytest.Item]) -> None:
    """Mark journeys; with several workers, keep a file's tests together.

    A file of more than MANY tests is split in two, so that none runs alone at the end. A case's tests, which may share
    its recording, stay together.

    With several workers, a failing journey or cluster test is repeated up to twice and named in the last lines, since
    the machine may have stalled. Without workers, and in the default command, every failure counts.
    """
    _leave_to_thorough(items)
    for item in items:
        if _file(item) in SLOW:
            item.add_marker(pytest.mark.slow)
        if _in_browser(item):
            if _file(item) != SMOKE:
                item.add_marker(pytest.mark.journeys)
            if BROWSER is None:
                item.add_marker(pytest.mark.skip(reason="no Chromium was found"))
    if not hasattr(config, "workerinput"):
        return
    groups = dict.fromkeys(WITH_FOLDER, "folder")
    sizes = Counter(map(_file, items))
    for item in items:
        file, case = _file(item), item.nodeid.partition("[")[2]
        half = f" {crc32(case.encode()) % 2}" if sizes[file] > MANY else ""
        item.add_marker(pytest.mark.xdist_group(groups.get(file, file + half)))
        if item.get_closest_marker("journeys") or item.get_closest_marker("cluster"):
            item.add_marker(pytest.mark.flaky(reruns=2))
    items.sort(key=_turn)


def _leave_to_thorough(items: list[pytest.Item]) -> None:
    """Mark all cases of a test with `sampled(n)` as thorough but the first and every nth after it."""
    counts: Counter[str] = Counter()
    for item in items:
        if sampled := item.get_closest_marker("sampled"):
            test = item.nodeid.partition("[")[0]
            if counts[test] % sampled.args[0]:
                item.add_marker(pytest.mark.thorough)
            counts[test] += 1


def _in_browser(item: pytest.Item) -> bool:
    return "browser" in PurePath(_file(item)).parts


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _turn(item: pytest.Item) -> int:
    return next((turn for turn, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST))


@pytest.fixture(autouse=True)
def _no_mode_is_left() -> Iterator[None]:
    """Fail the test that leaves a torch mode active instead of a later one."""
    yield
    if "torch" in sys.modules:
        from torch.overrides import _get_current_function_mode_stack

        assert not _get_current_function_mode_stack()
