#!/usr/bin/env bash
# torch 2.13.0: load_state_dict(assign=True) makes two parameters of a tied one, in one memory.
# Expected: assign=True chooses where the numbers lie; what is one parameter stays one, as with load_state_dict alone.
# Seen: the embedding and the head have a parameter each afterwards, on one memory, that of the loaded file. Each gets a
# part of the gradient, and Adam steps twice on that memory: an entry moves by 0.2 at a learning rate of 0.1, silently.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5
"$folder/env/bin/python" -W ignore - <<'END'
import io

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(3, 2), torch.nn.Linear(2, 3, bias=False)
        self.head.weight = self.words.weight

    def forward(self, words):
        return self.head(self.words(words))


def moved(assign):
    torch.manual_seed(0)
    model, file = Model(), io.BytesIO()
    torch.save(model.state_dict(), file)
    file.seek(0)
    model.load_state_dict(torch.load(file), assign=assign)
    optimizer, before = torch.optim.Adam(model.parameters(), lr=0.1), model.head.weight.detach().clone()
    words, target = torch.tensor([0, 1, 2]), torch.tensor([1, 2, 0])
    torch.nn.functional.cross_entropy(model(words), target).backward()
    optimizer.step()
    one_memory = model.words.weight.data_ptr() == model.head.weight.data_ptr()
    return len(list(model.parameters())), one_memory, round((model.head.weight - before).abs().max().item(), 3)


copied, assigned = moved(False), moved(True)
print(torch.__version__, copied, assigned)
assert copied == (1, True, 0.1) and assigned == (2, True, 0.2)
END
