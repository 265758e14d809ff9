"""A program's own files, kept by the kernel: every usual way to write and read works, and nothing persists."""

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest

from explorer.program import CellSource, Program, with_file
from explorer.sandbox import Runner, default_runner, landlock
from explorer.sandbox.parent import Parent
from explorer.sandbox.spares import Spares
from explorer.trace import Failure, Limit, Options, Printed, Refusal, Trace
from tests.patience import PATIENT

GIVEN = with_file(with_file((), "names.txt", b"ann\nbob\n"), "iris.csv", b"a,b\n1,2\n")
pytestmark = pytest.mark.skipif(sys.platform != "linux" or not landlock.version(), reason="Landlock is missing")


@pytest.fixture(scope="module", params=["memory", pytest.param("a folder", marks=pytest.mark.thorough)])
def runner(request):
    """Yield a child mounts private memory if the kernel allows it, otherwise it gets a folder on the disk.

    Folders on the disk are separate from other tests', whose runs would change the number in the path.
    """
    if request.param == "memory":
        yield default_runner()
        return
    made = Runner("explorer.runtime.child", make=partial(Parent, without={"namespaces"}))
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        os.chmod(place, 0o711)
        patch.setattr(tempfile, "tempdir", place)
        yield made
        made.close()


def ran(runner: Runner, *cells: str, files=GIVEN) -> Trace:
    program = Program([CellSource(cell) for cell in cells], files=files)
    return runner.submit(program, Options()).result(PATIENT).check()


def printed(runner: Runner, *cells: str, files=GIVEN) -> str:
    told = [one for cell in ran(runner, *cells, files=files).cells for one in cell.outputs]
    assert not [one for one in told if isinstance(one, Failure | Refusal | Limit)], told
    return "".join(one.text for one in told if isinstance(one, Printed))


WORKS = {
    "text": "n = open('a', 'w').write('3')\nprint(open('a').read())",
    "arrays": """
import numpy as np
np.save('b', np.ones(2)), np.savez('c', x=np.eye(1)), np.savetxt('m.gz', np.ones(2)), np.arange(3.).tofile('r')
mapped = np.memmap('z', float, 'w+', shape=3)
mapped[:] = 0
print(int(np.load('b.npy', mmap_mode='r').sum() + np.load('c.npz')['x'].sum() + np.fromfile('z').sum()))""",
    "tables": """
import pandas as pd
pd.DataFrame({'a': [3]}).to_csv('d.csv.gz')
print(pd.read_csv('d.csv.gz').a[0])""",
    "models": """
torch.save({'w': torch.ones(3)}, 'm.pt')
torch.jit.trace(torch.nn.Linear(2, 1), torch.ones(2)).save('j.pt')
torch.jit.load('j.pt')
print(int((torch.load('m.pt')['w'] * torch.load('m.pt', mmap=True)['w']).sum()))""",
    "databases": """
import sqlite3
with sqlite3.connect('a.db') as one:
    one.execute('create table t (x)'), one.execute('insert into t values (3)')
print(sqlite3.connect('a.db').execute('select x from t').fetchone()[0])""",
    "archives and trees": """
import os, pathlib, shutil, zipfile
os.makedirs('d/e')
pathlib.Path('a').write_text('3')
shutil.copy('a', 'd'), shutil.copy2('a', 'd/e/b'), shutil.copytree('d', 'f')
shutil.move('d/a', 'g'), shutil.rmtree('d')
with zipfile.ZipFile('z.zip', 'w') as packed: packed.write('f/e/b')
print(zipfile.ZipFile('z.zip').read('f/e/b').decode())""",
    "temporary files": """
import tempfile
with tempfile.NamedTemporaryFile() as one, tempfile.TemporaryFile() as other, tempfile.TemporaryDirectory() as folder:
    n = open(folder + '/x', 'w').write('3')
    print(open(folder + '/x').read())""",
    "a mapped file": """
import mmap
n = open('a', 'wb').write(b'1')
with open('a', 'r+b') as file, mmap.mmap(file.fileno(), 0) as mapped: mapped[:] = b'3'
print(open('a').read())""",
    "a plot": """
import os, matplotlib.pyplot as plt
plt.plot([1, 2])
plt.savefig('p.png'), plt.close()
print(3 if os.path.getsize('p.png') > 1000 else 0)""",
    "the null device": """
import contextlib, os
with open(os.devnull, 'w') as null, contextlib.redirect_stdout(null): print('lost')
print(3)""",
}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", WORKS)
def test_a_written_file_can_be_read(runner, name):
    assert printed(runner, WORKS[name]) == "3\n"


def test_a_cell_writes_a_module_and_the_next_imports_it(runner):
    assert printed(runner, "%%writefile mod.py\ndef three(): return 3", "import mod\nprint(mod.three())")[-2:] == "3\n"


def test_a_given_file_is_found_under_its_name_in_any_folder(runner):
    paths = ["names.txt", "./names.txt", "../data/names.txt", "/content/drive/names.txt"]
    source = f"import os\nfrom pathlib import Path\nfor path in {paths!r}:\n"
    source += "    print(open(path).read(), os.path.exists(path), Path(path).exists())"
    assert printed(runner, source) == "ann\nbob\n True True\n" * len(paths)


