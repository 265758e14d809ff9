#!/usr/bin/env bash
# gpytorch 1.15.2 (torch 2.13.0): second derivatives by the lengthscale of RBFKernel and MaternKernel are wrong.
# Expected: the Hessian of the marginal likelihood, as for a Laplace approximation, or an error in the second backward.
# Seen: another number without a word. The two kernels have a backward of their own, which counts what it has kept as
# constants; RQKernel and PeriodicKernel, written without one, are right.
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
kernels = gpytorch.kernels


class Process(gpytorch.models.ExactGP):
    def __init__(self, kernel):
        super().__init__(points, values, gpytorch.likelihoods.GaussianLikelihood())
        self.mean, self.kernel = gpytorch.means.ZeroMean(), kernel

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean(x), self.kernel(x))


def both(kernel):
    process = Process(kernel)
    likelihood = gpytorch.mlls.ExactMarginalLogLikelihood(process.likelihood, process)
    length = kernel.raw_lengthscale

    def gradient(shift=0.0):
        length.data += shift
        found = torch.autograd.grad(likelihood(process(points), values), length, create_graph=True)[0].sum()
        length.data -= shift
        return found

    second = torch.autograd.grad(gradient(), length)[0].item()
    return round(second, 4), round(((gradient(1e-5) - gradient(-1e-5)) / 2e-5).item(), 4)


made = kernels.RBFKernel(), kernels.MaternKernel(nu=2.5), kernels.RQKernel(), kernels.PeriodicKernel()
seen = {type(kernel).__name__: both(kernel) for kernel in made}
print(torch.__version__, seen)
wrong = {name for name, (second, true) in seen.items() if abs(second - true) > 0.01}
assert wrong == {"RBFKernel", "MaternKernel"}
END
