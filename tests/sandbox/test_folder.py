"""A folder of the user's machine, opened to the user's programs: what they can reach, and nothing else."""

import os
import subprocess
import sys
import tempfile
from errno import EFBIG
from pathlib import Path

import msgspec
import pytest

import explorer
from explorer.analysis.diagnose.errors.replies import explain
from explorer.analysis.diagnose.messages import finding_text
from explorer.program import CellSource, Program, Unusable, encode_request
from explorer.sandbox import CannotOpen, Confinement, Opened, default_runner, probe
from explorer.sandbox.access import environment_access, opened, own_folder, possible, started_at, variables
from explorer.sandbox.parent import Parent
from explorer.sandbox.preloaded_process import search_path
from explorer.sandbox.protocol import ChildLimits
from explorer.text import LANGUAGES
from explorer.trace import MAX_BYTES, Options, Refusal, Trace, decode
from tests.patience import PATIENT

pytestmark = pytest.mark.skipif(not possible(), reason="this machine cannot open a folder")

RAW = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def opens(path, flags=0):
    return libc.open(os.fsencode(path), flags, 0o600) >= 0
new, write = os.O_CREAT | os.O_WRONLY, os.O_WRONLY
"""  # a program that continues outside of Python


@pytest.fixture
def tmp_path():
    """Not below /tmp, which is private memory for a program."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as made:
        yield Path(made)


@pytest.fixture
def folder(tmp_path) -> Path:
    made = tmp_path / "有 空格"
    (made / "data").mkdir(parents=True)
    (made / "data" / "train.csv").write_text("x,y\n1,2\n3,4\n")
    (made / "数据.txt").write_text("你好")
    (made / "helper.py").write_text("def double(x):\n    return x * 2\n")
    (made / "out").symlink_to(tmp_path / "secret.txt")
    (made / "inside").symlink_to(made / "数据.txt")
    os.mkfifo(made / "pipe")
    with open(made / "sparse.bin", "wb") as file:
        file.truncate(1_000_000_000)
    (tmp_path / "secret.txt").write_text("secret")
    (tmp_path / "secret.txt").chmod(0o666)
    tmp_path.chmod(0o777)
    return made


def ran(given: Opened, *cells: str, like: Trace | None = None) -> Trace:
    program = Program([CellSource(cell) for cell in cells])
    return default_runner().submit(program, Options(memory_limit=400), opened=given, like=like).result(PATIENT).check()


def answers(trace: Trace) -> list:
    assert trace.status == "ok", trace.cells
    return [eval(one.text) for cell in trace.cells for one in cell.outputs]


@pytest.mark.thorough
def test_an_environment_in_the_folder_holds_libraries_and_no_files_of_the_program(folder):
    packages = folder / "venv" / "lib" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "library.py").write_text("def three():\n    return 3\n")
    trace = ran(
        opened(str(folder)), f"import sys; sys.path.append({str(packages)!r})", "import library; library.three()"
    )
    assert answers(trace) == [3] and len(trace.cells) == 2  # helper.py would be a third cell


@pytest.mark.thorough
def test_a_program_can_read_its_folder_by_any_path_and_library(folder):
    cells = [
        "import os, glob, pathlib, pandas as pd, helper; os.getcwd(), sorted(os.listdir())",
        "sorted(glob.glob('**/*.csv', recursive=True)), sorted(str(p) for p in pathlib.Path('.').glob('*'))",
        f"int(pd.read_csv('data/train.csv').y.sum()), len(pd.read_csv({str(folder / 'data/train.csv')!r}))",
        "open('数据.txt').read(), open('inside').read(), helper.double(3)",
        "os.chdir('data'); open('../数据.txt').read(), os.path.getsize('train.csv'), os.listdir()",
        "open('../sparse.bin', 'rb').read(3), [os.path.isdir('../data'), os.path.exists('../nothing')]",
    ]
    whole = ["data", "helper.py", "inside", "out", "pipe", "sparse.bin", "数据.txt"]
    assert answers(ran(opened(str(folder)), *cells)) == [
        (str(folder), whole),
        (["data/train.csv"], whole),
        (6, 2),
        ("你好", "你好", 6),
        ("你好", 12, ["train.csv"]),
        (b"\0\0\0", [True, False]),
    ]


