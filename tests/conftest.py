"""What all tests share: whether there is a browser, and how many run side by side.

Without a browser what needs it is left out, and the last lines say so.
"""

import os
import shutil

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

collect_ignore = [] if BROWSER else ["browser"]


def pytest_terminal_summary(terminalreporter) -> None:
    if BROWSER is None:
        terminalreporter.write_line("No Chromium was found: tests/browser is left out.", yellow=True)


def pytest_xdist_auto_num_workers(config) -> int:
    """Two or more for the whole suite, by file; a part of it starts sooner without."""
    whole = config.args_source is config.ArgsSource.TESTPATHS and not config.option.keyword
    return max(2, min(4, os.cpu_count() or 2)) if whole else 0
