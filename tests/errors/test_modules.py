"""Errors of torch.nn, torch.optim, torch.utils.data and torch.linalg: the cause and the change that is offered."""

from tests.errors.told import told


def test_no_flag_that_silences_is_offered_for_a_state_dict_that_does_not_fit():
    for given in ("{'weight': torch.ones(1, 2)}", "nn.Linear(3, 1).state_dict()", "nn.Linear(2, 4).state_dict()"):
        found = told(f"from torch import nn\nimport torch\nnn.Linear(2, 1).load_state_dict({given})")
        assert found.kind.startswith("state-dict-") and not found.repaired_source
