"""Try other versions of torch: `python tools/torch_versions.py [--suite] 2.8.0 2.15.0`.

For each version it creates an environment with the core of this checkout and runs the tests of a host. With `--suite`
it installs all that development needs, and runs the whole suite. It needs some GB and minutes per version, so it is not
part of the suite, which runs on the app's pinned version. Arguments after `--` go to pytest.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOST = ["-n", "0", "tests/runtime/test_hosts.py", "tests/runtime/test_hosts_identity.py"]


def tried(version: str, suite: bool, options: list[str]) -> bool:
    """Run the tests with a version of torch; return whether they pass."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = str(Path(folder, "bin", "python"))
        needed = requirements(version) if suite else [f"torch=={version}", "pytest", "pytest-xdist", str(ROOT)]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *needed], check=True)
        return subprocess.run([python, "-m", "pytest", *([] if suite else HOST), *options], cwd=ROOT).returncode == 0


def requirements(version: str) -> list[str]:
    """Return the development requirements with another version of torch."""
    names = "requirements.txt", "requirements-docs.txt", "requirements-dev.txt"
    lines = [line.partition("#")[0].strip() for name in names for line in (ROOT / name).read_text().splitlines()]
    pinned = [line for line in lines if line and not line.startswith("-r ")]
    return [f"torch=={version}" if line.startswith("torch==") else line for line in pinned]


if __name__ == "__main__":
    given, _, options = " ".join(sys.argv[1:]).partition(" -- ")
    versions = [one for one in given.split() if one != "--suite"]
    failed = [one for one in versions if not tried(one, "--suite" in given.split(), options.split())]
    print(f"tests failed on torch {', '.join(failed)}" if failed else "all tests passed")
    sys.exit(bool(failed))
