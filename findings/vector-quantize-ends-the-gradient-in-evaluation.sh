#!/usr/bin/env bash
# vector-quantize-pytorch 1.32.0 (torch 2.13.0): in evaluation mode VectorQuantize, ResidualVQ and LFQ pass no gradient.
# Expected: the straight-through gradient of the training, as FSQ and SimVQ of the same package give it in both modes.
# Seen: in evaluation mode the result has no history, so what is below gets None. A decoder behind it, a frozen tokenizer
# or a saliency map still runs its backward, and the encoder's part of it is missing without a word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 vector-quantize-pytorch==1.32.0
"$folder/env/bin/python" -W ignore - <<'END'
import torch
import vector_quantize_pytorch as quantizers

MADE = {
    "VectorQuantize": {"dim": 4, "codebook_size": 8},
    "ResidualVQ": {"dim": 4, "codebook_size": 8, "num_quantizers": 2},
    "LFQ": {"dim": 4, "codebook_size": 16},
    "SimVQ": {"dim": 4, "codebook_size": 8},
    "FSQ": {"levels": [3, 3, 3, 3]},
}


def arrives(name, training):
    torch.manual_seed(0)
    encoder, decoder = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
    quantizer = getattr(quantizers, name)(**MADE[name]).train(training)
    decoder(quantizer(encoder(torch.randn(2, 8, 4)))[0]).sum().backward()
    return encoder.weight.grad is not None and bool(encoder.weight.grad.any())


seen = {name: (arrives(name, True), arrives(name, False)) for name in MADE}
print(torch.__version__, seen)
assert {name for name, (_, evaluated) in seen.items() if not evaluated} == {"VectorQuantize", "ResidualVQ", "LFQ"}
assert all(trained for trained, _ in seen.values())
END
