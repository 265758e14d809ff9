"""A machine without writable folders: programs, plots and pictures work, and `doctor` reports it."""

import json
import os
import subprocess
import sys

import pytest

from tests.patience import PATIENT

# In a separate mount namespace, without earlier caches and with all file systems read-only.
NAMESPACE = ["unshare", "--mount", *(["--map-root-user"] if os.name == "posix" and os.getuid() else [])]
READ_ONLY = """
mount --make-rprivate /
[ -d ~/.cache ] && mount -t tmpfs none ~/.cache
while read -r _ at _; do [ "$at" = /proc ] || mount -o remount,bind,ro "$at"; done < /proc/self/mounts 2> /dev/null
for place in /tmp /var/tmp /dev/shm . ~; do touch $place/written 2> /dev/null && exit 99; done
exec "$@"
"""


def without_folders(*arguments: str, program: str = "", **variables: str) -> subprocess.CompletedProcess:
    """Run the command line without any writable folder."""
    done = subprocess.run(
        [*NAMESPACE, "bash", "-c", READ_ONLY, "-", sys.executable, "-B", "-m", "explorer", *arguments],
        **{"input": program, "env": os.environ | variables, "timeout": PATIENT, "capture_output": True, "text": True},
    )
    if done.returncode == 99 or "unshare failed" in done.stderr or done.stderr.startswith("mount:"):
        pytest.skip("this machine does not let the test make its folders read-only")
    return done


@pytest.mark.skipif(sys.platform != "linux", reason="mount namespaces are Linux's")
@pytest.mark.thorough
def test_doctor_reports_missing_folders_and_working_features():
    done = without_folders("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert "runs programs: yes" in done.stdout and "lays out graphs: yes" in done.stdout
    assert (
        "temporary files: no writable folder" in done.stdout
        and "cache for the next start: no writable folder" in done.stdout
    )


@pytest.mark.skipif(sys.platform != "linux", reason="mount namespaces are Linux's")
@pytest.mark.thorough
def test_a_program_plots():
    plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.title('α')"
    done = without_folders("run", "-", "--json", program=plot)
    assert done.returncode == 0
    assert [one["kind"] for one in json.loads(done.stdout)["cells"][0]["outputs"]] == ["echo", "figure"]
    assert done.stderr == ""