@pytest.mark.thorough
def test_torch_loads_a_model_of_the_folder_and_maps_it(folder):
    assert ran(opened(str(folder), write=True), "torch.save({'w': torch.ones(3)}, 'model.pt')").status == "ok"
    found = ran(
        opened(str(folder)), "float(torch.load('model.pt')['w'].sum() + torch.load('model.pt', mmap=True)['w'][0])"
    )
    assert answers(found) == [4.0]


def test_a_programs_writes_cover_the_folder_and_vanish_after_the_run(folder):
    before = sorted(os.listdir(folder)), (folder / "data/train.csv").read_bytes()
    cells = [
        "import os, shutil\nopen('new.txt', 'w').write('a'); open('data/train.csv', 'a').write('5,6\\n')",
        "open('new.txt').read(), open('data/train.csv').read()[-4:], 'new.txt' in os.listdir(), os.listdir('data')",
        "os.remove('helper.py'); os.rename('数据.txt', 'data/b.txt')\n"
        "os.path.exists('helper.py'), sorted(os.listdir('data'))",
        "shutil.rmtree('data'); os.makedirs('data/c'); os.listdir('data'), os.path.exists('数据.txt')",
    ]
    trace = ran(opened(str(folder)), *cells)
    assert answers(trace)[2:] == [("a", "5,6\n", True, ["train.csv"]), (False, ["b.txt", "train.csv"]), (["c"], False)]
    assert (sorted(os.listdir(folder)), (folder / "data/train.csv").read_bytes()) == before


@pytest.mark.thorough
def test_write_access_is_limited_to_the_folder(folder):
    cells = [
        "import os\nos.makedirs('runs/1'); torch.save(torch.ones(2), 'runs/1/w.pt'); len(os.listdir('runs'))",
        "import pandas as pd; pd.DataFrame({'a': [1]}).to_csv('a.csv'); os.rename('a.csv', 'b.csv')",
        "os.remove('helper.py'); 0",
        "with open('large.bin', 'wb') as file:\n    whole = file.truncate(10**10)\n    try: file.truncate(10**10 + 1)\n"
        "    except OSError as bound: found = bound.errno\nos.remove('large.bin'); found",
        "open('/tmp/elsewhere.txt', 'w').write('b')",  # written to the run's private memory
    ]
    assert answers(ran(opened(str(folder), write=True), *cells)) == [1, 0, EFBIG, 1]
    assert (folder / "runs/1/w.pt").stat().st_size > 100 and (folder / "b.csv").exists()
    assert not (folder / "helper.py").exists() and not Path("/tmp/elsewhere.txt").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("write", [False, True])
