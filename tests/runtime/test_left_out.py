"""A library that cannot be imported is left out silently: programs run, and `doctor` explains it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENT

LIBRARIES = {
    "einops": "import os\nos.write(2, b'registered twice')\nprint('noise')\nraise RuntimeError('built for 1.0')",
    "sklearn": "import os, signal\nos.write(1, b'terminate called')\nos.kill(os.getpid(), signal.SIGSEGV)",
    "torchvision": "",
    "PIL": "",
}
ASKED = """
import sys
sys.path.insert(0, sys.argv[1])
from explorer.runtime import optional_libraries as extras
print(extras.left_out())
print([extras.installed(name) for name in ("einops", "sklearn", "PIL")])
extras.preload_extras()
"""


@pytest.mark.thorough
def test_a_library_that_fails_or_ends_the_process_is_left_out(tmp_path):
    for name, source in LIBRARIES.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    environment = os.environ | {"EXPLORER_CAUTIOUS": "1", "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", ASKED, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=PATIENT)
    told, found = done.stdout.splitlines()
    assert told == "['sklearn: SIGSEGV', 'einops: RuntimeError: built for 1.0']"
    assert found == "[False, False, True]"
    assert (done.returncode, done.stderr) == (0, "")
