"""IPython's own syntax: what it becomes, where it stands, and that IPython sees it in the same places."""

import re

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from explorer.program import CellSource, Program, with_file
from explorer.runtime.execute import execute
from explorer.runtime.notebook.compiling import compile_cell
from explorer.runtime.notebook.magics import plain_python
from explorer.trace import Echo, Failure, Options, Printed, Refusal, Skipped
from tests.runtime.test_cells import cells, ran, texts


@pytest.mark.parametrize(
    "source, plain",
    [
        ("%matplotlib inline\nx = 1", "pass\nx = 1"),
        ("if True:\n    %config InlineBackend.figure_format = 'svg'", "if True:\n    pass"),
        ("%load_ext autoreload\n%autoreload 2", "pass\npass"),
        ("%time y = f(3)", "y = f(3)"),
        ("y = %time f(3)", "y = f(3)"),
        ("%timeit -n 10 -r3 f(3)", "f(3)"),
        ("%%time\nf(3)", "\nf(3)"),
        ("%time", "pass"),
        (">>> x = 1\n>>> if x:\n...     x", "x = 1\nif x:\n    x"),
        ("In [3]: x = 1\n   ...: x", "x = 1\nx"),
        ("    x = 1\n    x", "x = 1\nx"),
        ("x = 7 % 3\ny = '''\n%time\n!ls\n'''", "x = 7 % 3\ny = '''\n%time\n!ls\n'''"),
        ("x = (1\n%3)", "x = (1\n%3)"),
        ("print('a?')  # why?", "print('a?')  # why?"),
    ],
)
def test_becomes_python_in_place(source, plain):
    assert plain_python(source).text == plain


@pytest.mark.parametrize(
    "source",
    [
        "!pip install torch",
        "%pip install -q torch",
        "!python -m pip install torch",
        "!nvidia-smi",
        "%run other.py",
        "%env A=1",
        "%who",
        "%nobody_knows",
        "%%html\n<b>x</b>",
        "!python train.py | tee log.txt",
        "!echo x > a",
        "!git status",
        "!unzip data.zip",
        "gpu = !nvidia-smi",
        "for i in [1]:\n    !nvidia-smi\n",
        "!apt-get \\\n  install x > /dev/null",
    ],
)
def test_what_is_not_run_is_told_with_its_line_and_the_cell_goes_on(source):
    after = "" if source.startswith("%%") else "\nprint('on')"
    trace = ran(source + after)
    [told] = [output for output in trace.cells[0].outputs if isinstance(output, Skipped)]
    piece = trace.text(told.span)
    assert piece[0] in "!%" and piece in source and told.what == piece.split("\n")[0]
    assert trace.status == "ok" and texts(trace.cells[0].outputs, Printed) == (["on\n"] if after else [])


@pytest.mark.parametrize(
    "source, reason",
    [
        ("!cat /etc/passwd", "shell"),
        ("!cat ../../../etc/passwd; ls", "shell"),
        ("!echo x > /tmp/../etc/x", "shell"),
        ("!python -c 'x'", "shell"),
        ("!head -n 1 /etc/passwd", "shell"),
        ("!rm -rf /usr/lib", "shell"),
        ("x = !cat /etc/passwd", "shell"),
        ("%%bash\necho x", "shell"),
        ("%%R\nx", "shell"),
        ("!wget https://example.org/names.txt", "network"),
        ("!git clone https://example.org/x", "network"),
    ],
)
def test_what_reaches_for_more_is_refused_and_the_next_cell_runs(source, reason):
    trace = ran(source + ("" if source.startswith("%%") else "\nprint('not here')"), "print('on')")
    assert [one.reason for one in trace.cells[0].outputs if isinstance(one, Refusal)] == [reason]
    assert trace.status == "refused" and texts(trace.cells[1].outputs, Printed) == ["on\n"]
    assert texts(trace.cells[0].outputs, Printed) == []


@pytest.mark.parametrize(
    "source, printed",
    [
        ("!ls", "names.txt\n"),
        ("!mkdir -p a/b\n!ls a\n!rm -r a\n!ls", "b\nnames.txt\n"),
        ("!cat names.txt", "ann\nbob\n"),
        ("!head -n 1 data/names.txt", "ann\n"),
        ("!tail -1 names.txt", "bob\n"),
        ("!wc -l names.txt", "2 names.txt\n"),
        ("name = 'names.txt'\n!cat {name}\n!cat $name", "ann\nbob\nann\nbob\n"),
        ("!cat none.txt", "cat: none.txt: No such file or directory\n"),
        ("!pwd", "/notebook\n"),
        ("!mkdir d\n%cd d\n%cd ..", "/notebook/d\n/notebook\n"),
        ("files = !ls\nprint(files)", "['names.txt']\n"),
        ("gpu = !nvidia-smi\nprint(gpu[0])", "/bin/bash: line 1: nvidia-smi: command not found\n"),
        ("%%bash\n# a folder\nmkdir d\nls", "d\nnames.txt\n"),
        ("%%writefile a.py\nx = 1", "Writing a.py\n"),
    ],
)
def test_shell_lines_see_the_files_of_the_program(source, printed):
    files = with_file((), "names.txt", b"ann\nbob\n")
    trace = execute(Program([CellSource(source)], files=files), Options(), language_ring=True)
    assert "".join(texts(trace.cells[0].outputs, Printed)) == printed


