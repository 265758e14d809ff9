"""The film of a training loop: its pictures compared with the program's numbers and the full view."""

import base64
import json
import zlib
from itertools import pairwise
from textwrap import dedent

import msgspec
import pytest

from explorer.analysis.explain.autograd import graph_view, sentence
from explorer.analysis.explain.autograd.view_records import GraphView
from explorer.analysis.run.curves import Curves
from explorer.analysis.views.training.film import counted_view, film_at, films, step_view
from explorer.drawing.film import beside, film_frame, frames, halved, inspector_body
from explorer.drawing.graph.sizes import joined, room_of
from explorer.drawing.picture import NOTHING_OPENED, FilmPictures, Picture
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.text.numbers import number
from explorer.trace import Options, Trace
from tests.svg import to_svg
from tests.traces import trace_of

BY_HAND = """
import torch
x = torch.linspace(-1, 1, 8)
w = torch.tensor([0.5, 0.25], requires_grad=True)
for epoch in range({epochs}):
    for part in range(3):
        loss = ((w[0] * x + w[1] - 2 * x) ** 2).mean()
        loss.backward()
        print(loss.item(), w[1].item(), w.grad[1].item())
        with torch.no_grad():
            w -= 0.1 * w.grad
        w.grad = None
"""
PROGRAMS = {
    "by hand": BY_HAND.format(epochs=4),
    "optimizer": """
        from torch import nn
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
        for i in range(12):
            opt.zero_grad()
            loss = (net(torch.ones(4, 2)) - 1).square().mean()
            loss.backward()
            opt.step()
        """,
    "a new leaf in each step": """
        w = torch.tensor(0.0, requires_grad=True)
        for i in range(12):
            loss = (w - 3) ** 2
            loss.backward()
            w = (w - 0.1 * w.grad).detach().requires_grad_()
        """,
    "not a number": """
        w = torch.tensor([4.0, 2.0], requires_grad=True)
        for i in range(12):
            loss = (w ** 3).sum()
            loss.backward()
            with torch.no_grad():
                w -= 2.0 * w.grad
                w.grad.zero_()
        """,
    "two places": """
        a = torch.tensor(1.0, requires_grad=True)
        b = torch.tensor(2.0, requires_grad=True)
        for i in range(10):
            first = (a * b.detach()) ** 2
            first.backward()
            second = (a.detach() - b) ** 2
            second.backward()
        """,
}


def the_film(trace: Trace) -> Curves:
    (film,) = films(trace)
    return film


def pictures(trace: Trace, film: Curves) -> FilmPictures:
    """Return those of a film, without a layout."""
    base = graph_view(trace, film.base)
    views = [step_view(trace, film, one, base, explained=False) for one in range(len(film))]
    room = joined(room_of(one, "en") for one in (base, *filter(None, views)))
    return FilmPictures(trace, film, base, room, None, "en", True, NOTHING_OPENED)


def without_ids(view: GraphView) -> GraphView:
    name = {card.id: f"c{number}" for number, card in enumerate(view.cards)}
    change = msgspec.structs.replace
    return change(
        view,
        cards=tuple(change(card, id=name[card.id]) for card in view.cards),
        edges=tuple(change(edge, id="", source=name[edge.source], target=name[edge.target]) for edge in view.edges),
        roots=tuple(name[root] for root in view.roots),
    )


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_the_quick_view_of_a_step_agrees_with_the_full_view(source):
    trace = trace_of(source)
    for film in films(trace):
        base, same = graph_view(trace, film.base), 0
        for position in range(len(film)):
            quick, whole = (
                step_view(trace, film, position, base, explained=False),
                graph_view(trace, film.graph(position)),
            )
            if quick is not None:
                assert without_ids(quick) == without_ids(whole)
                assert sentence(quick, "en") == sentence(whole, "en")
                assert [card.id for card in quick.cards] == [card.id for card in base.cards]
                same += 1
        assert same >= len(film) - 1  # a name bound to a new tensor has another leaf in its first step


def test_at_most_eight_calls_have_no_film_and_two_places_have_two():
    assert films(trace_of(PROGRAMS["optimizer"].replace("range(12)", "range(8)"))) == ()
    assert [film.calls for film in films(trace_of(PROGRAMS["two places"]))] == [10, 10]


def test_a_step_with_another_graph_has_no_picture_in_the_common_layout():
    trace = trace_of("""
        w = torch.tensor(2.0, requires_grad=True)
        for i in range(12):
            loss = w ** 2 if i % 2 else (w ** 2).exp()
            loss.backward()
        """)
    film = the_film(trace)
    of_all = pictures(trace, film)
    assert [of_all.shared(position, False) is None for position in range(12)] == [True, False] * 6
    assert frames(of_all).pictures.keys() == {1, 3, 5, 7, 9, 11}


@pytest.fixture(scope="module")
def long():
    """Return the Trace of a loop whose middle is only counted, and the printed loss, w[1] and gradient per step."""
    program = read_program("-", BY_HAND.format(epochs=50).encode())
    trace = execute(program, Options(), operation_cap=400).check()
    printed = "".join(getattr(output, "text", "") for output in trace.cells[0].outputs)
    return trace, [tuple(map(float, line.split())) for line in printed.splitlines()]