def test_native_code_reaches_nothing_outside(folder, write):
    """Reading inside works, writing only on request; `..`, absolute paths and links lead nowhere."""
    secret = str(folder.parent / "secret.txt")
    other, top = str(folder.parent / "made.txt"), str(folder.parent.parent / "made.txt")
    cell = f"""{RAW}
inside = [opens("data/train.csv"), opens({str(folder)!r}), opens("data/train.csv", write), opens("made.txt", new)]
beside = [opens(".."), opens("../made.txt", new), libc.mkdir(b"../made", 0o700) == 0, os.path.exists({secret!r})]
read = {secret!r}, "../secret.txt", "out", "../..", "/etc/passwd", "/etc", "/proc/self/maps", "/"
outside = [*map(opens, read), *(opens(one, write) for one in ({secret!r}, "out", {top!r}, "../../made.txt"))]
outside += [opens("../../made.txt", new), opens({top!r}, new), opens({secret!r}, os.O_TRUNC)]
outside += [opens({secret!r}, os.O_PATH)]
outside += [libc.unlink(os.fsencode({secret!r})) == 0, libc.rename(os.fsencode({secret!r}), b"mine") == 0]
outside += [libc.rename(b"data/train.csv", os.fsencode({other!r})) == 0]
outside += [libc.link(os.fsencode({secret!r}), b"hard") == 0, libc.symlink(b"/etc", b"soft") == 0]
outside += [libc.truncate(os.fsencode({secret!r}), 0) == 0, libc.chmod(os.fsencode({secret!r}), 0) == 0]
outside += [libc.mkdir(os.fsencode({other!r}), 0o700) == 0, libc.mknod(b"node", 0o600, 0) == 0]
outside += [libc.socket(*kind, 0) >= 0 for kind in ((1, 1), (2, 1), (2, 2), (10, 1), (16, 3))]
inside, any(outside), beside, outside"""
    (found,) = answers(ran(opened(str(folder), write), cell))
    assert found[:2] == ([True] * 4, False), found
    assert found[2] == [not write] * 3 + [write]  # the parent folder is in memory, or refused
    assert (folder / "made.txt").exists() == write
    assert (folder.parent / "secret.txt").read_text() == "secret" and not os.path.exists(other)


@pytest.mark.thorough
def test_network_access_is_opt_in_and_excludes_local_sockets(folder):
    cell = RAW + "[libc.socket(*kind, 0) >= 0 for kind in ((2, 1), (10, 2), (1, 1), (16, 3))], opens('data/train.csv')"
    assert answers(ran(Opened(network=True), cell)) == [([True, True, False, False], False)]
    given = opened(str(folder), network=True)
    found = ran(given, cell)
    assert answers(found) == [([True, True, False, False], True)]
    assert answers(ran(Opened(), cell, like=found)) == [([False] * 4, True)]  # a trial run of a change


@pytest.mark.thorough
def test_a_trial_run_of_a_fix_cannot_write(folder):
    given = opened(str(folder), write=True)
    trace = ran(given, "len(open('data/train.csv').read())")
    tried = ran(
        Opened(), "open('tried.txt', 'w').write('a')", "open('tried.txt').read()", RAW + "opens('raw', new)", like=trace
    )
    assert answers(tried) == [1, "a", True]
    assert not (folder / "tried.txt").exists() and not (folder / "raw").exists()
    again = ran(given, "open('again.txt', 'w').write('a')", like=trace)  # although the folder is open
    assert answers(again) == [1] and not (folder / "again.txt").exists()
    forged = ran(Opened(), "1")  # a run without a folder opens none to its trials
    assert ran(Opened(), "open('data/train.csv')", like=forged).status == "error"


def test_a_run_without_a_folder_cannot_see_others(folder):
    path = str(folder / "数据.txt")
    assert answers(ran(opened(str(folder)), f"open({path!r}).read()")) == ["你好"]
    assert answers(ran(Opened(), RAW + f"opens({path!r})")) == [False]
    program = Program([CellSource(RAW + f"opens({path!r})")], folder=opened(str(folder)).of_run())
    assert answers(default_runner().submit(program).result(PATIENT)) == [False]  # a program's own claim is ignored


def test_refusals_in_the_folder_report_the_reason(folder):
    names = ["out", "data", "data/trian.csv", "../secret.txt", "../made/trian.csv", "/etc/passwd"]
    cells = ["import os; os.mkdir('../made')", *(f"open({name!r})" for name in names)]
    trace = ran(opened(str(folder)), *cells)
    errors = [(one.type, one.folder, one.outside) for cell in trace.cells[1:] for one in cell.outputs]
    assert errors == [
        ("FileNotFoundError", str(folder), True),
        ("IsADirectoryError", "", False),
        ("FileNotFoundError", str(folder), False),
        ("FileNotFoundError", str(folder), True),
        ("FileNotFoundError", str(folder), False),
        ("PermissionError", str(folder), True),
    ]


