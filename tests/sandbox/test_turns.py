"""Whose turn it is."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest

from explorer.sandbox.fair_queue import FairQueue, QueueFull


@dataclass(eq=False)
class Waiter:
    session: str
    name: str
    visitor: str = ""


def queue(most: int | Callable[[], int], crowd: int = 200):
    """Turns, the names in the order in which they began, and a function that asks for one."""
    began: list[str] = []
    turns = FairQueue(most, lambda waiter: began.append(waiter.name), crowd)

    def ask(session: str, name: str, visitor: str = "") -> Waiter:
        waiter = Waiter(session, name, visitor)
        waiter.replaced = turns.enqueue(waiter)
        return waiter

    return turns, began, ask


def test_so_many_at_once():
    turns, began, ask = queue(2)
    first, *_ = [ask("", name) for name in "abc"]
    assert began == ["a", "b"]
    turns.end(first)
    assert began == ["a", "b", "c"]


def test_there_may_be_more_turns_or_fewer_than_before():
    there = [1]
    turns, began, ask = queue(lambda: there[0])
    waiters = [ask("", name) for name in "abcd"]
    there[0] = 3
    assert began == ["a"]
    turns.again()
    assert began == ["a", "b", "c"]
    there[0] = 1
    for waiter in waiters[:2]:
        turns.end(waiter)
    assert began == ["a", "b", "c"]
    turns.end(waiters[2])
    assert began == ["a", "b", "c", "d"]


def test_one_running_and_one_waiting_per_session_and_the_newest_waits():
    turns, began, ask = queue(2)
    first, second, third = (ask("ada", name) for name in ("first", "second", "third"))
    assert began == ["first"]
    assert third.replaced is second and second.replaced is None
    assert turns.waiting() == [third]
    turns.end(first)
    assert began == ["first", "third"]


def test_a_session_that_asks_often_has_no_more_turns_than_others():
    turns, began, ask = queue(1)
    running = {session: ask(session, session) for session in "abc"}
    for _ in range(3):
        current = began[-1]
        following = ask(current, current)  # the next text of the session that has its turn: to the end of the queue
        turns.end(running[current])
        running[current] = following
    assert began == ["a", "b", "c", "a"]


def test_a_busy_session_does_not_delay_others():
    _, began, ask = queue(2)
    ask("ada", "running"), ask("ada", "waiting"), ask("bob", "other")
    assert began == ["running", "other"]


def test_positions_are_honest():
    turns, _, ask = queue(1)
    running, second, third, fourth = (ask(name, name) for name in "abcd")
    assert [turns.position(waiter) for waiter in (running, second, third, fourth)] == [0, 1, 2, 3]
    turns.leave(second)
    assert [turns.position(waiter) for waiter in (second, third, fourth)] == [0, 1, 2]
    newer = ask("c", "newer")
    assert [turns.position(waiter) for waiter in (third, newer, fourth)] == [0, 1, 2]
    turns.end(running)
    assert turns.position(newer) == 0


def test_who_left_the_queue_gets_no_turn():
    turns, began, ask = queue(1)
    running, gone, next_one = (ask("", name) for name in ("running", "gone", "next"))
    turns.leave(gone)
    turns.end(running)
    turns.end(running)  # twice is once
    assert began == ["running", "next"]
    assert turns.waiting() == []
    turns.end(next_one)


def test_who_opens_many_sessions_has_the_share_of_one_visitor():
    turns, began, ask = queue(2)
    attack = [ask(f"attack {i}", f"attack {i}", "mallory") for i in range(60)]
    ada, bob = ask("ada", "ada", "ada"), ask("bob", "bob", "bob")
    assert began == ["attack 0", "attack 1", "ada"]  # beyond the visitor's two turns
    assert turns.position(bob) == 1
    turns.end(attack[0])
    turns.end(attack[1])
    assert began[3:] == ["bob", "attack 2"]
    turns.end(ada)
    assert began[5:] == []  # mallory has a turn, and bob has one


def test_no_visitor_waits_for_more_than_two_turns_of_every_other():
    """One turn and another; some visitors have one session and request again, others have many waiting."""
    turns, began, ask = queue(1)
    running = {}
    for visitor, sessions in {"many": 50, "one": 1, "two": 1, "few": 3}.items():
        for i in range(sessions):
            running[f"{visitor} {i}"] = ask(f"{visitor} {i}", f"{visitor} {i}", visitor)
    for step in range(60):
        current = began[step]
        turns.end(running[current])
        running[current] = ask(current, current, current.split()[0])
    visitors = [name.split()[0] for name in began]
    for visitor in ("many", "one", "two", "few"):
        turns_of = [i for i, one in enumerate(visitors) if one == visitor]
        assert max(later - earlier for earlier, later in pairwise(turns_of)) <= 8


def test_a_visitor_with_too_many_waiting_runs_is_refused():
    turns, _, ask = queue(1, crowd=3)
    ask("running", "running", "mallory"), ask("other", "other", "eve")
    for i in range(3):
        ask(f"waiting {i}", "", "mallory")
    with pytest.raises(QueueFull):
        ask("one more", "", "mallory")
    assert ask("waiting 0", "newer", "mallory").replaced is not None
    assert turns.position(ask("ada", "", "ada")) == 1


def test_nothing_is_kept_of_visitors_who_are_gone():
    turns, _, ask = queue(1)
    for i in range(100):
        turns.end(ask("", "", f"visitor {i}"))
    assert turns._since == {}


def test_a_resting_run_yields_and_continues_at_its_next_turn():
    turns, began, ask = queue(1)
    first, second = ask("a", "first"), ask("b", "second")
    turns.rest(first)
    assert began == ["first", "second"] and not turns.has_turn(first)
    turns.wake(first)
    assert not turns.has_turn(first)
    turns.end(second)
    assert turns.has_turn(first) and began == ["first", "second"]


def test_a_session_whose_program_rests_begins_no_other():
    turns, began, ask = queue(2)
    first, _ = ask("a", "first"), ask("a", "second")
    turns.rest(first)
    assert began == ["first"]
    turns.end(first)
    assert began == ["first", "second"]


def test_a_visitor_with_many_who_rest_begins_nothing_more_and_others_do():
    turns, began, ask = queue(1)
    for number in range(8):
        turns.rest(ask(str(number), "asleep", "ada"))
    ask("9", "one more", "ada"), ask("10", "other", "bob")
    assert began == ["asleep"] * 8 + ["other"]


def test_a_run_that_ends_while_waiting_to_continue_is_removed():
    turns, _, ask = queue(1)
    first, second = ask("a", "first"), ask("b", "second")
    turns.rest(first), turns.wake(first), turns.leave(first), turns.end(first)
    turns.end(second)
    assert not turns.has_turn(first) and turns.waiting() == []
