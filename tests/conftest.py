"""What all tests share: whether there is a browser, and how many run side by side.

Without a browser what needs it is left out, and the last lines say so.
"""

import gc
import os
import shutil
from collections import Counter
from pathlib import PurePath

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OF_OTHERS = ("tests/sandbox/test_cluster.py",)  # beside journeys: what waits for processes of others on a busy machine
FIRST = ("tests/browser", "tests/sandbox", "tests/ui", "tests/test_views.py")  # they last longest

collect_ignore = [] if BROWSER else ["browser"]


@pytest.fixture(autouse=True, scope="module")
def _young_heap() -> None:
    """What the files before left is no more looked at: a collection, which every run here ends with, took up to 1 s."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


def pytest_terminal_summary(terminalreporter) -> None:
    if BROWSER is None:
        terminalreporter.write_line("No Chromium was found: tests/browser is left out.", yellow=True)


def pytest_xdist_auto_num_workers(config) -> int:
    """For the whole suite as many as processors: more make journeys in a browser late. A part starts sooner alone."""
    whole = config.args_source is config.ArgsSource.TESTPATHS and not config.option.keyword
    return max(2, min(4, os.cpu_count() or 2)) if whole else 0


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items: list[pytest.Item]) -> None:
    """Side by side the tests of a file stay together; those in a browser are two groups, each with its own server.

    Side by side a click can come while a page is being replaced: a journey that fails is made once more, and the last
    lines name it. Alone each counts at once.
    """
    if not hasattr(config, "workerinput"):
        return
    in_browser = Counter(_file(item) for item in items if "browser" in PurePath(_file(item)).parts)
    halves = Counter({"browser 1": 0, "browser 2": 0})
    groups = {}
    for file, count in in_browser.most_common():
        groups[file] = min(halves, key=halves.get)
        halves[groups[file]] += count
    for item in items:
        item.add_marker(pytest.mark.xdist_group(groups.get(_file(item), _file(item))))
        if _file(item) in groups or _file(item) in OF_OTHERS:
            item.add_marker(pytest.mark.flaky(reruns=1))
    items.sort(key=_turn)


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]


def _turn(item: pytest.Item) -> int:
    return next((turn for turn, start in enumerate(FIRST) if item.nodeid.startswith(start)), len(FIRST))
