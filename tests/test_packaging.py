"""`pip install`: a core with version ranges, the app, and both with the exact pins."""

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import explorer
from explorer.cli.main import main
from explorer.extras import NEEDS, need
from explorer.paths import site
from explorer.ui.frame.navigation import file_of
from explorer.ui.session.addresses import PAGES
from tests.traces import trace_of

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CORE = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
OURS = {"autograd-explorer"}  # an extra that includes another
PINS = {
    pin.name: next(iter(pin.specifier)).version
    for pin in map(Requirement, (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines())
}


def test_the_apps_pinned_versions_are_within_the_ranges():
    asked = {
        one.name: one for one in map(Requirement, [*CORE, *EXTRAS["draw"], *EXTRAS["app"]]) if one.name not in OURS
    }
    assert asked.keys() == PINS.keys()
    assert [name for name, one in asked.items() if PINS[name] not in one.specifier] == []


def test_the_tested_cluster_version_is_within_its_range():
    pinned = {one.name: one for one in requirements("requirements-dev.txt")}
    for wanted in map(Requirement, EXTRAS["cluster"]):
        assert next(iter(pinned[wanted.name].specifier)).version in wanted.specifier


def requirements(file: str) -> list[Requirement]:
    """Return the packages a pin file names itself, without included files."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    return [Requirement(line) for line in lines if not line.startswith("-r")]


def distributions(extra: str) -> set[str]:
    """Return the packages that an extra installs on this system, including nested extras."""
    found = set()
    for one in map(Requirement, EXTRAS[extra]):
        if one.marker is None or one.marker.evaluate():
            found |= set().union(*map(distributions, one.extras)) if one.name in OURS else {one.name}
    return found


def test_an_extra_installs_its_required_modules():
    of_module = packages_distributions()
    for extra in EXTRAS:
        assert {canonicalize_name(of_module[name][0]) for name in NEEDS[extra]} == distributions(extra)


def test_the_readme_names_the_required_and_tested_versions():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    tested = re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*)\]", workflow)[1])
    torch = next(Requirement(one) for one in CORE if one.startswith("torch"))
    assert PROJECT["project"]["requires-python"] == f">={tested[0]}" and "MIT" in PROJECT["project"]["license"]
    versions = f"Python {tested[0]} to {tested[-1]} · PyTorch {next(iter(torch.specifier)).version} or newer · MIT"
    assert versions in readme.splitlines()


def test_the_app_finds_its_files():
    assert (site() / "app.py").is_file()
    assert [one.name for one in PAGES if not file_of(one.name).is_file()] == []
    assert (site() / "lessons" / "course.toml").is_file()
    included = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert all((ROOT / source).exists() for source in included)
    assert {"app.py", "pages", ".streamlit", "lessons"} <= included.keys()


def test_the_app_command_accepts_streamlits_options(monkeypatch):
    begun = []
    monkeypatch.setattr(os, "execv", lambda path, words: begun.append(words))
    monkeypatch.setattr(os, "chdir", begun.append)
    main(["app", "--server.port=8502"])
    assert begun[0] == site() and begun[1][1:] == ["-m", "streamlit", "run", "app.py", "--server.port=8502"]


def test_other_commands_reject_streamlits_options(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--server.port=8502"])
    assert ended.value.code == 2 and "--server.port=8502" in capsys.readouterr().err


CORE_ALONE = """
import sys
for name in {missing}:
    sys.modules[name] = None
import torch, explorer
net = torch.nn.Linear(2, 1)
with explorer.record() as trace:
    loss = net(torch.ones(1, 2)).sum()
    loss.backward()
assert trace.report().sound and "loss" in str(trace.why("loss")) and len(explorer.compare(trace, trace).parameters) == 2
"""


@pytest.mark.thorough
def test_the_core_records_reports_and_explains_without_extras():
    """An extra's modules are not imported."""
    beside = [*NEEDS["app"], "distributed"]
    program = CORE_ALONE.replace("{missing}", repr(beside))
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


@pytest.fixture
def looked_for():
    """Look for extras again, before and after modules are hidden."""
    need.cache_clear()
    yield
    need.cache_clear()


def test_a_picture_without_its_extra_names_the_command_that_installs_it(looked_for, monkeypatch, tmp_path, capsys):
    trace = trace_of("a = torch.tensor(2., requires_grad=True)\n(a * a).backward()")
    explorer.save(trace, tmp_path / "a.trace")
    monkeypatch.setitem(sys.modules, "wasmtime", None)  # as if it were not installed
    monkeypatch.setenv("PATH", "")  # and without Graphviz's dot
    with pytest.raises(ImportError, match=r"wasmtime.*pip install \"\.\[draw\]\""):
        explorer.draw(trace)
    assert explorer.load(tmp_path / "a.trace")._repr_html_() is None  # a notebook shows its text
    assert main(["draw", str(tmp_path / "a.trace"), "-o", str(tmp_path / "a.svg")]) == 2
    assert '".[draw]"' in capsys.readouterr().err


@pytest.mark.parametrize("module", ["IPython", "re2", "tqdm"])  # pandas is often installed anyway
def test_a_program_without_the_app_names_the_command(module, looked_for, monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"{module}.*pip install \"\.\[app\]\""):
        explorer.run("x = 1")
    program = tmp_path / "a.py"
    program.write_text("x = 1", encoding="utf-8")
    for command in (["run", str(program)], ["report", str(program)], ["app"]):
        assert main(command) == 2
        assert '".[app]"' in capsys.readouterr().err


def test_the_help_lists_app_commands_only_with_the_app_installed(monkeypatch, capsys):
    def commands() -> str:
        with pytest.raises(SystemExit):
            main(["--help"])
        return capsys.readouterr().out

    assert "scheduler" in commands() and "lesson" in commands()
    monkeypatch.setitem(sys.modules, "streamlit", None)
    assert not {"scheduler", "worker", "lesson", "ask"} & set(commands().split())
