"""The files of a run live in memory: written, listed and read again by the program and its libraries."""

import os
from textwrap import dedent

import pytest

from explorer.trace import Echo, Failure, Limit
from tests.runtime.test_cells import cells, ran, texts
from tests.traces import trace_of


@pytest.mark.parametrize(
    "source, shown",
    [
        (
            "import os\nos.makedirs(os.path.join('..', 'data'), exist_ok=True)\n"
            "name = os.path.join('..', 'data', 'a.csv')\n"
            "with open(name, 'w') as f:\n    f.write('a,b\\n')\n    f.write('1,2\\n')\nopen(name).read()",
            "'a,b\\n1,2\\n'",
        ),
        ("open('a', 'w').write('x')\nopen('a', 'a').write('y')\nopen('a').read()", "'xy'"),
        ("open('a', 'wb').write(b'\\x00\\xff')\nopen('a', 'rb').read()", "b'\\x00\\xff'"),
        ("open('a', 'w').write('1\\n2\\n')\n[line for line in open('a')]", "['1\\n', '2\\n']"),
        ("f = open('a', 'w+')\nf.write('abc')\nf.seek(1)\nf.read()", "'bc'"),
        (
            "import os\nos.getcwd(), os.listdir(), os.path.exists('a'), os.path.isdir('.')",
            "('/notebook', [], False, True)",
        ),
        (
            "import os\nopen('a', 'w').write('12')\nos.rename('a', 'b')\nsize = os.path.getsize('b')\nos.remove('b')\n"
            "size, os.path.exists('b')",
            "(2, False)",
        ),
        ("torch.save([torch.ones(2), torch.zeros(1)], 'x.pt')\ntorch.load('x.pt')", "[tensor([1., 1.]), tensor([0.])]"),
        (
            "import zipfile\nopen('a', 'w').write('x')\nwith zipfile.ZipFile('z.zip', 'w') as z:\n    z.write('a')\n"
            "zipfile.ZipFile('z.zip').read('a')",
            "b'x'",
        ),
        (
            "import glob, os\nfor name in 'abc':\n    open(name + '.pt', 'w').close()\nos.utime('b.pt', (0, 2e9))\n"
            "max(glob.glob('*.pt'), key=os.path.getmtime), os.path.getmtime('b.pt')",
            "('b.pt', 2000000000.0)",
        ),
        ("torch.save({'w': torch.ones(2)}, 'w.pt')\ntorch.load('w.pt', mmap=True)", "{'w': tensor([1., 1.])}"),
        (
            "open('b', 'wb').write(bytes(4))\ns = torch.UntypedStorage.from_file('b', True, 4)\n"
            "s.fill_(7)\n"
            "open('b', 'rb').read()",
            "b'\\x07\\x07\\x07\\x07'",
        ),
        (
            "torch.jit.trace(torch.nn.Linear(2, 1), torch.ones(2)).save('m.pt')\n"
            "torch.jit.load('m.pt')(torch.ones(2)).shape",
            "torch.Size([1])",
        ),
        (
            "import torch.package\nwith torch.package.PackageExporter('p.pt') as p:\n    p.save_pickle('a', 'b', [1])\n"
            "torch.package.PackageImporter('p.pt').load_pickle('a', 'b')",
            "[1]",
        ),
        (
            "import sqlite3\na = sqlite3.connect('a.db')\na.execute('create table t (x)')\n"
            "a.execute('insert into t values (1)')\na.commit()\nb = sqlite3.connect('a.db')\n"
            "both = b.execute('select x from t').fetchall()\na.close(), b.close()\n"
            "both, sqlite3.connect('a.db').execute('select x from t').fetchall(), open('a.db', 'rb').read(6)",
            "([(1,)], [(1,)], b'SQLite')",
        ),
        (
            "import sqlite3, pandas\nwith sqlite3.connect('a.db') as a:\n"
            "    pandas.DataFrame({'x': [1, 2]}).to_sql('t', a, index=False)\na.close()\n"
            "pandas.read_sql('select sum(x) s from t', sqlite3.connect('file:a.db?mode=ro', uri=True)).s[0]",
            "np.int64(3)",
        ),
    ],
)
def test_what_was_written_is_read_again(source, shown):
    assert texts(cells(source)[0], Echo) == [shown]


def test_safetensors_reads_and_writes_them():
    pytest.importorskip("safetensors.torch")
    shown = cells(
        "from safetensors import safe_open\nfrom safetensors.torch import load_file, save_file\n"
        "save_file({'b': torch.ones(2, 2), 'a': torch.arange(2)}, 'm.safetensors', {'of': 'me'})\n"
        "with safe_open('m.safetensors', 'pt') as f:\n"
        "    part = f.keys(), f.metadata(), f.get_slice('b')[0], f.get_slice('b').get_shape()\n"
        "part, load_file('m.safetensors')"
    )[0]
    assert texts(shown, Echo) == [
        "((['a', 'b'], {'of': 'me'}, tensor([1., 1.]), [2, 2]),\n"
        " {'a': tensor([0, 1]),\n  'b': tensor([[1., 1.],\n          [1., 1.]])})"
    ]


def test_nothing_real_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells("import numpy as np\nopen('a', 'w').write('x')\nnp.save('b', np.ones(1))\ntorch.save(torch.ones(1), 'c')")
    assert os.listdir(tmp_path) == []


def test_files_last_as_long_as_the_run():
    assert texts(cells("open('a', 'w').write('x')", "open('a').read()")[1], Echo) == ["'x'"]
    assert [output.type for output in cells("open('a').read()")[0]] == ["FileNotFoundError"]


