"""Losses of trainings in reports."""

from textwrap import dedent

from explorer.analysis.diagnose.health.report import report as reported
from explorer.api.answers import answering
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.text.numbers import number
from explorer.trace import Options
from tests.traces import trace_of


def test_a_training_loop_is_reported_once():
    told = answering(
        trace_of("""
        import torch
        w = torch.tensor([2.0], requires_grad=True)
        for _ in range(3):
            loss = (w * w).sum()
            loss.backward()
            w.data -= 0.1 * w.grad
        """)
    ).report()
    assert "loss: 4 → " in str(told) and "over 3 backward calls" in str(told)
    row = told.parameters["w"]
    assert row.backward == 3 and row.held.norm > 0 and "added to an existing .grad of norm" in str(told.parameters)


def test_two_losses_of_two_models_keep_the_gradients_of_both():
    told = answering(
        trace_of("""
        import torch
        a = torch.tensor(2.0, requires_grad=True)
        b = torch.tensor(3.0, requires_grad=True)
        (a * a).backward()
        (b * b).backward()
        """)
    ).report()
    assert {row.name: (row.backward, row.gradient.data) for row in told.parameters} == {"a": (1, (4,)), "b": (2, (6,))}
    assert [one.state for one in answering(trace_of("a = 1")).parameters()] == []


def test_losses_of_models_trained_in_turn_are_not_one_curve():
    told = str(
        reported(
            trace_of("""
            import torch
            def train(start, rate):
                w = torch.tensor(start, requires_grad=True)
                for i in range(3):
                    loss = w ** 2
                    loss.backward()
                    w.data -= rate * w.grad
                    w.grad = None
            for start, rate in ((2., 0.5), (4., 0.)):
                train(start, rate)
            """)
        )
    )
    assert "loss: 4 → 0, 16 → 16 over 6 backward calls on line 7, each for its own leaves" in told


def test_a_last_call_that_was_only_counted_is_not_shown_as_the_last():
    loop = """
        import torch
        w = torch.tensor(1., requires_grad=True)
        for i in range(3_000):
            loss = (w - 3) ** 2
            loss.backward()
            w.data -= 0.0001 * w.grad
            w.grad = None
        """
    trace = execute(read_program("-", dedent(loop).encode()), Options(), operation_cap=400)
    told = str(reported(trace))
    last = reported(trace).losses[-1].value
    assert f"loss: 4 → {number(last.item())} in the last recorded of 3,000 backward calls on line 6" in told
    assert trace["loss"].item() < last.item()


def test_losses_of_one_line_form_one_curve_even_if_earlier_results_are_freed():
    text = str(
        answering(
            trace_of("""
        import torch
        class Output(dict):
            def __getattr__(self, name): return self[name]
        w = torch.ones(3, requires_grad=True)
        for _ in range(4):
            out = Output(loss=(w * w).sum())
            out.loss.backward()
    """)
        ).report()
    )
    assert "out.loss: 3 → 3 over 4 backward calls" in text


GAN = """
    import torch
    torch.manual_seed(0)
    G, D = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
    g_opt, d_opt = (torch.optim.SGD(net.parameters(), lr=0.1) for net in (G, D))
    for step in range(3):
        for p in D.parameters():
            p.requires_grad = True
        fake = G(torch.randn(4, 2))
        d_opt.zero_grad()
        (D(fake.detach()).square().mean() + (D(torch.ones(4, 2)) - 1).square().mean()).backward()
        d_opt.step()
        for p in D.parameters():
            p.requires_grad = {}
        g_opt.zero_grad()
        (D(fake) - 1).square().mean().backward()
        g_opt.step()
    """


def test_both_networks_of_a_gan_have_their_own_loss_gradients():
    rows = answering(trace_of(GAN.format("True"))).report().parameters
    assert [rows[name].backward for name in ("D.weight", "D.bias", "G.weight", "G.bias")] == [5, 5, 6, 6]
    assert rows["D.bias"].brought_again == 16  # the line of the other backward, which added to it


def test_a_step_before_freezing_is_not_a_later_change():
    rows = answering(trace_of(GAN.format("False"))).report().parameters
    assert {(row.state, row.moved) for row in rows if row.name.startswith("D")} == {("frozen", 0)}


def test_the_loss_of_a_training_without_recorded_graphs_is_reported():
    program = """
        import torch
        for i in range(60):
            torch.ones(()) + i
        w = torch.ones(2, requires_grad=True)
        for i in range(4):
            loss = (w * w).sum()
            loss.backward()
            with torch.no_grad():
                w -= 0.25 * w.grad
            w.grad = None
        for i in range(60):
            torch.ones(()) + i
        """
    trace = execute(read_program("-", dedent(program).encode()), Options(), operation_cap=100)
    assert not trace.backwards and "loss: 2 → 0.03125 over 4 backward calls" in str(reported(trace))
