"""Whose turn it is."""

from dataclasses import dataclass

from explorer.sandbox.turns import Turns


@dataclass(eq=False)
class Waiter:
    session: str
    name: str


def queue(most: int):
    """Turns, the names in the order in which they began, and a function that asks for one."""
    began: list[str] = []
    turns = Turns(most, lambda waiter: began.append(waiter.name))

    def ask(session: str, name: str) -> Waiter:
        waiter = Waiter(session, name)
        waiter.replaced = turns.ask(waiter)
        return waiter

    return turns, began, ask


def test_so_many_at_once():
    turns, began, ask = queue(2)
    first, *_ = [ask("", name) for name in "abc"]
    assert began == ["a", "b"]
    turns.end(first)
    assert began == ["a", "b", "c"]


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


def test_a_busy_session_keeps_nobody_waiting():
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
