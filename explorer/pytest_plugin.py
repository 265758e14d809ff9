"""An option for pytest, which installs it with the package: `--update-gold` writes files of expected gradients."""

import os
from typing import Any

UPDATE = "EXPLORER_UPDATE_GOLD"  # read by explorer.testing, whose import takes longer than a session without it should


def pytest_addoption(parser: Any) -> None:
    """Add the option."""
    text = "write the files of explorer.testing.assert_same_gradients instead of comparing with them"
    parser.getgroup("autograd-explorer").addoption("--update-gold", action="store_true", help=text)


def pytest_configure(config: Any) -> None:
    """Pass the option on, also to worker processes."""
    if config.getoption("update_gold", default=False):
        os.environ[UPDATE] = "1"