@pytest.mark.parametrize(
    "source, problem",
    [
        ("open('none.csv')", "FileNotFoundError: [Errno 2] No such file or directory: 'none.csv'"),
        ("open('no/such', 'w')", "FileNotFoundError: [Errno 2] No such file or directory: 'no/such'"),
        ("open('.', 'w')", "IsADirectoryError: [Errno 21] Is a directory: '.'"),
        ("import os\nos.mkdir('.')", "FileExistsError: [Errno 17] File exists: '.'"),
        ("open('a', 'q')", "ValueError: invalid mode: 'q'"),
        ("open('a', 'w').read()", "UnsupportedOperation: not readable"),
        ("import os\nos.listdir('none')", "FileNotFoundError: [Errno 2] No such file or directory: 'none'"),
        ("torch.load('none.pt')", "FileNotFoundError: [Errno 2] No such file or directory: 'none.pt'"),
    ],
)
def test_errors_are_those_of_a_disk(source, problem):
    [failure] = [output for output in cells(source)[0] if isinstance(output, Failure)]
    assert f"{failure.type}: {failure.text}" == problem


@pytest.mark.parametrize(
    "source, bound",
    [
        ("while True:\n    open('a', 'a').write('x' * 100_000)", 16),
        ("while True:\n    open('a', 'ab').write(b'x' * 5_000)", 16),  # written when it is closed
        ("for i in range(2000): open(str(i), 'w').close()", 1000),
    ],
)
def test_sixteen_megabytes_or_a_thousand_files_are_enough(source, bound):
    trace = ran(f"try:\n    {source.replace(chr(10), chr(10) + '    ')}\nexcept BaseException: pass", "1")
    [limit] = [output for output in trace.cells[0].outputs if isinstance(output, Limit)]
    assert (limit.limit, limit.bound, trace.status) == ("files", bound, "limited")


ARRAY_FILES = {
    "tofile and fromfile": "np.arange(3.).tofile('a')\nprint(np.fromfile('a').sum())",
    "as text": "np.arange(3.).tofile('a', sep=',')\nprint(np.fromfile('a', sep=',').sum())",
    "one open file": """
        with open('a', 'wb') as file:
            np.ones(5).tofile(file)
            np.ones(3).tofile(file)
        with open('a', 'rb') as file:
            five = np.fromfile(file, count=5)
            print(np.fromfile(file).sum())""",
    "a mapping is written": "m = np.memmap('a', float, 'w+', shape=3)\nm[:] = 1\nprint(np.fromfile('a').sum())",
    "two mappings share": """
        one, other = np.memmap('a', float, 'w+', shape=3), np.memmap('a', float, 'r')
        one[2] = 3
        print(other.sum())""",
    "a copy of its own": """
        np.full(3, 1.).tofile('a')
        m = np.memmap('a', float, 'c')
        m[:] = 0
        print(np.fromfile('a').sum())""",
    "written anew while mapped": """
        first = np.memmap('a', float, 'w+', shape=9)
        second = np.memmap('a', float, 'w+', shape=3)
        second[:] = 1
        print(np.fromfile('a').sum() + first.sum())""",
    "np.load": "np.save('a.npy', np.ones(3))\nprint(np.load('a.npy', mmap_mode='r').sum())",
}


@pytest.mark.parametrize("source", ARRAY_FILES.values(), ids=ARRAY_FILES)
def test_arrays_go_to_files_without_descriptors(source):
    (output,) = trace_of("import numpy as np\n" + dedent(source)).cells[0].outputs
    assert output.text == "3.0\n"


MAPPED = {
    "read": "with open('a', 'rb') as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:\n    found = m[:]",
    "written": """
        with open('a', 'r+b') as f:
            m = mmap.mmap(f.fileno(), 0)
            m[:5] = b'HELLO'
            found = f.read()""",
    "written at its position": """
        with open('a', 'r+b') as f, mmap.mmap(f.fileno(), 5) as m:
            m.seek(1)
            m.write(b'ELLO')
            m[0] = ord('H')
        found = open('a', 'rb').read()""",
    "a copy": """
        with open('a', 'r+b') as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY) as m:
            m[:5] = b'HELLO'
            found = m[:]
        assert open('a').read() == 'hello you'""",
    "forbidden to write": """
        with open('a', 'rb') as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_READ) as m:
            try:
                m[0] = 1
            except TypeError as problem:
                found = str(problem).encode()""",
    "its size": "with open('a', 'rb') as f:\n    found = str(os.fstat(f.fileno()).st_size).encode()",
    "on the disk": "with open('a', 'ab') as f:\n    os.fsync(f.fileno())\nfound = open('a', 'rb').read()",
}
FOUND = [b"hello you", b"HELLO you", b"HELLO you", b"HELLO you", b"mmap can't modify a readonly memory map.", b"9"]


@pytest.mark.parametrize("source, found", list(zip(MAPPED.values(), [*FOUND, b"hello you"], strict=True)), ids=MAPPED)
def test_a_file_of_the_program_has_a_descriptor_for_it(source, found):
    trace = trace_of(f"import mmap, os\nn = open('a', 'w').write('hello you')\n{dedent(source)}\nfound")
    assert trace.cells[0].outputs[-1].text == repr(found)


def test_a_mapping_takes_no_more_room_than_files_have():
    trace = trace_of("import numpy as np\nnp.memmap('a', float, 'w+', shape=3_000_000)")
    assert trace.status != "ok"
