#!/usr/bin/env bash
# torch_geometric 2.8.1 (torch 2.13.0): making its nn.Sequential in a script runs the script a second time.
# Expected: a container is made, as by torch.nn.Sequential.
# Seen: it writes a module that begins with `from train import *`, the file that makes it, so all of a script without a
# guard `if __name__ == "__main__"` runs once more inside that line, here with its training. Nothing is said.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 torch_geometric==2.8.1
cat > "$folder/train.py" <<'END'
import torch
from torch_geometric.nn import GCNConv, Sequential

torch.manual_seed(0)
net = Sequential("x, edges", [(GCNConv(2, 1), "x, edges -> x"), torch.nn.ReLU()])
optimizer = torch.optim.SGD(net.parameters(), 0.1)
net(torch.ones(2, 2), torch.tensor([[0, 1], [1, 0]])).sum().backward()
optimizer.step()
print(torch.__version__, __name__, "has trained")
END
"$folder/env/bin/python" -W ignore "$folder/train.py" | tee "$folder/seen"
test "$(grep -c "has trained" "$folder/seen")" = 2