def test_the_programs_own_file_precedes_an_uploaded_one(runner):
    source = "import os\nos.mkdir('d')\nn = open('d/names.txt', 'w').write('own')\nprint(open('d/names.txt').read())"
    assert printed(runner, source) == "own\n"


def test_mounting_a_drive_is_skipped_and_the_cell_continues(runner):
    assert printed(runner, "from google.colab import drive\ndrive.mount('/content/drive')\nprint('on')") == "on\n"


def test_nothing_persists_and_equal_programs_have_equal_traces(runner):
    source = "import os, tempfile\nprint(os.getcwd(), tempfile.mkdtemp(), sorted(os.listdir()))\n"
    source += "n = open('a', 'w').write('x')\nw = torch.ones(1, requires_grad=True) * 2"
    first = ran(runner, source)
    assert first.status == "ok" and ran(runner, source) == first


REACHING = [
    "from pathlib import Path\nPath({!r}).read_text()",
    "import pandas as pd\npd.read_csv({!r})",
    "open({!r}, 'w')",
    "open({!r}, 'a')",
    "torch.save(torch.ones(1), {!r})",
    "import os\nos.remove({!r})",
    "import os\nos.chmod({!r}, 0o777), os.truncate({!r}, 0)",
    "import os\nopen('a', 'w').close(), os.rename('a', {!r})",
    "import os\nos.symlink({!r}, 'b'), open('b').read()",
]


def test_other_files_are_inaccessible(runner):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as place:
        os.chmod(place, 0o777)
        real = Path(place, "real.txt")
        real.write_text("kept")
        real.chmod(0o666)
        trace = ran(runner, *(one.format(str(real), str(real)) for one in REACHING))
        for source, cell in zip(REACHING, trace.cells, strict=True):
            assert any(isinstance(one, Failure | Refusal) for one in cell.outputs), source
            assert "kept" not in str(cell.outputs)
        assert real.read_text() == "kept" and os.stat(real).st_mode & 0o777 == 0o666


@pytest.mark.parametrize(
    "source",
    [
        "with open('a', 'wb') as file:\n    while True: file.write(bytes(100_000))",
        "for i in range(1000):\n    with open(str(i), 'wb') as file: file.write(bytes(1_000_000))",
        "for i in range(10_000): torch.save(torch.zeros(500_000), str(i))",
    ],
)
def test_files_are_limited_to_sixteen_megabytes(runner, source):
    trace = ran(runner, source, "print(1)")
    limits = [output for cell in trace.cells for output in cell.outputs if isinstance(output, Limit)]
    assert {(limit.limit, limit.bound) for limit in limits} == {("files", 16.0)}


SHARES = "model = torch.nn.Linear(3, 1).share_memory()\nprint(model.weight.is_shared())"


def test_a_model_moves_to_shared_memory_of_the_run_only():
    assert printed(default_runner(), SHARES) == "True\n"
    many = "kept = [torch.zeros(500_000).share_memory_() for i in range(100)]"
    (limit,) = ran(default_runner(), many).cells[0].outputs
    assert (limit.limit, limit.bound) == ("files", 16.0)
    assert printed(default_runner(), "import os\nprint(os.listdir('/dev/shm'))") == "[]\n"


@pytest.mark.thorough
def test_a_kernel_that_mounts_nothing_refuses_shared_memory_with_a_reason():
    made = Runner("explorer.runtime.child", make=partial(Parent, without={"namespaces"}))
    (refusal,) = ran(made, SHARES).cells[0].outputs
    made.close()
    assert (refusal.reason, refusal.what) == ("system", "torch.nn.Linear(3, 1).share_memory()")


def test_uploaded_files_do_not_count_toward_the_limits(runner):
    source = "n = open('b', 'wb').write(bytes(15_000_000))\nprint(len(open('a', 'rb').read()))"
    assert printed(runner, source, files=with_file((), "a", bytes(4_000_000))) == "4000000\n"


def test_locks_on_library_files_do_not_affect_other_runs(runner):
    import fcntl

    source = "import fcntl, os\nfile = open(os.__file__)\nfcntl.flock(file, fcntl.LOCK_EX)\nos._exit(3)"
    with open(os.__file__, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert ran(runner, source).cells[0].outputs[-1].detail == "exit 3"  # it ended without waiting


@pytest.mark.thorough
def test_a_program_without_landlock_has_no_files_and_a_reason():
    made = Runner("explorer.runtime.child", make=partial(Parent, without={"landlock"}))
    trace = ran(made, "open('names.txt')", "open('a', 'w')")
    made.close()
    assert [cell.outputs[-1].reason for cell in trace.cells] == ["no-files", "no-files"]


@pytest.mark.thorough
def test_a_spare_process_has_files_too():
    made = Runner("explorer.runtime.child", make=Spares)
    assert printed(made, WORKS["text"], "print(open('/x/names.txt').read())") == "3\nann\nbob\n\n"
    made.close()
