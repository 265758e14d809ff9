"""What a stranger's program does with files: every usual way to its own, and no way to any other."""

import pytest

from explorer.program import CellSource, Program, with_file
from explorer.runtime.execute import execute
from explorer.trace import Failure, Limit, Options, Printed, Refusal, Trace

GIVEN = with_file(with_file((), "names.txt", b"ann\nbob\n"), "iris.csv", b"a,b\n1,2\n")


def run(source: str) -> Trace:
    return execute(Program([CellSource(source)], files=GIVEN), Options())


def printed(source: str) -> str:
    trace = run(source)
    told = [one for one in trace.cells[0].outputs if isinstance(one, Failure | Refusal | Limit)]
    assert not told, told
    return "".join(one.text for one in trace.cells[0].outputs if isinstance(one, Printed))


def outputs(source: str, kind: type) -> list:
    return [one for one in run(source).cells[0].outputs if isinstance(one, kind)]


WORKS = {
    "text to array": (
        "import numpy as np\nopen('a.csv', 'w').write('1,2')\nprint(np.loadtxt('a.csv', delimiter=','))",
        "[1. 2.]\n",
    ),
    "table to array": (
        "import numpy as np\nprint(np.genfromtxt('iris.csv', delimiter=',', skip_header=1))",
        "[1. 2.]\n",
    ),
    "array to text": ("import numpy as np\nnp.savetxt('m', np.eye(1), fmt='%.1f')\nprint(open('m').read())", "1.0\n\n"),
    "packed text": ("import numpy as np\nnp.savetxt('m.gz', np.ones(2))\nprint(np.loadtxt('m.gz'))", "[1. 1.]\n"),
    "one array": ("import numpy as np\nnp.save('b', np.ones(2))\nprint(np.load('b.npy'))", "[1. 1.]\n"),
    "an array to an open file": (
        "import numpy as np\nwith open('b', 'wb') as f: np.save(f, np.ones(2))\nprint(np.load(open('b', 'rb')))",
        "[1. 1.]\n",
    ),
    "several arrays": (
        "import numpy as np\nnp.savez('c', x=np.eye(1), y=np.ones(2))\n"
        "with np.load('c.npz') as z: print(z.files, z['y'])",
        "['x', 'y'] [1. 1.]\n",
    ),
    "raw numbers": (
        "import numpy as np\nopen('r', 'wb').write(np.arange(3.).tobytes())\nprint(np.fromfile('r'))",
        "[0. 1. 2.]\n",
    ),
    "a table": (
        "import pandas as pd\npd.DataFrame({'a': [.25]}).to_csv('d.csv', index=False, float_format='%.1f')\n"
        "print(open('d.csv').read(), pd.read_csv('d.csv').a.tolist())",
        "a\n0.2\n [0.2]\n",
    ),
    "a packed table": (
        "import pandas as pd\npd.DataFrame({'a': [1]}).to_csv('d.csv.gz', index=False)\nprint(pd.read_csv('d.csv.gz'))",
        "   a\n0  1\n",
    ),
    "a table appended": (
        "import pandas as pd\nd = pd.DataFrame({'a': [1]})\nd.to_csv('d')\nd.to_csv('d', mode='a', header=False)\n"
        "print(len(open('d').readlines()))",
        "3\n",
    ),
    "paths": (
        "from pathlib import Path\np = Path('models')\np.mkdir(parents=True, exist_ok=True)\nf = p / 'net.pth'\n"
        "torch.save({'w': torch.ones(2)}, f)\n"
        "print(torch.load(f), f.exists(), f.suffix, f.stem, f.parent, list(p.iterdir()))",
        "{'w': tensor([1., 1.])} True .pth net models [PosixPath('models/net.pth')]\n",
    ),
    "texts by path": (
        "from pathlib import Path\np = Path('a.txt')\np.write_text('x')\nq = Path('b.txt')\nq.touch()\n"
        "print(p.read_text(), p.stat().st_size, sorted(Path('.').glob('[ab].txt')), p.is_file())\np.unlink()\n"
        "print(p.exists(), Path.home(), Path.cwd(), q.resolve())",
        "x 1 [PosixPath('a.txt'), PosixPath('b.txt')] True\nFalse /notebook /notebook /notebook/b.txt\n",
    ),
    "json": (
        "import json\nwith open('j', 'w') as f: json.dump({'a': [1]}, f)\nwith open('j') as f: print(json.load(f))",
        "{'a': [1]}\n",
    ),
    "csv": ("import csv\nwith open('iris.csv') as f: print(list(csv.reader(f)))", "[['a', 'b'], ['1', '2']]\n"),
    "folders": (
        "import os, shutil, glob\nos.makedirs('d/e')\n"
        "shutil.copy('names.txt', 'd')\nshutil.move('d/names.txt', 'd/e')\n"
        "print([*os.walk('d')], glob.glob('d/e/*'))\nshutil.rmtree('d')\nprint(os.path.exists('d'))",
        "[('d', ['e'], []), ('d/e', [], ['names.txt'])] ['d/e/names.txt']\nFalse\n",
    ),
    "temporary": (
        "import tempfile, os\nwith tempfile.TemporaryDirectory() as d:\n    open(os.path.join(d, 'x'), 'w').close()\n"
        "    print(d, os.listdir(d))\nprint(os.path.exists(d))",
        "/tmp/tmp1 ['x']\nFalse\n",
    ),
    "the environment": ("import os\nos.environ['A'] = '1'\nprint(os.getenv('A'), os.environ['HOME'])", "1 /notebook\n"),
    "memory": ("import io\nwith io.open('names.txt') as f: print(f.readline(), io.StringIO('x').read())", "ann\n x\n"),
    "pickles": (
        "import pickle\nclass A:\n    def __init__(self): self.x = torch.ones(2)\n"
        "copy = pickle.loads(pickle.dumps([A()]))[0]\nprint(type(copy) is A, copy.x)\n"
        "with open('p', 'wb') as f:\n    pickle.dump(1, f)\n    pickle.dump({'b': 2}, f)\n"
        "with open('p', 'rb') as f: print(pickle.load(f), pickle.load(f))",
        "True tensor([1., 1.])\n1 {'b': 2}\n",
    ),
    "a whole model": (
        "torch.save(torch.nn.Linear(2, 1), 'n')\nprint(torch.load('n', weights_only=False))",
        "Linear(in_features=2, out_features=1, bias=True)\n",
    ),
    "a model of 2.7 MB": (
        "torch.save(torch.nn.Linear(800, 850).state_dict(), 'n')\nprint(torch.load('n')['weight'].shape)",
        "torch.Size([850, 800])\n",
    ),
}


