"""Shared fixtures of the worker tests."""

from pathlib import Path

import pytest

from explorer.sandbox import Runner
from explorer.workers import diagnoses


@pytest.fixture(scope="module")
def stuck():
    """Yield a runner whose other child hangs or lies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        patch.setattr(diagnoses, "ORDER", diagnoses.ORDER._replace(seconds=3.0))
        runner = Runner(layout_module="stuck_child")
        yield runner
        runner.close()
