"""Same object, same storage, which version: what lines do to names and memory, and view or copy."""

from explorer.analysis.tensors.sharing import sharing
from explorer.analysis.tensors.tensor_list import writes
from tests.traces import trace_of


def facts(source: str) -> dict[str, tuple]:
    """Per expression: kind, same object, same storage, version before and after."""
    found = writes(trace_of(source))
    return {one.text: (one.kind, one.same_object, one.same_storage, one.before, one.after) for one in found}


def test_adding_makes_a_new_object_and_writing_keeps_it():
    found = facts(
        """
        x = torch.ones(2)
        y = torch.zeros(2)
        y = y + x
        y += x
        y[:] = x
        torch.add(x, x, out=y)
        y.add_(1)
        """
    )
    assert found == {
        "y = y + x": ("rebound", False, False, 0, 0),
        "y += x": ("written", True, True, 0, 1),
        "y[:] = x": ("written", True, True, 1, 2),
        "torch.add(x, x, out=y)": ("written", True, True, 2, 3),
        "y.add_(1)": ("written", True, True, 3, 4),
    }


def test_a_view_in_place_of_its_base_keeps_the_storage():
    (one,) = writes(trace_of("x = torch.arange(4.)\nx = x.view(2, 2)"))
    assert (one.kind, one.same_object, one.same_storage) == ("rebound", False, True)


def test_a_second_name_is_the_same_object():
    (one,) = writes(trace_of("a = torch.zeros(2)\nb = a"))
    assert (one.kind, one.text, one.also, one.place.line, one.same_object) == ("named", "b = a", ("a",), 2, True)


def test_a_write_tells_who_changed_with_it():
    trace = trace_of("x = torch.zeros(4)\nX = x.view(2, 2)\nA = x.numpy()\nother = x.clone()\nX[0, 0] = 5")
    (one,) = writes(trace)
    assert (one.name, one.also, one.arrays) == ("X", ("x",), ("A",))
    assert trace.value(trace.versions.value[one.version]).data == (5, 0, 0, 0)


def test_an_array_whose_name_goes_on_right_after_the_write_changed_with_it():
    trace = trace_of("a = torch.ones(2)\nb = a.numpy()\na.add_(1)\nb = 0")
    assert [one.arrays for one in writes(trace)] == [("b",)]


def test_what_numpy_wrote_has_no_operation_and_the_version_stays():
    (one,) = writes(trace_of("x = torch.zeros(3)\nA = x.numpy()\nA += 1"))
    assert (one.kind, one.name, one.text, one.place.line) == ("unseen", "x", "A += 1", 3)
    assert (one.before, one.after, one.arrays) == (0, 0, ("A",))


def test_two_writes_of_numpy_in_a_row_are_two():
    trace = trace_of("x = torch.zeros(3)\nA = x.numpy()\nA += 1\nA[0] = 7\nprint(A)\nx + 0")
    found = [(one.place.line, trace.value(trace.versions.value[one.version]).data) for one in writes(trace)]
    assert found == [(3, (1, 1, 1)), (4, (7, 1, 1))]


def test_a_write_through_data_is_told_of_the_tensor_it_changes():
    (one,) = writes(trace_of("x = torch.ones(2, requires_grad=True)\nx.data *= 100"))
    assert (one.name, one.kind, one.before, one.after) == ("x", "written", 0, 0)


def test_a_line_in_a_loop_stands_once():
    (one,) = writes(trace_of("x = torch.zeros(2)\nfor i in range(3):\n    x += 1"))
    assert (one.before, one.after) == (2, 3)


def test_clone_detach_data_numpy_from_numpy_and_tensor_told_apart():
    trace = trace_of(
        """
        import numpy as np
        w = torch.tensor([1., 2.], requires_grad=True)
        kept = w.clone()
        apart = w.detach()
        raw = w.data
        array = apart.numpy()
        n = np.ones(2)
        shared = torch.from_numpy(n)
        copied = torch.tensor(n)
        """
    )
    found = {one.operation: (one.result, one.outcome, one.tracked, one.counter) for one in sharing(trace)}
    assert found == {
        "clone": ("kept", "copy", True, False),
        "detach": ("apart", "view", False, True),
        "data": ("raw", "view", False, False),
        "numpy": ("array", "view", None, None),
        "from_numpy": ("shared", "view", False, False),
        "tensor": ("copied", "copy", False, False),
    }


def test_the_counter_that_is_told_as_shared_is_the_one_torch_counts():
    trace = trace_of(
        """
        w = torch.ones(2)
        apart, raw, seen, kept = w.detach(), w.data, w.view(2), w.clone()
        w.add_(1)
        (apart + 0, raw + 0, seen + 0, kept + 0)
        """
    )
    told = {one.result: one.counter for one in sharing(trace) if one.outcome != "new"}
    counted = {name: trace.versions.version[trace.versions_of(trace.bound(name))[-1]] == 1 for name in told}
    assert told == counted == {"apart": True, "raw": False, "seen": True, "kept": False}


def test_reshape_is_a_view_where_it_can_be_and_contiguous_may_be_the_tensor_itself():
    trace = trace_of(
        "x = torch.zeros(2, 3)\na = x.reshape(6)\nb = x.T.reshape(6)\nc = x.contiguous()\nd = x.T.contiguous()"
    )
    found = {(one.place.line, one.operation): one.outcome for one in sharing(trace)}
    assert found[2, "reshape"] == "view" and found[3, "reshape"] == "copy"
    assert found[4, "contiguous"] == "same" and found[5, "contiguous"] == "copy"


def test_what_is_computed_from_others_is_told_too():
    trace = trace_of(
        """
        w = torch.ones(2, requires_grad=True)
        x = torch.ones(2)
        a = w + x
        b = (x * 2).exp()
        tail = x.narrow(0, 1, 1)
        flat = torch.atleast_2d(x)
        zeros = torch.zeros_like(x)
        x += 1
        torch.add(x, x, out=b)
        """
    )
    found = {one.text: (one.source, one.outcome, one.tracked, one.counter) for one in sharing(trace)}
    assert found == {
        "a = w + x": ("w, x", "new", True, False),
        "b = (x * 2).exp()": ("x * 2", "new", False, False),
        "tail = x.narrow(0, 1, 1)": ("x", "view", False, True),
        "flat = torch.atleast_2d(x)": ("x", "view", False, True),
    }


def test_a_write_of_numpy_is_told_once_of_all_that_saw_it():
    trace = trace_of("x = torch.zeros(4)\nX = x.view(2, 2)\nT = X.T\nA = x.numpy()\nA[0] = 5\nx + 1")
    (one,) = writes(trace)
    assert (one.name, one.also, one.arrays, one.place.line) == ("x", ("X", "T"), ("A",), 5)
