"""Run Python as if on another system: `python -m tests.elsewhere win32 -m explorer run program.py`."""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from missing_names import SYSTEMS
from taken_away import NEEDED, in_mode

if len(sys.argv) < 3 or sys.argv[1] not in SYSTEMS:
    sys.exit(f"python -m tests.elsewhere {'|'.join(SYSTEMS)} (-m MODULE | FILE) ...")
environment = os.environ | (NEEDED if sys.argv[1] == "win32" else {})
os.execve(sys.executable, [sys.executable, *sys.argv[2:]], in_mode(sys.argv[1], environment))
