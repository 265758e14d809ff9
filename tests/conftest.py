"""What all tests share: whether there is a browser. Without one, the tests that need it are left out, and it is said."""

import shutil

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

collect_ignore = [] if BROWSER else ["browser"]


def pytest_report_header() -> str:
    return f"browser: {BROWSER}" if BROWSER else "browser: none found, tests/browser is left out"