@pytest.mark.parametrize("name", WORKS)
def test_a_program_reads_what_it_wrote_and_was_given(name):
    source, shown = WORKS[name]
    assert printed(source) == shown


@pytest.mark.parametrize(
    "path", ["names.txt", "./names.txt", "../data/names.txt", "/content/names.txt", "a/b/names.txt"]
)
def test_a_given_file_is_found_under_its_name_in_any_folder(path):
    asked = f"import os\nfrom pathlib import Path\npath = {path!r}\n"
    asked += "print(open(path).read(), os.path.exists(path), Path(path).exists())"
    assert printed(asked) == "ann\nbob\n True True\n"


def test_a_file_of_the_programs_own_goes_before_a_given_one():
    assert printed(
        "import os\nos.mkdir('d')\nopen('d/names.txt', 'w').write('own')\nprint(open('d/names.txt').read())"
    ) == ("own\n")
    assert printed("open('names.txt', 'a').write('cid')\nprint(open('x/names.txt').read())") == "ann\nbob\ncid\n"
    assert outputs("import os\nos.remove('names.txt')\nopen('x/names.txt')", Failure)[0].type == "FileNotFoundError"


def test_a_drive_is_not_mounted_and_the_cell_goes_on():
    assert printed("from google.colab import drive\ndrive.mount('/content/drive')\nprint('on')") == "on\n"


@pytest.mark.parametrize(
    "source",
    [
        "from pathlib import Path\nPath({!r}).read_text()",
        "from pathlib import Path\nPath({!r}).write_text('x')",
        "from pathlib import Path\nopen(Path('/notebook/../..') / {!r}).read()",
        "import pandas as pd\npd.read_csv({!r})",
        "import json\njson.load(open({!r}))",
        "import io\nio.open({!r})",
        "open({!r}, 'w')",
        "open({!r}, 'a')",
        "torch.save(torch.ones(1), {!r})",
        "import os\nos.remove({!r})",
        "%%writefile {}\nx",
    ],
)
def test_a_real_file_is_out_of_reach(source, tmp_path):
    real = tmp_path / "real.txt"
    real.write_text("kept")
    told = run(source.format(str(real))).cells[0].outputs
    assert any(isinstance(one, Failure | Refusal) for one in told) and "kept" not in str(told)
    assert real.read_text() == "kept"


def test_packed_files_are_opened_inside_the_folder():
    import io
    import zipfile

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("a/b.txt", "hello")
        packed.writestr("../../x", "y")
    source = (
        "import zipfile, os\nwith zipfile.ZipFile('data.zip') as z:\n    z.extractall('d')\n"
        "    print(z.namelist(), z.open('a/b.txt').read())\nprint([*os.walk('d')])"
    )
    program = Program([CellSource(source)], files=with_file((), "data.zip", buffer.getvalue()))
    trace = execute(program, Options())
    assert [one.text for one in trace.cells[0].outputs] == [
        "['a/b.txt', '../../x'] b'hello'\n[('d', ['a'], ['x']), ('d/a', [], ['b.txt'])]\n"
    ]


def test_the_bounds_do_not_count_what_was_given():
    given = with_file((), "a", bytes(4_000_000))
    source = "open('b', 'wb').write(bytes(15_000_000))\nprint(len(open('a', 'rb').read()))"
    trace = execute(Program([CellSource(source)], files=given), Options())
    assert [one.text for one in trace.cells[0].outputs if isinstance(one, Printed)] == ["4000000\n"]


def test_equal_files_give_an_equal_trace():
    source = "import tempfile\nprint(tempfile.mkdtemp(), open('names.txt').read())\n"
    source += "w = torch.ones(1, requires_grad=True) * 2"
    assert run(source) == run(source)
