"""The time line says what each moment of a program changes."""

from explorer.analysis.autograd import graph_view
from explorer.analysis.timeline import Births, sentences, timeline
from tests.programs import TWICE
from tests.timeline.states import state
from tests.traces import trace_of

PRODUCT = f"""{TWICE}
print(w.grad)
with torch.no_grad():
    w -= 0.1 * w.grad
w.grad = None
"""


def line_of(source, **options):
    trace = trace_of(source, **options)
    view = graph_view(trace, len(trace.backwards) - 1) if trace.backwards else graph_view(trace)
    return trace, view, timeline(trace, view)


def test_a_scalar_program_from_its_first_line_to_its_update():
    _, _, line = line_of(PRODUCT, statements=True)
    kinds = [moment.kind for moment in line.moments]
    assert kinds[:5] == ["operation"] * 5 and kinds[5:10] == ["backward"] * 5
    assert [chapter.kind for chapter in line.chapters] == ["forward", "backward", "update"]
    assert kinds[10:] == ["show", "statement", "operation", "write", "statement", "clear"]
    assert [line.moments[4].step, line.moments[5].step, line.moments[9].step] == [-1, 0, 4]


def test_names_and_cards_come_when_their_operation_ran():
    trace, view, line = line_of(PRODUCT, statements=True)
    made = {card.name: Births(trace, line).of(view)[card.id].made for card in view.cards}
    assert made == {"w": 1, "x": 2, "a": 3, "b": 4, "y": 5}
    for position, names in enumerate(([], ["w"], ["w", "x"], ["w", "x", "a"])):
        assert list(state(trace, line, position).names[0]) == names


def test_a_gradient_holds_from_its_arrival_until_it_is_cleared():
    trace, _, line = line_of(PRODUCT, statements=True)
    w = trace.bound("w")

    def gradient(position):
        stored = state(trace, line, position).gradients.get(w)
        return None if stored is None or stored.value < 0 else trace.value(stored.value).data[0]

    seen = [gradient(position) for position in range(len(line.moments) + 1)]
    arrived = seen.index(5.0)
    assert set(seen[:arrived]) == {None} and 6 < arrived <= 10 and seen[-2:] == [5.0, None]


def test_a_write_in_place_is_another_version_at_its_moment():
    trace, _, line = line_of(PRODUCT, statements=True)
    w, at = trace.bound("w"), [moment.kind for moment in line.moments].index("write")
    values = [trace.value_at(state(trace, line, position).versions[w]).data[0] for position in (at, at + 1)]
    assert values == [1.0, 0.5]


def test_a_gradient_that_is_returned_comes_with_its_backward():
    trace, _, line = line_of(
        """
        w = torch.tensor(3., requires_grad=True)
        g, = torch.autograd.grad((w ** 2).sum(), w)
        """,
        statements=True,
    )
    at = next(i for i, moment in enumerate(line.moments) if any(change.name == "g" for change in moment.names))
    assert line.moments[at].kind == "backward" and trace.bound("g") not in state(trace, line, at).versions


def test_code_of_the_program_within_an_operation_comes_before_its_result():
    trace, _, line = line_of(
        """
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x * 2
                return y + 0
            @staticmethod
            def backward(ctx, g):
                return 2 * g
        w = torch.tensor(3., requires_grad=True)
        d = Double.apply(w)
        """,
        statements=True,
    )
    inside = next(i for i, moment in enumerate(line.moments) if any(change.name == "y" for change in moment.names))
    assert trace.bound("d") not in state(trace, line, inside + 1).versions
    assert trace.bound("d") in state(trace, line, len(line.moments)).versions


def test_only_names_whose_entries_changed_are_told_to_share_a_write():
    trace, view, line = line_of(
        "x = torch.arange(6.).reshape(2, 3)\nrow = x[0]\nx[1, 2] = -1\nx[0] = 7", statements=True
    )
    told = zip(line.moments, sentences(trace, line, view, "en"), strict=True)
    assert ["`row`" in one for moment, one in told if moment.kind == "write"] == [False, True]


def test_a_hook_runs_between_the_steps_of_its_backward():
    trace, _, line = line_of(
        """
        w = torch.tensor(2., requires_grad=True)
        h = w * 3
        def at_h(g):
            print("h", g.item())
        h.register_hook(at_h)
        def after(p):
            print("w", p.grad.item())
        w.register_post_accumulate_grad_hook(after)
        y = h * h
        y.backward()
        print("end")
        """,
        statements=True,
    )
    ran = [(moment.kind, trace.line(moment.span), moment.step) for moment in line.moments]
    steps = [at for at, (kind, _, _) in enumerate(ran) if kind == "backward"]
    hooks = [at for at, (kind, _, _) in enumerate(ran) if kind == "enter"]
    assert [ran[at][2] for at in steps] == [0, 1, 2]
    assert steps[0] < hooks[0] < steps[1] < steps[2] < hooks[1]
    assert {line.chapters[moment.chapter].kind for moment in line.moments[steps[0] : hooks[1]]} == {"backward"}
    counts = [(moment.operations, moment.backwards) for moment in line.moments]
    assert counts == sorted(counts)


def test_small_tensors_in_what_a_function_returns_are_told_by_their_entries():
    _, _, line = line_of(
        """
        def halves(x):
            return x / 2, [x.sum()], x.shape, torch.ones(3, 4)
        pair = halves(torch.tensor([1., -3.]))
        """,
        statements=True,
    )
    (returned,) = [change for moment in line.moments for change in moment.names if change.name == "return"]
    assert returned.text == "([0.5, -1.5], [-2.0], torch.Size([2]), <Tensor 3×4>)"


def test_of_many_gradients_the_names_are_told_where_only_names_would_stand():
    trace, view, line = line_of(
        """
        factors = torch.linspace(-0.012345, 0.067891, 400).reshape(20, 20)
        p, q, r = (torch.zeros(20, 20, requires_grad=True) for _ in range(3))
        small = torch.zeros((), requires_grad=True)
        for _ in range(2):
            ((p + q + r + small) * factors).sum().backward()
        """
    )
    said = [
        said
        for moment, said in zip(line.moments, sentences(trace, line, view, "en"), strict=True)
        if moment.kind == "backward" and moment.step < 0
    ]
    assert len(said) == 1 and "1 more" in said[0] and "is now" not in said[0]


def test_truth_values_of_a_large_tensor_are_told_as_such():
    trace, view, line = line_of("mask = torch.tril(torch.ones(4, 4)).bool()")
    assert "`False … True (4, 4)`" in sentences(trace, line, view, "en")[-1]


def test_a_negative_base_is_in_brackets_and_an_object_is_not_shown_with_its_address():
    trace, view, line = line_of(
        "x = torch.tensor(-3., requires_grad=True)\ntorch.manual_seed(0)\ny = x ** 2\ny.backward()", statements=True
    )
    told = sentences(trace, line, view, "en")
    assert "`(−3) ** 2 = 9`" in " ".join(told) and "`torch.manual_seed(0)` runs." in told


def test_a_long_list_is_shown_by_its_first_entries_and_its_last():
    program = "w = torch.ones(1, requires_grad=True); h = []\nfor i in range(7):\n    h += [i + 0.1234]\nw.backward()"
    trace, view, line = line_of(program, statements=True)
    assert "`h = [0.1234, 1.1234, 2.1234, 3.1234, … 6.1234]`" in " ".join(sentences(trace, line, view, "en"))
