"""The table names real things, and the whole of it can be printed."""

import ast
import importlib

import pytest

from explorer.doctor import policy
from explorer.runtime.policy.extras import installed, is_extra
from explorer.runtime.policy.kinds import full_name
from explorer.runtime.policy.rows import module_names
from explorer.runtime.policy.table import WHY
from explorer.runtime.policy.table_modules import MODULES
from explorer.runtime.policy.table_types import TYPES, WRITES
from explorer.text import say


def skip_where_not_installed(name: str) -> None:
    """A host need not have every library that programs may use."""
    library = name.partition(".")[0]
    if (is_extra(name) or library == "scipy") and not installed(library):
        pytest.skip(f"{library} is not installed")


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith("IPython")])
def test_every_name_of_a_module_is_there(name):
    skip_where_not_installed(name)
    module = importlib.import_module(name)
    assert [one for one in module_names(name) if not hasattr(module, one)] == []
    assert name.rpartition(".")[0] in ("", *MODULES)


@pytest.mark.parametrize("name", [name for name in [*TYPES, *WRITES] if "*" not in name])
def test_every_type_is_there(name):
    module, _, kind = name.rpartition(".")
    unnamed = {"generator", "dict_keys", "dict_items", "dict_values", "NoneType", "ellipsis", "reader", "writer"} | {
        "_ArrayFunctionDispatcher"
    }
    if module in ("builtins", "_csv", "numpy") and kind in unnamed:
        return
    skip_where_not_installed(name)
    found = getattr(importlib.import_module(module), kind)
    assert isinstance(found, type) and full_name(found) == name


@pytest.mark.parametrize("reason", WHY)
def test_every_reason_is_said(reason):
    assert say("en", f"refused-{reason}", what="x") != say("zh", f"refused-{reason}", what="x")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_policy_can_be_read(lang):
    text = policy(lang)
    assert all(name in text for name in ("torch.autograd:", "__matmul__", "torch.Tensor:", "cdata", "os.system"))
    assert max(map(len, text.split("\n")[2:])) <= 110


def test_no_module_hands_out_another():
    for name in MODULES:
        if is_extra(name) and not installed(name.partition(".")[0]):
            continue
        module = importlib.import_module(name)
        assert [one for one in module_names(name) if type(getattr(module, one, None)) is type(ast)] in ([], ["path"])