def test_outside_its_folder_a_program_writes_to_memory_and_cannot_see_the_disk(folder):
    (folder.parent / "data").mkdir()
    (folder.parent / "data" / "real.csv").write_text("a\n1\n")
    cells = [
        "import os, pandas as pd; os.makedirs('../data', exist_ok=True); os.listdir('..') == ['data', '有 空格']",
        "pd.DataFrame({'a': [3]}).to_csv('../data/x.csv'); int(pd.read_csv('../data/x.csv').a[0])",
        "os.listdir('../data')",
        "os.chdir('../data'); open('../有 空格/数据.txt').read(), os.path.exists('../secret.txt')",
    ]
    assert answers(ran(opened(str(folder)), *cells)) == [True, 3, ["x.csv"], ("你好", False)]
    assert os.listdir(folder.parent / "data") == ["real.csv"] and "made" not in os.listdir(folder.parent)


def test_libraries_next_to_the_folder_are_readable_but_not_writable():
    """Such as an environment, or this checkout, next to the program."""
    beside = "import explorer.sandbox.own_files as module; path = module.__file__\n"
    above = Path(explorer.__file__).parents[1]
    with tempfile.TemporaryDirectory(dir=above) as made:
        os.chmod(made, 0o755)
        found = ran(own_folder(f"{made}/train.py"), f"{beside}{RAW}opens(path), opens(path, write)", "import torch.fx")
    assert answers(found) == [(True, False)]


def test_write_access_to_the_parent_folder_is_refused(folder):
    cells = ["open('out')", "import os; os.makedirs('../data', exist_ok=True)"]
    told = [cell.outputs[-1] for cell in ran(opened(str(folder), write=True), *cells).cells]
    assert [one.reason for one in told if isinstance(one, Refusal)] == ["outside", "file"]


def test_a_file_outside_the_folder_is_explained_by_the_folder_and_a_missing_one_in_it_is_not(folder):
    trace = ran(opened(str(folder)), "open('../nothing.csv').read()", "open('nothing.csv')", "open('/proc/meminfo')")
    outside, inside, machine = (explain(trace, cell, trace.cells[cell].outputs[-1]) for cell in (0, 1, 2))
    assert machine.values["repository"] == "system"
    assert (outside.kind, outside.values["folder"], inside) == ("file-outside-folder", str(folder), None)
    assert all(finding_text(lang, outside, "cause") for lang in LANGUAGES)


def test_a_folder_is_accessible_by_its_owners_path(folder):
    link = folder.parent / "link"
    link.symlink_to(folder)
    cell = f"open({str(link / '数据.txt')!r}).read(), open('数据.txt').read()"
    assert answers(ran(opened(str(link)), cell)) == [("你好", "你好")]


@pytest.mark.parametrize("write, network", [(False, False), (True, True)])
def test_a_child_with_a_folder_is_fully_confined(folder, write, network):
    """Both halves in a real process: everything of "full", except for an open network."""
    code = (
        "import os, sys, msgspec\nfrom explorer.sandbox.confine import ChildLimits, confine, settle\n"
        "answer = os.dup(1)\n"
        "null, (write, network) = os.open(os.devnull, os.O_RDWR), map(bool, map(int, sys.argv[2:]))\n"
        "settled = settle(serving=False, files=True, network=network)\n"
        "order = ChildLimits(10.0, 10.0, 200.0, 16.0, write, network, folder=sys.argv[1])\n"
        "held = confine(settled, [answer], null, order, os.open('.', os.O_RDONLY))\n"
        "os.write(answer, msgspec.json.encode(held))\nos._exit(0)"
    )
    command = [sys.executable, "-c", code, str(folder), str(int(write)), str(int(network))]
    done = subprocess.run(command, capture_output=True, env=search_path(), timeout=PATIENT, check=True)
    held = msgspec.json.decode(done.stdout, type=Confinement)
    assert held == msgspec.structs.replace(probe(), namespaces=probe().namespaces and not network)


