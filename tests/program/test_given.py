"""A program's uploaded files: names without folders, and three limits."""

import msgspec
import pytest

from explorer.io.notebook import notebook
from explorer.program import (
    CellSource,
    GivenFile,
    Program,
    decode_request,
    encode_request,
    file_name,
    with_file,
    write_program,
)
from explorer.program.given_files import MAX_ALL, MAX_FILE, MAX_FILES, TooMuch
from explorer.sandbox import default_runner
from explorer.trace import Options, Printed, encode


@pytest.mark.parametrize(
    "given, name",
    [
        ("names.txt", "names.txt"),
        ("data/names.txt", "names.txt"),
        ("C:\\data\\names.txt", "names.txt"),
        ("../..", "file"),
        ("", "file"),
        ("a\0b\u202etxt", "abtxt"),
        ("x" * 300 + ".csv", "x" * 196 + ".csv"),
    ],
)
def test_file_names_have_no_folders_or_invisible_characters(given, name):
    assert file_name(given) == name


def test_a_file_replaces_another_with_its_name():
    files = with_file(with_file((), "a", b"1"), "x/a", b"2")
    assert files == (GivenFile("a", b"2"),)


def test_exceeded_limits_report_size_and_maximum():
    with pytest.raises(TooMuch) as found:
        with_file((), "a", bytes(MAX_FILE + 1))
    assert (found.value.kind, found.value.size, found.value.most) == ("file", MAX_FILE + 1, MAX_FILE)
    files = with_file((), "a", bytes(MAX_FILE))
    with pytest.raises(TooMuch) as found:
        with_file(files, "b", bytes(MAX_ALL - MAX_FILE + 1))
    assert (found.value.kind, found.value.most) == ("all", MAX_ALL)
    for number in range(MAX_FILES):
        files = with_file(files if number else (), str(number), b"")
    with pytest.raises(TooMuch) as found:
        with_file(files, "one more", b"")
    assert (found.value.kind, found.value.most) == ("count", MAX_FILES)


def test_files_are_sent_with_the_request_and_forged_files_are_rejected():
    program = Program([CellSource("1")], files=with_file((), "a", b"\x00\xff"))
    assert decode_request(encode_request(program, Options()))[0].files == program.files
    forged = Program([CellSource("1")], files=(GivenFile("a", bytes(MAX_FILE + 1)),))
    with pytest.raises(msgspec.ValidationError):
        decode_request(encode_request(forged, Options()))


@pytest.mark.parametrize("kind", ["py", "ipynb"])
def test_uploaded_files_are_in_no_saved_program_or_trace(kind):
    program = Program([CellSource("print(open('a').read() == 'sec' + 'ret')")], files=with_file((), "a", b"secret"))
    trace = default_runner().submit(program, Options()).result()
    assert trace.cells[0].outputs == [Printed("stdout", "True\n")]
    assert b"secret" not in encode(trace)
    assert "secret" not in (notebook(program, trace, "en") if kind == "ipynb" else write_program(program, kind))
