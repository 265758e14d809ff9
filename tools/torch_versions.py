"""Try `record()` on other versions of torch: `python tools/torch_versions.py 2.8.0 2.15.0`.

For each version it creates an environment with the core of this checkout and runs the tests of a host. It needs some GB
and minutes per version, so it is not part of the suite, which runs on the app's pinned version.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ["tests/runtime/test_hosts.py"]


def tried(version: str) -> bool:
    """Whether the tests pass with that version of torch."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        install = [python, "-m", "pip", "install", "--quiet", f"torch=={version}", "pytest", "pytest-xdist", str(ROOT)]
        subprocess.run(install, check=True)
        return subprocess.run([python, "-m", "pytest", "-n", "0", *TESTS], cwd=ROOT).returncode == 0


if __name__ == "__main__":
    failed = [version for version in sys.argv[1:] if not tried(version)]
    print(f"record() failed on torch {', '.join(failed)}" if failed else "record() works on all of them")
    sys.exit(bool(failed))