@pytest.mark.thorough
def test_a_parent_that_is_refused_landlock_opens_no_folder_and_no_file(folder):
    parent = Parent("explorer.runtime.child", without={"landlock"})
    folder_of_run = opened(str(folder)).of_run()
    request = encode_request(Program([CellSource(RAW + "opens('data/train.csv')")], folder=folder_of_run), Options())
    answer = parent.call(request, ChildLimits(20.0, 60.0, 400.0), MAX_BYTES, folder_of_run).wait()
    parent.close()
    assert answer.outcome != "reply" or "True" not in str(decode(answer.reply).cells)


def test_a_folder_that_cannot_be_opened_reports_the_reason(folder, monkeypatch):
    def why(*wish) -> str:
        with pytest.raises(CannotOpen) as problem:
            opened(*wish)
        return problem.value.kind

    kinds = [why(one) for one in ("/", str(folder / "nothing"), f"{folder}\0", str(folder / "helper.py"))]
    assert [*kinds, why("", True)] == ["everything", "missing", "missing", "file", "write"]
    assert environment_access({}) == Opened() and not own_folder("/program.py")
    found = opened(str(folder), write=True)
    assert environment_access(variables(found)) == found
    monkeypatch.setattr("explorer.sandbox.landlock.version", lambda: 0)
    assert why(str(folder)) == "landlock" and not own_folder(str(folder / "helper.py"))
    default_runner()  # create the shared runner first, so that it has no cluster
    monkeypatch.setenv("EXPLORER_SCHEDULER", "tcp://localhost:8786")
    assert why(str(folder)) == why("", False, True) == "elsewhere"
    monkeypatch.setenv("EXPLORER_HOSTED", "1")
    assert why(str(folder)) == why("", False, True) == "hosted" and not own_folder(str(folder / "helper.py"))
    with pytest.raises(Unusable):
        default_runner().submit(Program([CellSource("1")]), opened=found)


@pytest.fixture
def repository(tmp_path) -> Path:
    made = tmp_path / "repository"
    (made / "notebooks").mkdir(parents=True)
    (made / ".git").mkdir()
    (made / "data").mkdir()
    (made / "data" / "x.csv").write_text("a\n1\n")
    (made / "common.py").write_text("def half(x):\n    return x / 2\n")
    (made / "notebooks" / "train.py").write_text("")
    (tmp_path / "secret.txt").write_text("secret")
    return made


def test_a_program_in_an_open_repository_starts_in_its_own_folder(repository):
    own = str(repository / "notebooks")
    given = started_at(opened(str(repository)), f"{own}/train.py")
    cells = [
        "import os; os.getcwd(), os.listdir(), open('../data/x.csv').read(), 1",
        "import sys; sys.path.append('..'); import common; common.half(4)",
        "import pandas; _ = open('here.txt', 'w').write('a')\n"
        "int(pandas.read_csv('../data/x.csv').a[0]), sorted(os.listdir())",
    ]
    assert answers(ran(given, *cells)) == [(own, ["train.py"], "a\n1\n", 1), 2.0, (1, ["here.txt", "train.py"])]
    assert answers(ran(given, RAW + f"opens({str(repository.parent / 'secret.txt')!r})")) == [False]


def test_a_program_elsewhere_starts_in_the_folder_itself(repository):
    given = opened(str(repository / "notebooks"))
    assert started_at(given, str(repository / "other.py")) == given
    assert started_at(given, str(repository / "notebooks" / "train.py")) == given


def test_a_file_outside_the_open_folder_suggests_the_repository(repository):
    trace = ran(own_folder(str(repository / "notebooks/train.py")), "open('../data/x.csv')", "open('/else/where.csv')")
    near, far = (explain(trace, cell, trace.cells[cell].outputs[-1]) for cell in (0, 1))
    assert (near.kind, near.values["repository"]) == ("file-outside-folder", str(repository))
    assert (far.kind, far.values["repository"]) == ("file-outside-folder", "none")
    assert all(finding_text(lang, one, "repair") for one in (near, far) for lang in LANGUAGES)
