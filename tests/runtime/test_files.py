"""The files of a run live in memory: written, listed and read again by the program and its libraries."""

import os

import pytest

from explorer.trace import Echo, Failure, Limit
from tests.runtime.test_cells import cells, ran, texts


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
        (
            "import os\nos.makedirs('d/e')\nopen('d/e/f', 'w').close()\n[*os.walk('d')]",
            "[('d', ['e'], []), ('d/e', [], ['f'])]",
        ),
        ("import os, shutil\nos.mkdir('d')\nopen('d/f', 'w').close()\nshutil.rmtree('d')\nos.listdir()", "[]"),
        (
            "from pathlib import Path\nPath('a').write_text('x')\nPath('a').read_text(), Path('a').exists()",
            "('x', True)",
        ),
        (
            "import glob\nopen('b.txt', 'w').close()\nopen('a.txt', 'w').close()\nsorted(glob.glob('*.txt'))",
            "['a.txt', 'b.txt']",
        ),
        (
            "import pandas as pd\npd.DataFrame({'a': [1, 2]}).to_csv('a.csv', index=False)\n"
            "pd.read_csv('a.csv').a.tolist()",
            "[1, 2]",
        ),
        ("import numpy as np\nnp.savetxt('m', np.eye(2))\nnp.loadtxt('m').tolist()", "[[1.0, 0.0], [0.0, 1.0]]"),
        ("import numpy as np\nnp.save('m', np.arange(3))\nnp.load('m.npy')", "array([0, 1, 2])"),
        ("torch.save([torch.ones(2), torch.zeros(1)], 'x.pt')\ntorch.load('x.pt')", "[tensor([1., 1.]), tensor([0.])]"),
        (
            "net = torch.nn.Linear(2, 1)\ntorch.save(net.state_dict(), 'net.pt')\n"
            "net.load_state_dict(torch.load('net.pt'))",
            "<All keys matched successfully>",
        ),
        ("import json\njson.dump([1], open('a', 'w'))\njson.load(open('a'))", "[1]"),
    ],
)
def test_what_was_written_is_read_again(source, shown):
    assert texts(cells(source)[0], Echo) == [shown]


def test_nothing_real_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells("import numpy as np\nopen('a', 'w').write('x')\nnp.save('b', np.ones(1))\ntorch.save(torch.ones(1), 'c')")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "call", ["open({!r}, 'w')", "open({!r}, 'a')", "torch.save(torch.ones(1), {!r})", "os.remove({!r})"]
)
def test_a_real_file_is_neither_read_nor_altered(tmp_path, call):
    real = tmp_path / "real.txt"
    real.write_text("kept")
    assert texts(cells("import os\n" + call.format(str(real)))[0], Failure)
    assert texts(cells(f"open({str(real)!r}).read()")[0], Failure)
    assert real.read_text() == "kept"


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
    "source",
    ["while True:\n    open('a', 'a').write('x' * 1_000_000)", "for i in range(1000): open(str(i), 'w').close()"],
)
def test_sixteen_megabytes_or_a_hundred_files_are_enough(source):
    trace = ran(f"try:\n    {source.replace(chr(10), chr(10) + '    ')}\nexcept BaseException: pass", "1")
    [limit] = [output for output in trace.cells[0].outputs if isinstance(output, Limit)]
    assert (limit.limit, limit.bound, trace.status) == ("files", 16.0, "limited")
