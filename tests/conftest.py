"""What all tests share: whether there is a browser. Without one, what needs it is left out, and the head says so."""

import shutil

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

collect_ignore = [] if BROWSER else ["browser"]


def pytest_report_header() -> str:
    return f"browser: {BROWSER}" if BROWSER else "browser: none found, tests/browser is left out"
