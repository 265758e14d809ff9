"""What all tests share: whether there is a browser, and how many run side by side.

Without a browser what needs it is left out, and the head says so.
"""

import os
import shutil

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

collect_ignore = [] if BROWSER else ["browser"]


def pytest_report_header() -> str:
    return f"browser: {BROWSER}" if BROWSER else "browser: none found, tests/browser is left out"


def pytest_xdist_auto_num_workers(config) -> int:
    """Two or more for the whole suite, by file; a part of it starts sooner without."""
    whole = config.args_source is config.ArgsSource.TESTPATHS and not config.option.keyword
    return max(2, min(4, os.cpu_count() or 2)) if whole else 0
