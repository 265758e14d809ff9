"""The files a host starts from: rules that hold in their text, because no test builds an image or a machine."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from explorer.ui.frame import server

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNIT = (DEPLOY / "systemd/explorer@.service").read_text(encoding="utf-8")


def instructions() -> list[tuple[str, str]]:
    """Return the container file's instructions and arguments, continued lines joined."""
    text = re.sub(r"\\\n\s*", "", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [tuple(line.split(" ", 1)) for line in lines]


def last_stage() -> list[tuple[str, str]]:
    """Return the instructions of the final image: everything from the last FROM on."""
    begins = max(i for i, (word, _) in enumerate(instructions()) if word == "FROM")
    return instructions()[begins:]


def linted(*command: str | Path) -> str:
    """Return a linter's findings, or ""."""
    program = shutil.which(str(command[0]), path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        pytest.skip(f"{command[0]} is missing: it is in requirements-dev.txt")
    done = subprocess.run([program, *command[1:]], capture_output=True, text=True)
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.thorough
def test_linters_accept_the_deployment_files(tmp_path):
    assert linted("hadolint", "--no-color", DEPLOY / "Dockerfile") == ""
    schema = ("check-jsonschema", "--builtin-schema", "vendor.compose-spec")
    assert linted(*schema, DEPLOY / "compose.yaml") == ""
    assert linted("hadolint", "--no-color", DEPLOY / "space/Dockerfile") == ""
    workflows = sorted((ROOT / ".github/workflows").glob("*.yml"))
    assert linted("check-jsonschema", "--builtin-schema", "vendor.github-workflows", *workflows) == ""

    root, misspelt = tmp_path / "Dockerfile", tmp_path / "compose.yaml"
    root.write_text((DEPLOY / "Dockerfile").read_text().replace("apt-get install -y", "sudo apt-get install"))
    assert "DL3004" in linted("hadolint", "--no-color", root)
    misspelt.write_text((DEPLOY / "compose.yaml").read_text().replace("read_only: true", "readonly: true"))
    assert "readonly" in linted(*schema, misspelt)


def test_the_image_runs_as_an_ordinary_user_without_a_compiler_and_asks_whether_programs_can_run():
    stage = dict(last_stage())
    assert stage["USER"] == "10001:10001"
    assert f"{server.READY}'" in stage["HEALTHCHECK"] and "CMD" in stage
    installed = " ".join(rest for word, rest in last_stage() if word == "RUN")
    assert "libseccomp2" in installed and "--no-install-recommends" in installed
    assert not re.search(r"gcc|g\+\+|build-essential|clang|make|curl|sudo", installed)
    assert not any(word == "ADD" for word, _ in instructions())
    assert all(re.search(r":[\w.-]+\d", rest) for word, rest in instructions() if word == "FROM")  # each with a version
    assert not any(re.search(r"(?i)secret|password|token", rest) for _, rest in instructions())


def test_hosts_install_our_pinned_requirements_with_hashes():
    pinned = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / "requirements.txt").read_text(), re.M))
    found: dict[str, str] = {}
    for name in ("requirements.txt", "requirements-torch.txt"):
        text = (DEPLOY / name).read_text()
        entries = re.sub(r"\\\n", "", re.sub(r"^#.*\n", "", text, flags=re.M)).splitlines()
        assert entries and "://" not in text and "/root" not in text
        for entry in entries:
            assert re.fullmatch(r"[a-z0-9-]+==\S+( +; .*?)?( +--hash=sha256:[0-9a-f]{64})+", entry), entry[:80]
            found |= [entry.split()[0].split("==")]
    plain = {re.sub(r"[._]", "-", name).lower(): version for name, version in pinned.items()}
    assert {name: found.get(name) for name in plain} == plain
    installed = [rest for word, rest in instructions() if word == "RUN" and "pip install" in rest]
    assert len(installed) == 1 and installed[0].count("--require-hashes") == 2


def test_the_image_contains_exactly_the_apps_files():
    copied = {rest.split()[0] for word, rest in last_stage() if word == "COPY" and "--from" not in rest}
    assert copied == {"app.py", ".streamlit", "pages", "lessons", "explorer"}
    space = (DEPLOY / "space/Dockerfile").read_text()
    assert copied == set(re.findall(r"^COPY (\S+) /app/", space, re.M))
    assert "USER 1000:1000" in space and "--server.port=7860" in space
    allowed = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert allowed[0] == "*" and {f"!{name}" for name in copied} <= set(allowed)
    assert all((ROOT / name).exists() for name in copied)


def test_containers_are_read_only_unprivileged_and_limited():
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    for parts in (text[: text.index("services:")], text[text.index("  proxy:") :]):
        for rule in ("read_only: true", "cap_drop: [ALL]", "no-new-privileges:true", "mem_limit:", "pids_limit:"):
            assert rule in parts, rule
    assert "privileged: true" not in text and "docker.sock" not in text and "seccomp:unconfined" not in text
    assert "internal: true" in text
    mounted = re.findall(r"- \./(nginx\S*?):", text)
    assert mounted and all((DEPLOY / place).exists() for place in mounted)
    apps = set(re.findall(r"ipv4_address: (\S+\.1\d)\n", text))
    for name in ("instances.conf", "all_instances.conf"):
        assert set(re.findall(r"server (\S+):8501", (DEPLOY / "nginx/compose" / name).read_text())) == apps


def test_the_unit_allows_the_confinement_calls_and_restricts_the_server():
    allowed = " ".join(re.findall(r"^SystemCallFilter=([^~\n]*)", UNIT, re.M)).split()
    assert {"seccomp", "unshare", "mount", "capset", "landlock_restrict_self", "setrlimit"} <= set(allowed)
    assert "User=explorer" in UNIT and "CapabilityBoundingSet=\n" in UNIT and "IPAddressDeny=any" in UNIT


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing: package systemd")
def test_systemd_reads_the_unit_and_finds_it_little_exposed(tmp_path):
    here = UNIT.replace("/opt/explorer/current/venv/bin/python", "/bin/true")  # a program that exists here
    unit = tmp_path / "explorer@8501.service"
    unit.write_text(re.sub(r"(User|Group)=explorer", r"\1=games", here))
    read = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert [line for line in read.stderr.splitlines() if "explorer@8501" in line] == []
    judged = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", unit], capture_output=True, text=True
    ).stdout
    assert float(re.search(r"Overall exposure level\D*8501\D*([\d.]+)", judged)[1]) < 3


def test_waiting_for_an_instance_reports_why_it_is_not_ready(capsys):
    waiting = runpy.run_path(str(DEPLOY / "until_ready.py"))["main"]
    assert waiting("9", "0.1") == 1  # an unused port
    assert "the instance at port 9 is not ready: no answer" in capsys.readouterr().err
