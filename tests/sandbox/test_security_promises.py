"""SECURITY.md sentence by sentence: each promise names the tests that would fail were it untrue."""

import ast
import os
import re
from pathlib import Path

import pytest

from explorer.sandbox import probe
from explorer.sandbox.parent import REPLACE_AFTER
from explorer.trace import MAX_BYTES
from explorer.trace.bounds import SHOWN

ROOT = Path(__file__).parents[2]
PAGE = re.sub(r"\s+", " ", (ROOT / "SECURITY.md").read_text(encoding="utf-8").replace("\n- ", "\n"))
PROMISED = PAGE[PAGE.index("## What is promised") : PAGE.index("## What is not promised")]

# What the page says, by the file with its tests (in tests/) and their names.
TESTS = {
    "On Linux, where `python -m explorer doctor` says **full** or **seccomp and limits**, a program cannot": (
        "sandbox/test_confine.py: what_is_missing_decides_the_level what_holds_here",
    ),
    "change a file of the machine, or read one.": ("sandbox/test_attacks.py: files_of_the_machine_are_out_of_reach",),
    "Only at *full* it reads some: Python's own library, the packages beside it, this package, and single shared "
    "libraries of the system that those need;": (
        "sandbox/test_apart.py: of_the_systems_folders_only_single_libraries_can_be_opened",
        "sandbox/test_apart.py: what_python_imports_late_can_be_imported",
    ),
    "open a connection, listen, or send anything to another process but its answer to the server;": (
        "sandbox/test_attacks.py: processes_network_and_rights_are_out_of_reach",
        "sandbox/test_ring.py: nothing_but_computing_is_answered",
    ),
    "start a process or a thread;": (
        "sandbox/test_attacks.py: processes_network_and_rights_are_out_of_reach a_new_process_cannot_pass_for_a_thread",
    ),
    "send a signal to another process, trace it, read its memory, or ask whether it exists;": (
        "sandbox/test_apart.py: no_question_about_another_process_is_answered",
        "sandbox/test_attacks.py: a_program_sees_no_other_process system_calls_that_are_not_listed_are_not_made",
    ),
    "see the environment, the arguments or the descriptors of the server;": (
        "sandbox/test_confine.py: the_environment_is_empty its_socket_and_its_emergency_pipe_are_all_that_is_open",
        "sandbox/test_apart.py: a_process_finds_no_argument_and_no_variable_of_the_server_in_its_memory",
    ),
    "see anything of another run: its text, its results, its memory.": (
        "sandbox/test_runner.py: runs_share_nothing a_child_forked_ahead_holds_nothing_of_those_that_run",
    ),
    "Runs share no descriptor, no memory that can be written, and no place to wait at;": (
        "sandbox/test_apart.py: flags_that_a_run_sets_on_its_streams_are_seen_by_no_other memory_cannot_be_shared",
        "sandbox/test_apart.py: a_child_shares_no_writable_memory_with_its_parent",
    ),
    "gain rights: it is never root, has no new privileges, and no capability but, where Python itself lies in a folder "
    "that only root may enter, that of reading it;": (
        "sandbox/test_ring.py: a_program_is_never_root nothing_but_computing_is_answered",
        "sandbox/test_apart.py: root_that_cannot_become_somebody_else_is_not_for_strangers",
        "sandbox/test_security_promises.py: of_capabilities_it_has_at_most_that_of_reading",
    ),
    "compute for longer than its time limit plus two seconds, or last longer than eight times that limit and a "
    "second;": (
        "sandbox/test_runner.py: an_endless_loop_is_killed_in_its_line an_endless_loop_in_c_code_is_killed_in_its_line",
        "sandbox/test_limits.py: the_time_limit_counts_what_the_program_computes",
        "sandbox/test_ring.py: a_program_that_stops_itself_or_waits_for_ever_ends_at_its_limit",
    ),
    "take more than 100 MB of new memory beyond its memory limit.": ("sandbox/test_runner.py: memory_has_a_bound",),
    "It can copy pages that it shares with its parent, but its address space is never larger than the parent's by more "
    "than that;": ("sandbox/test_ring.py: its_address_space_is_that_of_its_parent_and_300_mb",),
    "make the server read more than 8 MB of its answer and 4 MB of what it says before, or anything that is not well "
    "formed.": (
        "sandbox/test_runner.py: a_flood_is_read_to_its_bound_and_no_further garbage_is_no_result",
        "sandbox/test_runner.py: what_is_told_is_not_believed",
        "sandbox/test_replies.py: forged_lengths_and_ids flipped_bytes",
    ),
    "What it prints is folded at 64 KB in its own process: once it has left the language ring, the bounds on its "
    "answer are the only ones: its 8 MB, and 2 million characters that all outputs show.": (
        "sandbox/test_torch_runs.py: a_limit_says_where_it_struck",
        "sandbox/test_security_promises.py: what_all_outputs_show_is_bounded",
        "test_views.py: a_result_of_too_much_is_refused",
    ),
    "The server never compiles, evaluates or unpickles what a program or its process sends.": (
        "sandbox/test_security_promises.py: nothing_outside_the_child_evaluates_or_unpickles",
    ),
    "Whatever it shows is escaped.": (
        "drawing/test_inspector.py: the_programs_text_is_escaped",
        "drawing/test_broadcasting.py: the_programs_text_is_escaped",
    ),
    "No text keeps the server itself busy: what it reads of a program, a paste, a link or a result takes time in "
    "proportion to it, below a second for the largest it takes.": (
        "test_patterns.py: the_server_takes_its_patterns_from_one_place",
        "test_patterns.py: every_pattern_takes_time_in_proportion_to_its_text",
        "test_readers.py: a_reader_takes_time_in_proportion_to_its_text",
        "test_views.py: what_a_view_takes_grows_no_faster_than_its_trace",
        "test_views.py: no_view_of_a_trace_that_is_large_in_every_way_takes_long_or_much_memory",
    ),
    "What could take longer, laying out a graph and explaining errors, is done in confined processes that are killed "
    "after 1 and 1.5 seconds; the program's picture and torch's own words then stand without it.": (
        "sandbox/test_layout.py: a_layout_that_takes_too_long_is_killed_and_others_go_on",
        "test_explained.py: a_child_that_hangs_or_lies_leaves_the_words_of_torch",
    ),
    "Files that somebody gives (10, 5 MB each, 6 MB together; where nobody else types 40 MB each, 48 MB together) stay "
    "in that session's memory in the server, which never looks into them, and are sent to the processes of that "
    "session's runs alone.": (
        "ui/test_given.py: where_strangers_type_files_are_smaller",
        "program/test_given.py: the_bounds_say_what_they_are",
        "program/test_given.py: files_travel_with_the_request_and_a_forged_one_is_turned_down",
    ),
    "They are gone with the session; no link and no saved program or Trace holds them.": (
        "program/test_given.py: no_saved_program_and_no_trace_holds_them",
    ),
    "What the Data page knows of a file before it is read, a program of ours found out in such a process.": (
        "data/test_reading.py: the_child_looks_into_a_file_as_a_program_under_the_language_ring",
        "data/test_reading.py: what_a_child_says_of_a_file_is_not_trusted",
    ),
    "What stands behind it, in the order in which a process gives it up: arguments and variables of the server, "
    "namespaces of its own (network, IPC, host name, mounts that can only be read; an empty `/proc`), no new "
    "privileges, an unprivileged user without capabilities, Landlock, closed descriptors, resource limits, an "
    "undumpable process, a seccomp filter that lists what is allowed.": (
        "sandbox/test_attacks.py: the_parent_has_given_up_what_its_children_have",
        "sandbox/test_ring.py: its_mounts_can_only_be_read",
        "sandbox/test_confine.py: a_mechanism_that_is_refused_is_not_reported limits_cannot_be_raised",
    ),
    "Every run is a fresh process, forked from one that has never seen a program, is confined itself, and is replaced "
    "after 300 runs.": (
        "sandbox/test_many.py: a_parent_is_replaced_while_it_serves",
        "sandbox/test_security_promises.py: a_parent_serves_three_hundred_runs",
    ),
    "One process is forked ahead of the run that it will serve; it is confined when it gets its program, and like all "
    "others serves one.": ("sandbox/test_runner.py: a_child_is_forked_ahead_and_may_die_there",),
    "Layouts of graphs and explanations of errors are computed in processes that are confined in the same way.": (
        "sandbox/test_security_promises.py: layouts_are_computed_by_a_parent_that_is_confined_the_same_way",
    ),
    "Beneath the boundary that the operating system draws, a language ring refuses what a program has no use for and "
    "says so with its place. It is there for clear answers and as a second wall; but for the 64 KB nothing above "
    "depends on it.": ("sandbox/test_attacks.py: files_of_the_machine_are_out_of_reach",),  # no ring holds those back
    "The server tells browsers that only its own pages may frame it, and that nothing is loaded from elsewhere or sent "
    "there.": (
        "ui/test_server.py: no_other_site_may_frame_the_app_and_no_answer_is_taken_for_another_kind",
        "ui/test_server.py: nothing_is_loaded_from_elsewhere_nor_sent_there",
        "browser/test_framed.py: no_other_site_can_show_the_app_in_a_frame",
    ),
    "At home a program that comes with a link runs by itself only where the page is no frame.": (
        "browser/test_framed.py: a_link_in_a_frame_waits_to_be_run",
    ),
}

