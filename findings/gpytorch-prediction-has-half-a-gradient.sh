#!/usr/bin/env bash
# gpytorch 1.15.2 (torch 2.13.0): the gradient of a predicted mean by the lengthscale is wrong in evaluation mode.
# Expected: the slope of the mean, which is known exactly, or None for what a cache has cut off.
# Seen: another number. The mean is k(x, X) times a solution that is kept for later predictions; the setting
# detach_test_caches, on by default, detaches it, so that the gradient counts the lengthscale in k(x, X) alone. Tuning a
# kernel by the error of its predictions follows it. With the setting off the gradient is right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/python" -m pip install -q torch==2.13.0 numpy==2.3.5 gpytorch==1.15.2
"$folder/env/bin/python" -W ignore - <<'END'
import gpytorch
import torch

torch.set_default_dtype(torch.float64)
points = torch.linspace(0, 1, 6)[:, None]
values = torch.sin(5 * points[:, 0])


class Process(gpytorch.models.ExactGP):
    def __init__(self):
        super().__init__(points, values, gpytorch.likelihoods.GaussianLikelihood())
        self.mean, self.kernel = gpytorch.means.ZeroMean(), gpytorch.kernels.RBFKernel()

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


def predicted(shift=0.0):
    process = Process().eval()
    length = process.kernel.raw_lengthscale
    length.data += shift
    return process(torch.tensor([[0.33]])).mean.sum(), length


def gradient():
    mean, length = predicted()
    return torch.autograd.grad(mean, length)[0].item()


true = ((predicted(1e-5)[0] - predicted(-1e-5)[0]) / 2e-5).item()
seen = gradient()
with gpytorch.settings.detach_test_caches(False):
    kept = gradient()
print(torch.__version__, seen, true, kept)
assert abs(kept - true) < 1e-4 < 0.05 < abs(seen - true)
END
