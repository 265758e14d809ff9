"""Whose turn it is."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import pytest

from explorer.sandbox.fair_queue import FairQueue, QueueFull, expected_wait


@dataclass(eq=False)
class Waiter:
    session: str
    name: str
    visitor: str = ""


def queue(most: int | Callable[[], int], crowd: int = 200):
    """Return turns, the names in starting order, and a function that requests a turn."""
    began: list[str] = []
    turns = FairQueue(most, lambda waiter: began.append(waiter.name), crowd)

    def ask(session: str, name: str, visitor: str = "") -> Waiter:
        waiter = Waiter(session, name, visitor)
        waiter.replaced = turns.enqueue(waiter)
        return waiter

    return turns, began, ask


def test_the_number_of_turns_is_limited():
    turns, began, ask = queue(2)
    first, *_ = [ask("", name) for name in "abc"]
    assert began == ["a", "b"]
    turns.end(first)
    assert began == ["a", "b", "c"]


def test_the_number_of_turns_can_change():
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


def test_a_session_has_one_running_and_its_newest_waiting_run():
    turns, began, ask = queue(2)
    first, second, third = (ask("ada", name) for name in ("first", "second", "third"))
    assert began == ["first"]
    assert third.replaced is second and second.replaced is None
    assert turns.waiting() == [third]
    turns.end(first)
    assert began == ["first", "third"]


def test_frequent_requests_get_no_additional_turns():
    turns, began, ask = queue(1)
    running = {session: ask(session, session) for session in "abc"}
    for _ in range(3):
        current = began[-1]
        following = ask(current, current)  # the session has its turn, so its next text goes to the end of the queue
        turns.end(running[current])
        running[current] = following
    assert began == ["a", "b", "c", "a"]


def test_a_busy_session_does_not_delay_others():
    _, began, ask = queue(2)
    ask("ada", "running"), ask("ada", "waiting"), ask("bob", "other")
    assert began == ["running", "other"]


def test_queue_positions_are_correct():
    turns, _, ask = queue(1)
    running, second, third, fourth = (ask(name, name) for name in "abcd")
    assert [turns.position(waiter) for waiter in (running, second, third, fourth)] == [0, 1, 2, 3]
    turns.leave(second)
    assert [turns.position(waiter) for waiter in (second, third, fourth)] == [0, 1, 2]
    newer = ask("c", "newer")
    assert [turns.position(waiter) for waiter in (third, newer, fourth)] == [0, 1, 2]
    turns.end(running)
    assert turns.position(newer) == 0


@pytest.mark.parametrize(
    "position, elapsed, lengths, most, expected",
    [
        (1, [1.0], [], 1, None),  # no data yet
        (1, [1.0], [4.0], 0, None),  # no worker
        (1, [1.0], [4.0], 1, 3.0),
        (3, [1.0], [4.0], 1, 11.0),
        (3, [1.0, 3.0], [3.0, 5.0], 2, 5.0),
        (1, [20.0], [2.0], 1, 20.0),  # longer than the average, so as long again
        (1, [1.0, 0.0, 0.0], [4.0], 2, 3.0),  # more than the maximum
        (1, [], [4.0], 1, 0.0),
    ],
)
def test_a_wait_is_estimated_from_place_and_recent_turns(position, elapsed, lengths, most, expected):
    assert expected_wait(position, elapsed, lengths, most) == expected


def test_the_estimate_leaves_out_the_time_that_a_run_rests():
    now = [0.0]
    turns = FairQueue(1, lambda waiter: None, clock=lambda: now[0])
    resting, second, third = (Waiter(name, name) for name in ("resting", "second", "third"))
    for waiter in (resting, second, third):
        turns.enqueue(waiter)
    assert turns.expected_wait(third) is None
    now[0] = 2.0
    turns.rest(resting)
    turns.wake(resting)
    now[0] = 6.0
    turns.end(second)  # 4 seconds
    now[0] = 8.0
    assert turns.expected_wait(third) == 4.0  # `resting` had 2 + 2, the average: it may take as long again
    turns.end(resting)
    assert turns.position(third) == 0 and turns.expected_wait(third) == 0.0


def test_runs_that_left_the_queue_get_no_turn():
    turns, began, ask = queue(1)
    running, gone, next_one = (ask("", name) for name in ("running", "gone", "next"))
    turns.leave(gone)
    turns.end(running)
    turns.end(running)  # ending it twice has no effect
    assert began == ["running", "next"]
    assert turns.waiting() == []
    turns.end(next_one)


def test_many_sessions_share_one_visitors_turns():
    turns, began, ask = queue(2)
    attack = [ask(f"attack {i}", f"attack {i}", "mallory") for i in range(60)]
    ada, bob = ask("ada", "ada", "ada"), ask("bob", "bob", "bob")
    assert began == ["attack 0", "attack 1", "ada"]  # more than the visitor's two turns
    assert turns.position(bob) == 1
    turns.end(attack[0])
    turns.end(attack[1])
    assert began[3:] == ["bob", "attack 2"]
    turns.end(ada)
    assert began[5:] == []  # mallory has a turn, and bob has one


def test_a_visitor_waits_at_most_two_turns_of_each_other():
    """Some visitors have one session and request again, others have many waiting sessions."""
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


def test_departed_visitors_are_forgotten():
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


def test_a_resting_sessions_next_run_waits():
    turns, began, ask = queue(2)
    first, _ = ask("a", "first"), ask("a", "second")
    turns.rest(first)
    assert began == ["first"]
    turns.end(first)
    assert began == ["first", "second"]


def test_a_visitor_with_many_resting_runs_waits_and_others_do_not():
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
