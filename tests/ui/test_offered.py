"""Runs that serve all sessions."""

import pytest
from msgspec.structs import replace

from explorer.program import GivenFile, read_text
from explorer.trace import Options
from explorer.ui.session import offered_runs
from explorer.ui.session.examples import EXAMPLES, FIRST_SIGHT
from explorer.ui.session.offered_runs import keep_offered, offered_result
from tests.programs import traced
from tests.ui.pages import new_page

FIRST = read_text(FIRST_SIGHT)


@pytest.fixture(autouse=True)
def next_start(monkeypatch):
    """Clear the cache before and after a test; calling it clears it again."""

    def start():
        monkeypatch.setattr(offered_runs, "_kept", {})

    start()
    return start


@pytest.fixture
def cache(monkeypatch, tmp_path):
    monkeypatch.setenv("EXPLORER_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_an_offered_programs_first_run_serves_equal_requests():
    trace = traced(FIRST_SIGHT)
    keep_offered(FIRST, Options(), trace)
    assert offered_result(read_text(FIRST_SIGHT), Options()) is trace
    assert offered_result(FIRST, Options(seed=8)) is None
    assert offered_result(replace(FIRST, files=(GivenFile("a.csv", b"1"),)), Options()) is None


def test_a_run_with_uploaded_files_is_not_cached():
    given = replace(FIRST, files=(GivenFile("a.csv", b"1" * 1_000_000),))
    keep_offered(given, Options(), traced(FIRST_SIGHT))
    assert offered_result(given, Options()) is None and not offered_runs._kept


@pytest.mark.parametrize(
    ("asked", "ran"), [(FIRST_SIGHT + "print(1)\n", FIRST_SIGHT + "print(1)\n"), (EXAMPLES["chain-rule"], "1 / 0")]
)
def test_edited_and_failed_programs_are_not_cached(asked, ran):
    keep_offered(read_text(asked), Options(), traced(ran))
    assert offered_result(read_text(asked), Options()) is None


def test_only_the_first_program_is_cached_for_the_next_start(cache, next_start):
    trace, second = traced(FIRST_SIGHT), EXAMPLES["chain-rule"]
    keep_offered(FIRST, Options(), trace)
    keep_offered(read_text(second), Options(), traced(second))
    next_start()
    assert offered_result(FIRST, Options()) == trace
    assert offered_result(FIRST, Options(seed=8)) is None
    assert offered_result(read_text(second), Options()) is None


@pytest.mark.parametrize("what", ["version", "python_version", "__version__"])
def test_a_run_of_another_version_is_not_used(cache, next_start, monkeypatch, what):
    keep_offered(FIRST, Options(), traced(FIRST_SIGHT))
    next_start()
    monkeypatch.setattr(offered_runs, what, "0" if what == "__version__" else lambda *_: "0")
    assert offered_result(FIRST, Options()) is None


@pytest.mark.parametrize("spoilt", [b"", b"\xc1", b"\x80" * 100, b"\x91" * 9_000_000])
def test_a_damaged_cache_file_is_replaced(cache, next_start, spoilt):
    trace = traced(FIRST_SIGHT)
    keep_offered(FIRST, Options(), trace)
    [file] = cache.iterdir()
    file.write_bytes(spoilt)
    next_start()
    assert offered_result(FIRST, Options()) is None
    keep_offered(FIRST, Options(), trace)
    next_start()
    assert offered_result(FIRST, Options()) == trace


def test_few_cache_files_are_kept(cache):
    trace = traced(FIRST_SIGHT)
    for seed in range(offered_runs.FILES + 3):
        keep_offered(FIRST, Options(seed=seed), trace)
    assert len(list(cache.iterdir())) == offered_runs.FILES


def test_caching_is_off_without_a_writable_folder(monkeypatch, tmp_path, next_start):
    (tmp_path / "file").write_text("")
    for place in ("", str(tmp_path / "file" / "below")):
        monkeypatch.setenv("EXPLORER_CACHE", place)
        keep_offered(FIRST, Options(), traced(FIRST_SIGHT))
        next_start()
        assert offered_result(FIRST, Options()) is None


def test_the_cached_picture_is_drawn_while_pytorch_loads(cache, next_start, monkeypatch):
    new_page().run()
    next_start()
    monkeypatch.setattr("explorer.ui.pages.autograd.page.ready", lambda: False)
    app = new_page().run()
    assert not app.exception
    drawn = [one.proto for one in app.get("bidi_component") if one.proto.component_name == "explorer_graph"]
    assert b"w + x" in drawn[0].bytes
