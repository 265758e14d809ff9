"""Names of parameters, tensors and losses in reports."""

from explorer.analysis.diagnose.health.report import report as reported
from explorer.analysis.run.curves import curves
from explorer.api.answers import answering
from tests.traces import trace_of


def test_a_parameter_without_a_name_has_its_layer_and_role():
    trace = trace_of("import torch\nx = torch.ones(2, 3)\ntorch.nn.Linear(3, 1)(x).sum().backward()")
    assert [row.name for row in reported(trace).rows] == ["torch.nn.Linear(3, 1).weight", "torch.nn.Linear(3, 1).bias"]


def test_a_parameter_is_not_named_after_the_call_that_reads_it():
    trace = trace_of("""
        import torch
        layer = torch.nn.Linear(2, 2, bias=False)
        total = 0
        for _ in range(2):
            layer.weight = torch.nn.Parameter(layer.weight * 2)
            total = total + layer(torch.ones(2)).sum()
        total.backward()
        """)
    assert not [row.name for row in reported(trace).rows if "layer(" in row.name]


def test_a_name_rebound_in_each_round_is_listed_once():
    text = str(
        answering(
            trace_of("""
        import torch
        w = torch.tensor(2., requires_grad=True)
        for i in range(20):
            x = torch.ones(3, requires_grad=True)
            (w * x.detach()).sum().backward()
    """)
        ).report()
    )
    assert "No gradient reaches x " in text and "1 of 2 parameters have finite gradients" in text


def test_a_backward_of_a_librarys_own_tensor_is_named_by_its_call():
    text = str(
        answering(
            trace_of("""
        import torch
        x = torch.tensor([0.2, 0.5], dtype=torch.double, requires_grad=True)
        torch.autograd.functional.jacobian(torch.exp, x)
    """)
        ).report()
    )
    assert "a result inside torch.autograd.functional.jacobian(torch.exp, x): 1.22 → 1.65" in text


def test_tensors_of_one_name_are_listed_once_per_reason():
    rounds = "for i in range(8):\n    s = torch.ones(2, requires_grad=True)\n    h = s.detach() if i < 4 else s.data\n"
    lines = f"import torch\nw = torch.ones(2, requires_grad=True)\n{rounds}    (h * w).sum().backward()"
    told = str(reported(trace_of(lines)))
    assert told.count("(the last of 4 of this name)") == 2 and "s.detach()" in told and "s.data" in told


def test_a_line_of_a_notebook_names_its_cell():
    source = """
    import torch
    w = torch.ones(2, requires_grad=True)
    # %%
    loss = (w * 2).sum()
    loss.backward()
    # %%
    loss = (w * 3).sum()
    loss.backward()
    w + torch.ones(3)
    """
    said = str(answering(trace_of(source)).report())
    assert "loss = 4 (backward on line 2 of cell 2)" in said and "loss = 6 (backward on line 2 of cell 3)" in said
    assert "(line 3 of cell 3, w + torch.ones(3))" in said
    assert "单元格 3 第 2 行" in str(answering(trace_of(source)).report(lang="zh"))


def test_a_container_may_name_its_own_layers():
    source = """
    import torch
    class Chain(torch.nn.Sequential):
        def add_module(self, layer):
            self._modules[layer] = layer
    net = Chain()
    net.add_module(torch.nn.Linear(2, 3))
    net.add_module(torch.nn.Linear(3, 1))
    net(torch.ones(1, 2)).sum().backward()
    """
    report = answering(trace_of(source)).report()
    assert [row.name for row in report.parameters] == ["net.0.weight", "net.0.bias", "net.1.weight", "net.1.bias"]
    assert not report.limits


def test_a_tensor_is_named_by_its_assignment_instead_of_a_loop():
    trace = trace_of(
        "import torch\n"
        "def make(): return torch.autograd.Variable(torch.randn(3), requires_grad=True)\n"
        "w = make()\n"
        "def clear():\n"
        "    for p in [w]:\n"
        "        if p.grad is not None: p.grad = None\n"
        "a, b = torch.optim.Adam([w]), torch.optim.SGD([w], lr=0.1)\n"
        "for _ in range(3):\n"
        "    (w**2).sum().backward(); a.step(); b.step(); clear()"
    )
    assert answering(trace).report().optimizers.in_several == ("w",)


