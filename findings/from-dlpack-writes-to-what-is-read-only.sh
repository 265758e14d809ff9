#!/usr/bin/env bash
# torch 2.13.0 with NumPy 2.3.5, pandas 3.1.1, pyarrow 26.0.1: from_dlpack writes into arrays that are read-only.
# Expected: a copy, an error, or the warning that torch.from_numpy gives of an array that is not writable.
# Seen: NumPy marks the exchanged array as read-only, and the tensor of it is written to without a word. So x.mul_(2)
# changes a read-only array; both pandas frames that share a column under copy-on-write, one of which was never touched;
# and an Arrow table, whose data are immutable.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 pandas==3.1.1 pyarrow==26.0.1
"$folder/env/bin/python" -W ignore - <<'END'
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import torch

fixed = np.ones(2)
fixed.flags.writeable = False
frame = pd.DataFrame({"a": [1.0, 1.0]})
other = frame[["a"]]
column = frame["a"].to_numpy()
arrow = pa.array([1.0, 1.0])
table = pa.table({"a": arrow})
assert not column.flags.writeable
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    for held in (fixed, column, arrow):
        torch.from_dlpack(held).mul_(2)
    silent = len(said) == 0
    torch.from_numpy(np.frombuffer(bytes(8)))
seen = fixed.tolist(), frame["a"].tolist(), other["a"].tolist(), table["a"].to_pylist()
print(torch.__version__, seen, silent, len(said))
assert seen == ([2.0, 2.0],) * 4 and silent and len(said) == 1
END