def test_a_file_is_written_as_the_cell_has_it():
    outputs = cells("%%writefile a.py\nx = 'é'\n  %time", "%%writefile -a a.py\ny", "open('a.py').read()")
    assert texts(outputs[2], Echo) == [repr("x = 'é'\n  %time\ny\n")]
    assert texts(outputs[1], Printed) == ["Appending to a.py\n"]


def test_an_installation_says_whether_it_is_needed():
    told = cells("!pip install -q numpy==1.26 torch", "!pip install torchtext", "!pip list")
    said = [(one.reason, one.detail) for [one] in told]
    assert said == [("installed", "numpy, torch"), ("absent", "torchtext"), ("shell", "")]


def test_a_value_that_is_not_there_ends_its_cell():
    outputs = cells("x = %env HOME\nprint('not here')", "print('here')")
    assert [texts(one, Printed) for one in outputs] == [[], ["here\n"]]


@pytest.mark.parametrize(
    "source, text",
    [
        ("%time y = torch.ones(2) + 1", "torch.ones(2) + 1"),
        ("if True:\n    %time y = torch.ones(2) + 1", "torch.ones(2) + 1"),
        (">>> y = torch.ones(2) + 1", "torch.ones(2) + 1"),
        ("    y = torch.ones(2) + 1\n    y", "torch.ones(2) + 1"),
        ("é = %time torch.ones(2) + 1", "torch.ones(2) + 1"),
        ("%matplotlib inline\n\ny = torch.ones(2) + 1", "torch.ones(2) + 1"),
    ],
)
def test_places_are_those_of_the_text_as_it_was_written(source, text):
    trace = ran(source)
    assert [trace.text(span) for span in trace.operations.span] == ["torch.ones(2)", text]


def test_a_syntax_error_stands_where_it_was_written():
    trace = ran("%time x = = 1")
    [problem] = trace.cells[0].outputs
    span = trace.spans[problem.span]
    assert problem.type == "SyntaxError" and (span.line, span.column) == (1, 10)


def test_timed_code_runs_once_and_says_how_long():
    outputs = cells("n = 0", "%time n += 1\nn", "%%time\nn += 1\nn", "%timeit m = 5", "m", "%%timeit k = 1\nk")
    assert texts(outputs[1], Echo) == ["1"] and texts(outputs[2], Echo) == ["2"]
    number = r"[\d.e+]+ (ns|µs|ms|s)"
    spent = rf"CPU times: user {number}, sys: {number}, total: {number}\nWall time: {number}\n"
    assert re.fullmatch(spent, texts(outputs[1], Printed)[0])
    assert re.fullmatch(spent, texts(outputs[2], Printed)[0])
    assert re.fullmatch(rf"{number} ± 0 ns per loop \(.*\)\n", texts(outputs[3], Printed)[0])
    assert texts(outputs[4], Failure) == ["name 'm' is not defined"]
    assert texts(outputs[5], Failure) == []


def test_captured_output_goes_into_a_variable():
    outputs = cells("%%capture out\nprint('hidden')\n5", "out.stdout", "out.show()", "%%capture\n1/0")
    assert outputs[0] == []
    assert outputs[1] == [Echo("'hidden\\n'")] and outputs[2] == [Printed("stdout", "hidden\n")]
    assert texts(outputs[3], Failure) == ["division by zero"]


def test_help_is_printed():
    source = 'def f(x):\n    """Twice."""\n    return 2 * x'
    outputs = cells(source, "f?", "f??", "?f", "nothing?", "help(f)", "torch.add?")
    assert texts(outputs[1], Printed)[0].startswith("Signature: f(x)\nDocstring: Twice.")
    assert "return 2 * x" in texts(outputs[2], Printed)[0]
    assert outputs[3] == outputs[1]
    assert texts(outputs[4], Printed) == ["Object `nothing` not found.\n"]
    assert texts(outputs[5], Printed) == ["Help on function f in module __main__:\n\nf(x)\n    Twice.\n\n"]
    assert "builtin_function_or_method" in texts(outputs[6], Printed)[0]


def test_exported_scripts_call_the_shell():
    source = "get_ipython().run_line_magic('matplotlib', 'inline')\nget_ipython().system('pip install d2l')\n1"
    outputs = cells(source)[0]
    assert [type(output) for output in outputs] == [Skipped, Echo]


@pytest.mark.parametrize(
    "source",
    [
        "%matplotlib inline\nx = 1",
        "x?",
        "x = !ls -l",
        "a = b = 1\nx = %time f()",
        "if x:\n    !ls\n    y = 1",
        "s = '%time'\nt = \"!ls\"",
        "x = 5 %3",
        "x = (5\n     %3)",
        "f(a, # comment?\n  b)",
        "!ls \\\n  -l\ny = 1",
        "'''\n%x\n'''\n%time f()",
        "?x\n%env\n!!ls",
        "%%time\nx = 1",
        ">>> x = 1\n>>> y",
        "  x = 1\n  if x:\n    y",
        "x = [1,\n\n 2]\n%cd ..",
    ],
)
def test_ipython_sees_the_same_syntax(source):
    """IPython's calls and ours, or what is silent or run in place, are on the same lines; the rest is the same text."""
    theirs = TransformerManager().transform_cell(source)
    special = "get_ipython()" in theirs
    ours = plain_python(source)
    changed = ours.text != source or bool(ours.whole)
    if not special:
        assert ours.text.strip() == theirs.strip()
    else:
        assert changed
    compile_cell(source, 0)