def test_a_counted_step_shows_its_leaves_and_loss(long):
    trace, printed = long
    film = the_film(trace)
    counted = [position for position in range(len(film)) if film.graph(position) < 0]
    assert len(counted) > 50
    base = graph_view(trace, film.base)
    for position in counted[:: len(counted) // 7]:
        view = step_view(trace, film, position, base)
        loss, second, gradient = printed[film.number[position]]
        known = {card.name: card for card in view.cards if card.kept}
        assert known.keys() == {"loss", "w"}
        assert known["loss"].value.entries == pytest.approx((loss,))
        assert known["w"].value.entries[1] == pytest.approx(second)
        assert known["w"].gradient.entries[1] == pytest.approx(gradient)
        assert film.rounds[position] == (
            ("epoch", str(film.number[position] // 3)),
            ("part", str(film.number[position] % 3)),
        )


def test_a_counted_step_shows_only_its_known_values(long):
    trace, _ = long
    film = the_film(trace)
    position = next(number for number in range(len(film)) if film.graph(number) < 0)
    base = graph_view(trace, film.base)
    view = counted_view(film, position, base)
    others = [card for card in view.cards if not card.kept]
    assert others and all(card.value is None and card.gradient is None and not card.nodes for card in others)
    assert all(edge.contribution is None for edge in view.edges)
    drawn = Picture(trace, view, None, "en", film=(pictures(trace, film), position))
    assert f"Training step {film.number[position] + 1} of 150" in drawn.sentence()
    assert drawn.svg().count("not kept<") == len(others)
    assert "Not kept at this training step" in inspector_body(drawn, others[-1].id, "en")
    assert "Backward did not start" not in drawn.html() and "data-why" not in inspector_body(drawn, others[0].id, "en")
    lines = {one.line: one for one in beside(drawn)[0]}
    found = " ".join(number(entry) for entry in next(card for card in view.cards if card.name == "w").value.data)
    assert lines[4].value == f"0.5 0.25 → {found}" and lines[4].label == ".grad"  # after the line, and later
    assert 8 not in lines and 11 not in lines


def test_line_ends_show_the_values_of_their_round():
    trace = trace_of(PROGRAMS["by hand"])
    film = the_film(trace)
    of_all = pictures(trace, film)
    printed = "".join(getattr(output, "text", "") for output in trace.cells[0].outputs).splitlines()
    for position in (0, 5, 11):
        loss, _, gradient = map(float, printed[position].split())
        lines = {one.line: one for one in beside(of_all.at(position))[0]}
        assert float(lines[7].value) == pytest.approx(loss, rel=1e-2)
        assert lines[11].gradient.endswith(number(gradient, True))
    assert beside(of_all.at(0)) != beside(of_all.at(5))


def test_frames_are_the_pictures_of_their_steps():
    trace = trace_of(PROGRAMS["optimizer"])
    of_all = pictures(trace, the_film(trace))
    told = frames(of_all)
    read = json.loads(zlib.decompress(base64.b64decode(told.packed)))
    assert read["positions"] == list(range(12)) == list(told.pictures)

    def at(column: list, number: int) -> str:
        return next(text for text in reversed(column[: number + 1]) if text is not None)

    for position in (0, 6, 11):
        drawn = of_all.at(position)
        svg = "\n".join(at(column, position) for column in read["svg"])
        assert svg == to_svg(drawn.view, None, "en", room=of_all.room)
        assert at(read["legend"], position) == drawn.legend()
        assert json.loads(at(read["beside"], position)) == json.loads(msgspec.json.encode(beside(drawn)))
    assert len(told.packed) < 0.2 * sum(len(picture.svg()) for picture in told.pictures.values())


def test_a_leading_sentence_is_in_every_frame():
    trace = trace_of(PROGRAMS["by hand"])
    of_all = pictures(trace, the_film(trace))
    assert film_frame(of_all.at(3), 3, "<b>wrong</b>").sentence == "<b>wrong</b>"


def test_the_first_drawn_steps_are_spread_evenly():
    order = list(halved(range(100)))
    assert sorted(order) == list(range(100)) and order[:2] == [0, 99]
    first = sorted(order[:9])
    assert max(later - sooner for sooner, later in pairwise(first)) <= 25
    assert list(halved([7])) == [7] and list(halved([])) == []


def test_a_run_without_a_loop_has_no_film():
    assert film_at(trace_of("x = 1"), 0) is None


def test_a_counted_step_of_a_closed_model_has_no_numbers():
    source = """
    net = torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range(6)])
    for step in range(40):
        net.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
    """
    trace = execute(read_program("-", dedent(source).encode()), Options(), operation_cap=60).check()
    film = the_film(trace)
    position = next(number for number in range(len(film)) if film.graph(number) < 0)
    base = graph_view(trace, film.base)
    modules = [card.module for card in counted_view(film, position, base).cards if card.module]
    assert modules and all(one.norm is None and not one.gradients and not one.norms for one in modules)
    assert Picture(trace, base, None, "en", film=(pictures(trace, film), position)).html()
