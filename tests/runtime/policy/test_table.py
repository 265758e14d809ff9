"""The table names real things, and the whole of it can be printed."""

import ast
import importlib

import pytest

from explorer.doctor import policy
from explorer.runtime.policy.extras import installed, is_extra
from explorer.runtime.policy.kinds import full_name
from explorer.runtime.policy.rows import documented, module_names, module_row, never, read_row, type_row
from explorer.runtime.policy.table import WHY
from explorer.runtime.policy.table_modules import MODULES
from explorer.runtime.policy.table_types import TYPES, WRITES
from explorer.text import say


def skip_where_not_installed(name: str) -> None:
    """A host need not have every library that programs may use."""
    library = name.partition(".")[0]
    if (is_extra(name) or library == "scipy") and not installed(library):
        pytest.skip(f"{library} is not installed")


@pytest.mark.parametrize("name", [name for name in MODULES if not name.startswith("IPython") and "*" not in name])
def test_every_name_of_a_module_is_there(name):
    skip_where_not_installed(name)
    module = importlib.import_module(name)
    assert [one for one in module_names(name) if not hasattr(module, one)] == []
    assert name.rpartition(".")[0] in ("", *MODULES)


CALLED_OTHERWISE = {"torch.nn.attention._SDPBackend": "SDPBackend"}


@pytest.mark.parametrize("name", [name for name in [*TYPES, *WRITES] if "*" not in name])
def test_every_type_is_there(name):
    module, _, kind = name.rpartition(".")
    unnamed = {"generator", "dict_keys", "dict_items", "dict_values", "NoneType", "ellipsis", "reader", "writer"} | {
        "_ArrayFunctionDispatcher",
        "mappingproxy",
    }
    if module in ("builtins", "_csv", "numpy") and kind in unnamed:
        return
    skip_where_not_installed(name)
    found = getattr(importlib.import_module(module), CALLED_OTHERWISE.get(name, kind))
    found = type(found) if module == "sys" else found
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
        if "*" in name or (is_extra(name) and not installed(name.partition(".")[0])):
            continue
        module = importlib.import_module(name)
        assert [one for one in module_names(name) if type(getattr(module, one, None)) is type(ast)] in ([], ["path"])


# What the next version of a library may call such a function: whatever family it is of, no rule lets it in.
NEVER = {
    "file": "load save load_state save_model from_file fromfile open_file read_table memmap get_file_path savez",
    "pickle": "unpickle read_pickle dumps serialize",
    "process": "fork wait set_num_threads get_num_interop_threads start_processes Stream Future",
    "memory": "frombuffer from_dlpack UntypedStorage data_ptr set_ unsafe_split pin_memory_copy nditer slice_copy",
    "code": "compile jit_script ScriptModule import_ir_module parse_ir load_library GraphModule bmat cond",
    "internals": "quantize_per_tensor fbgemm_pack native_batch_norm handle_torch_function ListType DispatchKey",
}


@pytest.mark.parametrize("family", NEVER)
def test_a_rule_lets_no_family_in_that_is_left_out(family):
    assert [name for name in NEVER[family].split() if never(name) is None] == []


@pytest.mark.parametrize("name", [name for name in MODULES if "@all" in MODULES[name] and "*" not in name])
def test_a_rule_lets_in_what_a_module_says_is_its_own(name):
    module = importlib.import_module(name)
    row, found = read_row(module_row(name)), module_names(name)
    assert set(documented(module)) - row.without <= found
    assert [one for one in found if never(one) and one not in row.names] == []
    assert not any(isinstance(getattr(module, one), type(pytest)) for one in found)


# What a rule would let in and the table leaves out: each once had a reason, and nobody takes it back by accident.
OUT_OF_MODULES = {
    "torch": "as_strided_ dsmm hsmm hspmm saddmm smm sspaddmm",
    "torch.nn": "Container CrossMapLRN2d DataParallel SyncBatchNorm",
    "torch.nn.functional": """
        assert_int_or_pair boolean_dispatch fractional_max_pool2d_with_indices
        fractional_max_pool3d_with_indices grouped_mm multi_head_attention_forward native_channel_shuffle
        scaled_grouped_mm scaled_mm
        """,
    "torch.nn.modules": "Container CrossMapLRN2d DataParallel SyncBatchNorm",
    "torch.optim": "swap_in_optimizer_params_and_state",
    "numpy": "info show_config show_runtime",
    "numpy.char": "array asarray chararray",
    "random": "SystemRandom",
    "operator": "attrgetter methodcaller",
    "typing": """
        BinaryIO ForwardRef IO TextIO clear_overloads dataclass_transform get_overloads get_type_hints
        reveal_type
        """,
    "string": "Formatter",
    "textwrap": "TextWrapper",
    "unicodedata": "UCD ucd_3_2_0",
}
OUT_OF_TYPES = {
    "torch.Tensor": """
        apply_ as_subclass ccol_indices col_indices const_data_ptr crow_indices hash_tensor int_repr ipu
        is_shared map2_ map_ module_load mtia new nonzero_static pin_memory q_per_channel_axis
        q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme record_stream reinforce
        resize resize_as resize_as_sparse_ row_indices set_ share_memory_ smm sparse_resize_
        sparse_resize_and_clear_ sspaddmm storage_type to_mkldnn unsafe_chunk unsafe_split
        unsafe_split_with_sizes volatile xpu
        """,
    "torch.nn.modules.module.Module": """
        compile dump_patches get_extra_state ipu mtia register_module set_extra_state set_submodule
        share_memory to_empty xpu
        """,
    "torch.nn.utils.rnn.PackedSequence": "pin_memory",
    "torch.optim.lr_scheduler.LRScheduler": "load_state_dict",
    "torch.optim.lr_scheduler.ReduceLROnPlateau": "load_state_dict",
    "torch.utils.data.dataset.Dataset": "functions register_datapipe_as_function register_function",
    "numpy.random._generator.Generator": "bit_generator spawn",
    "sklearn.base.BaseEstimator": "get_metadata_routing set_output set_params",
    "sklearn.gaussian_process.kernels.Kernel": "set_params",
}


@pytest.mark.parametrize("module", OUT_OF_MODULES)
def test_what_a_module_does_not_offer(module):
    assert module_names(module).isdisjoint(OUT_OF_MODULES[module].split())


@pytest.mark.parametrize("kind", OUT_OF_TYPES)
def test_what_may_not_be_read_of_a_type(kind):
    assert [name for name in OUT_OF_TYPES[kind].split() if name in type_row(kind)] == []


def test_the_rules_reach_far():
    assert len(module_names("torch")) > 600 and len(module_names("numpy")) > 400
    assert {"softmax", "einsum", "sparse_csr_tensor", "float8_e5m2", "xlogy_"} <= module_names("torch")
    assert {"poly1d", "float128", "histogramdd", "matrix", "fromstring"} <= module_names("numpy")
    assert {"MixtureSameFamily", "kl_divergence"} <= module_names("torch.distributions")
    assert module_names("torch.distributions.mixture_same_family") == {"MixtureSameFamily"}
