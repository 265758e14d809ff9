"""A file is read by one line of pandas, which finds the separator."""

import pytest
from msgspec import structs

from explorer.analysis.views.data.data_steps import START, reads
from explorer.program import GivenFile, read_text
from explorer.runtime.execute import execute
from explorer.trace import Options, TableWindow

READ = {
    "comma": ("a.csv", "a,b\n1,x\n2,y\n", [["1", "x"], ["2", "y"]]),
    "semicolon": ("a.csv", "a;b\n1.5;x, z\n", [["1.5", "x, z"]]),
    "tab": ("a.tsv", "a\tb c\n1\tx, y\n", [["1", "x, y"]]),
    "bar": ("a.csv", "a|b\n1|2\n", [["1", "2"]]),
    "spaces in names": ("a.csv", "sepal length,kind of it\n1,x\n", [["1", "x"]]),
    "a mark": ("a.csv", "\ufeffa,ß\n1,ü\n", [["1", "ü"]]),
    "a semicolon in a text": ("a.csv", 'a,b\n1,"x;y"\n', [["1", "x;y"]]),
    "JSON in lines": ("it's.jsonl", '{"a": 1, "b": "x"}\n{"a": 2}\n', [["1", "x"], ["2", None]]),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", READ)
def test_files_are_read_correctly(name):
    file, content, cells = READ[name]
    program = structs.replace(read_text(START + reads(file)), files=(GivenFile(file, content.encode()),))
    assert execute(program, Options(tables=(TableWindow(),))).tables[0].cells == cells