# What the other parts of the page say of this program (not of the machine around it).
MORE = {
    "below *full* also the host's name": ("sandbox/test_security_promises.py: what_the_page_says_can_be_learned_can",),
    "Visitors have equal shares however many sessions they open, and one turn is kept for who has none": (
        "sandbox/test_many.py: one_visitor_with_sixty_sessions_keeps_no_other_waiting",
        "sandbox/test_turns.py: no_visitor_waits_for_more_than_two_turns_of_every_other",
    ),
    "doctor fails, and the app runs nothing, below *seccomp and limits*.": (
        "sandbox/test_hosted.py: the_app_runs_nothing_on_a_machine_that_is_not_fit doctor_says_so_and_fails",
    ),
    "A process that turns out to be confined less than that ends before it has read its program;": (
        "sandbox/test_confine.py: a_child_that_is_confined_less_than_it_must_runs_nothing",
    ),
    "every run is one line of JSON on standard error": (
        "sandbox/test_hosted.py: the_log_has_a_line_for_every_run_and_not_a_word_of_it",
    ),
    "With any other word doctor fails and the app runs nothing.": (
        "sandbox/test_hosted.py: a_word_that_is_neither_is_refused_and_not_taken_for_no",
    ),
    "To let pages of another site frame the app, name it": ("ui/test_server.py: the_owner_says_who_may_frame_it",),
    "`/_stcore/metrics` is not served.": ("ui/test_server.py: counts_of_the_server_are_not_shown",),
    "Told to end (SIGTERM), the server does so within five seconds": (
        "sandbox/test_siege.py: a_server_that_is_told_to_end_does_so_beside_programs_without_an_end",
    ),
    "A visitor is an address (of IPv6 its first 64 bits).": (
        "sandbox/test_hosted.py: visitors_are_addresses_and_a_household_is_one",
    ),
}


