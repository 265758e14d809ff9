"""An advice is code of its program: its names exist there, and the fault ends when it is followed."""

import re
from contextlib import redirect_stdout, suppress
from io import StringIO

import pytest

from explorer.analysis.diagnose.faults.diagnosis import diagnose
from explorer.analysis.diagnose.messages import finding_text
from tests.faults.programs import PROGRAMS
from tests.programs import traced

PATHS = re.compile(r"[A-Za-z_]\w*(?:\.\w+|\[\d+\])+")
FOLLOWED = {  # program → code in its advice, and the changes that follow it
    "a_value_that_the_loss_of_its_policy_moves": ("advantage.detach()", [("* advantage)", "* advantage.detach())")]),
    "mask_of_bytes_turned_around": ("hidden.bool()", [("~hidden", "~hidden.bool()")]),
    "grad_of_non_leaf": ("w.retain_grad()", [("loss.backward()", "w.retain_grad()\nloss.backward()")]),
    "gradients_of_another_loss_are_left": (
        "to_d.zero_grad()",
        [("    to_d.zero_grad()\n", ""), ("    (D(G(z).det", "    to_d.zero_grad()\n    (D(G(z).det")],
    ),
    "clamped_and_not_cleared": ("opt.zero_grad()", [("    F.mse_loss", "    opt.zero_grad()\n    F.mse_loss")]),
    "cleared_outside_the_closure": ("opt.zero_grad()", [("    loss.back", "    opt.zero_grad()\n    loss.back")]),
    "bytes_below_zero": ("images.float()", [("(images - 128).float()", "(images.float() - 128)")]),
    "labels_that_fill_rows": ("t[torch.arange(len(y)), y] = 1", [("t[y] = 1", "t[torch.arange(len(y)), y] = 1")]),
    "accuracy_over_all_pairs": ("squeeze(1)", [("net(x)) > 0.5)", "net(x)).squeeze(1) > 0.5)")]),
    "kept_after_the_backward": (
        "h.retain_grad()",
        [("h.retain_grad()\n", ""), ("y.backward()", "h.retain_grad()\ny.backward()")],
    ),
    "module_frozen_by_an_attribute": (
        "net[0].requires_grad_(False)",
        [("net[0].requires_grad = False", "net[0].requires_grad_(False)")],
    ),
    "a_step_between_the_loss_and_its_backward": (
        "opt.step()",
        [("    opt.step()\n", ""), ("loss.backward()\n", "loss.backward()\n    opt.step()\n")],
    ),
    "gradients_clipped_while_scaled": (
        "scaler.unscale_(opt)",
        [("    nn.utils.clip", "    scaler.unscale_(opt)\n    nn.utils.clip")],
    ),
    "steps_without_a_backward": ("loss.backward()", [("    opt.step()", "    loss.backward()\n    opt.step()")]),
    "a_second_network_that_never_follows": (
        "other.load_state_dict(q.state_dict())",
        [("    with torch.no_grad()", "    other.load_state_dict(q.state_dict())\n    with torch.no_grad()")],
    ),
    "scheduler_first_in_a_function": (
        "opt.step()",
        [("        sched.step()\n", ""), ("opt.step()\n", "opt.step()\n        sched.step()\n")],
    ),
    "frozen_weight_that_its_decay_moves": (
        "net[0].weight.grad = None",
        [
            ("_grad = False", "_grad = False\n        net[0].weight.grad = None"),
            ("net.zero_grad(set_to_none=False)", "net.zero_grad()"),
        ],
    ),
    "step_that_is_forgotten_and_a_model_that_is_cleared": (
        "optimizer.step()",
        [("y).backward()\n", "y).backward()\n        optimizer.step()\n")],
    ),
    "best_weights_as_a_dictionary": (
        "copy.deepcopy(net.state_dict())",
        [("{name: value for name, value in net.state_dict().items()}", "copy.deepcopy(net.state_dict())")],
    ),
    "similarity_with_itself": (
        'table.fill_diagonal_(float("-inf"))',
        [("    loss = F.cross", '    table.fill_diagonal_(float("-inf"))\n    loss = F.cross')],
    ),
    "evaluated_while_training": ("net.eval()", [("with torch.no_grad", "net.eval()\nwith torch.no_grad")]),
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", FOLLOWED)
def test_a_fault_ends_when_its_advice_is_followed(name):
    (source, told), (advice, changes) = PROGRAMS[name], FOLLOWED[name]
    assert advice in " ".join(finding_text("en", one, "repair") for one in diagnose(traced(source)))
    for old, new in changes:
        assert old in source
        source = source.replace(old, new)
    trace = traced(source)
    kinds = {one.kind for one in diagnose(trace)}
    assert trace.status == "ok" and kinds.isdisjoint(kind for kind, _ in told)


@pytest.mark.sampled(24)
@pytest.mark.parametrize("name", [name for name, program in PROGRAMS.items() if program.told])
def test_an_advice_names_what_the_program_has(name):
    source, names = PROGRAMS[name].source, {}
    advices = [finding_text("en", one, "repair") for one in diagnose(traced(source))]
    with redirect_stdout(StringIO()), suppress(Exception):
        exec(source, names)
    for path in PATHS.findall(" ".join(advices)):
        if path.partition(".")[0].partition("[")[0] in names:
            eval(path, dict(names))
