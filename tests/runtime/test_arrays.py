"""NumPy arrays in the memory of tensors: seen by name, placed in the tensor's storage."""

from tests.traces import trace_of


def storage(trace, name: str) -> int:
    return trace.tensors.storage[trace.bound(name)]


def test_what_numpy_gives_lies_in_the_tensors_storage():
    trace = trace_of("x = torch.arange(4.)\nA = x.numpy()\nB = A[2:]\nC = A.copy()").check()
    found = {array.name: (array.storage, array.offset) for array in trace.arrays}
    assert found == {"A": (storage(trace, "x"), 0), "B": (storage(trace, "x"), 8)}


def test_from_numpy_shares_also_a_part_and_a_second_time():
    trace = trace_of(
        "import numpy as np\na = np.arange(6.)\nx = torch.from_numpy(a)\ny = torch.from_numpy(a[2:])\na += 1"
    ).check()
    assert [array.name for array in trace.arrays] == ["a"]
    assert storage(trace, "x") == storage(trace, "y") == trace.arrays[0].storage
    assert [trace.tensors.offset[trace.bound(name)] for name in "xy"] == [0, 2]
    assert trace["y"].data == (3, 4, 5, 6)


def test_from_numpy_of_a_tensors_own_memory_is_that_tensors_storage():
    trace = trace_of("x = torch.zeros(3)\ny = torch.from_numpy(x.numpy())\nx.add_(1)")
    assert storage(trace, "x") == storage(trace, "y")
    assert trace["y"].data == (1, 1, 1)


def test_a_name_that_goes_on_to_another_array_ends():
    trace = trace_of("x = torch.zeros(3)\nA = x.numpy()\nA = A * 2\nx + 1").check()
    assert [(array.name, array.until) for array in trace.arrays] == [("A", 1)]


def test_an_array_of_its_own_and_a_copy_share_nothing():
    trace = trace_of("import numpy as np\nA = np.ones(3)\nx = torch.tensor(A)\nB = x.numpy().copy()")
    assert trace.status == "ok" and not trace.arrays
