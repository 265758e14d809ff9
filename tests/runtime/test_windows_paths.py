"""Paths as Windows writes them, in the tree of files that replaces the disk."""

import ntpath
import os
from types import SimpleNamespace

import pytest

from explorer.program import GivenFile
from explorer.runtime.files import tree
from explorer.runtime.files.tree import Files


@pytest.fixture
def files(monkeypatch):
    monkeypatch.setattr(tree, "os", SimpleNamespace(path=ntpath, sep="\\", fsdecode=os.fsdecode))
    monkeypatch.setattr(tree, "_LIBRARIES", ("c:/python/lib",))
    monkeypatch.setattr(tree, "_BELOW_LIBRARIES", ("c:/python/lib/",))
    return Files(lambda bound: None, [GivenFile("data.csv", b"1,2")])


def test_a_file_is_found_by_a_path_with_backslashes(files):
    assert files.path("parts\\net.pt") == "/notebook/parts/net.pt"
    assert files.path("\\notebook\\data.csv") == "/notebook/data.csv"


def test_a_file_of_a_drive_is_searched_in_the_tree(files):
    assert files.path("D:\\course\\data.csv") == "/course/data.csv"
    assert files.meant(files.path("D:\\course\\data.csv")) == "/notebook/data.csv"


def test_libraries_are_read_from_their_drive(files):
    path = files.path("C:\\Python\\Lib\\ast.py")
    assert path == "C:/Python/Lib/ast.py" and files.library(path)
    assert not files.library(files.path("C:\\Users\\ada\\ast.py"))
