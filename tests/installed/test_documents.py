"""The installed package: the built files, each extra, and every command and block of the documents.

`python -m pytest -m installed` prints a table of it.
"""

import tarfile
import zipfile
from collections import Counter

import pytest

from tests.installed.documents import Reader, blocks
from tests.installed.environments import EXTRAS, ROOT, Environments, called

pytestmark = pytest.mark.installed

DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(set(ROOT.glob("docs/*.md")) - {ROOT / "docs" / "reference.md"}),  # its blocks are only signatures
    *sorted(ROOT.glob("docs/how-to/*.md")),
]
WITHOUT = {  # modules an environment must not have, since they would hide missing ones
    "core": ("wasmtime", "plotly", "pandas", "re2", "IPython", "streamlit", "distributed", "pytest"),
    "draw": ("plotly", "pandas", "re2", "IPython", "streamlit", "pytest"),
    "app": ("distributed", "pytest"),
    "cluster": ("pytest",),
}
RECORDED = """
import torch, explorer
net = torch.nn.Linear(2, 1)
with explorer.record() as trace:
    for _ in range(10):
        loss = net(torch.ones(1, 2)).square().sum()
        loss.backward()
assert trace.report().parameters and "loss" in str(trace.why("loss")) and str(trace.gradients())
explorer.save(trace, "run.trace"); explorer.save(trace, "run.json")
assert explorer.compare(explorer.load("run.trace"), trace).same
"""
DRAWN = (
    "picture = explorer.draw(trace); assert picture.positions and picture.svg() and picture.dot() and picture.html()"
)
WITH_EXTRA = {  # code that needs an extra, and the words of the sentence without it
    "draw": ("explorer.draw(trace)", "explorer draw run.trace -o run.svg"),
    "app": (
        "explorer.run('x = 1')",
        "explorer run run.py; explorer report run.md; explorer app; explorer open run.trace",
    ),
}
HAS = {"core": (), "draw": ("draw",), "app": ("draw", "app"), "cluster": ("draw", "app")}


@pytest.fixture(scope="session")
def environments(tmp_path_factory) -> Environments:
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if folder.name.startswith("popen-") else folder) / "environments"  # shared by all processes
    folder.mkdir(exist_ok=True)
    return Environments(folder)


def test_the_sdist_builds_the_checkouts_wheel_and_contains_nothing_else(environments):
    sdist, of_sdist, of_checkout = environments.built()
    first, second = (
        {one: file.read(one) for one in file.namelist()} for file in map(zipfile.ZipFile, (of_sdist, of_checkout))
    )
    assert first == second
    with tarfile.open(sdist) as file:
        tops = {name.split("/")[1] for name in file.getnames()}
    rooms = {"explorer", "app.py", "pages", ".streamlit", "lessons", "docs", "requirements.txt"}
    assert tops == rooms | {"README.md", "LICENSE", "pyproject.toml", "PKG-INFO", ".gitignore"}


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_has_its_features_and_names_other_missing_extras(extra, environments, tmp_path):
    python = environments.python(extra)

    missing = [name for name in WITH_EXTRA if name not in HAS[extra]]
    program = RECORDED + (DRAWN if "draw" in HAS[extra] else "") + "\ntrace = explorer.load('run.trace')\n"
    program += f"from importlib.util import find_spec\nassert not [one for one in {WITHOUT[extra]} if find_spec(one)]\n"
    for name, (code, _) in WITH_EXTRA.items():
        program += f"try: {code}\nexcept ImportError as e: print(e)\n" if name in missing else f"{code}\n"
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    said = [line for line in called(python, "program.py", cwd=tmp_path).splitlines() if "pip install" in line]
    assert len(said) == len(missing)
    assert all(f'".[{name}]"' in line for name, line in zip(missing, said, strict=True)), said
    (tmp_path / "run.py").write_text("x = 1", encoding="utf-8")
    (tmp_path / "run.md").write_text("```python\nx = 1\n```", encoding="utf-8")
    for name in missing:
        for command in filter(None, WITH_EXTRA[name][1].split("; ")):
            script = f"! {python} -m {command}"
            said = called("bash", "-c", script, cwd=tmp_path)
            assert f'".[{name}]"' in said and len(said.splitlines()) == 1, said


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_documents_commands_run_with_the_printed_output(path, environments, tmp_path, record_property):
    counts, wrong, found = Counter(), [], list(blocks(path))
    # While pip reinstalls a package it is missing, so no other document may run in that environment.
    installs = any("pip install" in block.code and not block.reason for block in found)
    reader = Reader(environments, tmp_path, f"-{path.stem}" if installs else "")
    for block in found:
        problem = "" if block.reason else reader.run(block)
        if problem:
            wrong.append(f"{path.name}:{block.line} in {block.where}: {problem}")
        if block.reason:
            record_property("not run", f"{path.name}:{block.line}: {block.reason}")
        if block.shown:
            counts[block.where or "nowhere", "failed" if problem else "skipped" if block.reason else "run"] += 1
    reader.close()
    for (where, what), count in counts.items():
        record_property("blocks", (where, path.relative_to(ROOT).as_posix(), what, count))
    assert not wrong, "\n\n".join(wrong)