def test_replaced_parameters_keep_their_first_names():
    source = """
    import torch
    from torch import nn
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    model(torch.ones(2, 3)).sum().backward()
    model[1] = nn.Linear(4, 1)  # a new head
    model(torch.ones(2, 3)).sum().backward()
    """
    trace = trace_of(source)
    rows = [(row.name, row.shape) for row in reported(trace).rows]
    assert rows.count(("model.1.weight", (2, 4))) == rows.count(("model.1.weight", (1, 4))) == 1 and len(rows) == 6
    assert answering(trace).gradient("model.1.weight").shape == (1, 4)


def test_a_target_networks_parameters_share_one_line():
    said = str(
        answering(
            trace_of("""
                import torch
                from torch import nn
                def network():
                    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1))
                online, target = network(), network()
                x = torch.ones(2, 3)
                with torch.no_grad():
                    wanted = 1 + target(x)
                (online(x) - wanted).square().mean().backward()
                """)
        ).report()
    )
    assert "No gradient reaches target.0.weight" in said and "6 of 12 parameters have finite gradients" in said
    assert "Without a gradient too (5): target.0.bias, target.2.weight, target.2.bias, …" in said


def test_leaves_made_on_one_line_are_named_by_their_list():
    program = """
        import torch
        def layers(*sizes):
            found = []
            for i, o in zip(sizes, sizes[1:]):
                w = torch.ones(i, o, requires_grad=True)
                found.append(w)
            return found
        weights = layers(2, 3, 1)
        for _ in range(2):
            (torch.ones(1, 2) @ weights[0] @ weights[1]).sum().backward()
        """
    trace = trace_of(program)
    assert [row.name for row in answering(trace).report().parameters] == ["weights[0]", "weights[1]"]
    assert [leaf.name for leaf in curves(trace).leaves] == ["weights[0]", "weights[1]"]


LIBRARY = """
import torch
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, x):
        ctx.save_for_backward(w, x)
        return w * x
    @staticmethod
    def backward(ctx, g):
        w, x = ctx.saved_tensors
        with torch.enable_grad():
            y = x.detach().requires_grad_()
            torch.autograd.grad((w.detach() * y * y).sum(), y)
        return g * x, None
class Quantizer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("no" + "thing", torch.tensor(0.0))  # no text of the program has its name
    def forward(self, x):
        return x, self.get_buffer("no" + "thing").requires_grad_()
class Trainer:
    def __init__(self, net):
        self.net = net
    def step(self, batch):
        optimizer = torch.optim.SGD(self.net.parameters(), 0.1)
        self.net(batch).sum().backward()
        optimizer.step()
"""


IMPORTED = f"""
import types, torch
library = types.ModuleType("library")
exec(compile({LIBRARY!r}, "/usr/lib/python3/site-packages/library.py", "exec"), library.__dict__)
net, x = torch.nn.Linear(2, 1), torch.ones(1, 2)
"""


def test_leaves_created_in_a_librarys_backward_have_no_rows():
    rounds = "for _ in range(3):\n    library.Product.apply(net.weight, x).sum().backward()\n"
    assert [row.name for row in reported(trace_of(IMPORTED + rounds)).rows] == ["net.weight", "net.bias"]


def test_an_argument_of_a_trainer_does_not_name_its_optimizer():
    told = reported(trace_of(f"{IMPORTED}trainer = library.Trainer(net)\ntrainer.step(x)\n"))
    assert [optimizer.name for optimizer in told.optimizers.optimizers] == ["SGD"]


def test_a_buffer_returned_as_a_librarys_loss_is_not_a_missing_weight():
    rounds = (
        "net = torch.nn.Sequential(net, library.Quantizer())\n"
        "optimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
        "for _ in range(4):\n    optimizer.zero_grad()\n    y, loss = net(x)\n"
        "    (y.sum() + loss).backward()\n    optimizer.step()\n"
    )
    assert answering(trace_of(IMPORTED + rounds)).report().sound


def test_parameters_inside_vmap_have_names_of_their_own():
    told = reported(
        trace_of("""
    import torch
    from torch.func import functional_call, grad, vmap
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))
    def loss(p, x):
        return functional_call(net, p, (x,)).sum()
    for _ in range(2):
        p = {name: value.detach() for name, value in net.named_parameters()}
        vmap(grad(loss), in_dims=(None, 0))(p, torch.ones(4, 3))
    """)
    )
    names = [row.name for row in told.rows]
    assert len(set(names)) == len(names) == 12
    assert sum("vmap" in name and "net.0.weight" in name for name in names) == 1  # in the first round