def test_every_sentence_of_what_is_promised_has_its_tests():
    left = PROMISED.removeprefix("## What is promised")
    for sentence in TESTS:
        assert left.count(sentence) == 1, sentence
        left = left.replace(sentence, "")
    assert not left.strip(), f"say which tests hold this: {left.strip()}"


@pytest.mark.parametrize("sentence", MORE)
def test_what_else_is_said_is_still_said(sentence):
    assert sentence in PAGE


@pytest.mark.parametrize("named", sorted({named for tests in (*TESTS.values(), *MORE.values()) for named in tests}))
def test_the_tests_that_are_named_exist(named):
    path, _, names = named.partition(": ")
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    there = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert {f"test_{name}" for name in names.split()} <= there


EVALUATING = {"eval", "exec", "compile", "__import__"}
UNPICKLING = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "ast", "joblib"}
INSIDE = ("runtime", "recorded.py")  # the child's room, and what records its owner's own code
FORMULAS = ("derivatives/computing.py", "autograd/expressions.py", "autograd/passing.py")  # our own table's, parsed


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted([ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("explorer/**/*.py")])
        if not set(INSIDE) & set(path.parts)
    ],
    ids=lambda path: path.stem,
)
def test_nothing_outside_the_child_evaluates_or_unpickles(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in EVALUATING
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module] if isinstance(node, ast.ImportFrom) else []
        found = UNPICKLING & {name.split(".")[0] for name in names}
        assert found <= ({"ast"} if f"{path.parent.name}/{path.name}" in FORMULAS else set())


def status(pid: int) -> dict[str, str]:
    with open(f"/proc/{pid}/status") as file:
        return dict(line.split(":\t", 1) for line in file.read().splitlines())


def test_layouts_are_computed_by_a_parent_that_is_confined_the_same_way(runner):
    assert runner.layouts.ready(30)
    programs, layouts = status(runner.programs.pid), status(runner.layouts.pid)
    for name in ("NoNewPrivs", "Seccomp", "Uid", "Gid", "CapEff", "CapPrm", "CapInh", "CapAmb", "Groups"):
        assert programs[name] == layouts[name]


def test_of_capabilities_it_has_at_most_that_of_reading(runner):
    fields = status(runner.programs.pid)
    assert int(fields["CapEff"], 16) & ~(1 << 2) == int(fields["CapPrm"], 16) & ~(1 << 2) == 0
    assert int(fields["CapInh"], 16) == int(fields["CapAmb"], 16) == 0


def test_a_parent_serves_three_hundred_runs():
    assert REPLACE_AFTER == 300


def test_what_all_outputs_show_is_bounded():
    assert (MAX_BYTES, SHOWN) == (8_000_000, 2_000_000)


def test_what_the_page_says_can_be_learned_can(outputs):
    """And no more of a file than that: a promise that is too dark would be untrue as well."""
    code = "import os\nanswer = repr((os.uname().release, {}))"
    looked = "os.stat('/etc/passwd').st_size" if probe().landlock else "1"
    release, size = ast.literal_eval(outputs(code.format(looked))[1][0].text)
    assert release == os.uname().release and size > 0
