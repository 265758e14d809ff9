"""One network trained twice and watched: with momentum and without.

python examples/watch.py
python -m explorer report runs/momentum/*.trace
"""

import torch

import explorer

STEPS = 5_000
BATCH = 64


def train(momentum: float, out: str) -> None:
    """Learn sin(3x) by stochastic gradient descent."""
    torch.manual_seed(0)
    x = torch.rand(256, 1) * 4 - 2
    y = torch.sin(3 * x)
    net = torch.nn.Sequential(torch.nn.Linear(1, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=momentum)
    with explorer.watch(net, optimizer, every=100, out=out, max_bytes=150_000):
        for step in range(STEPS):
            batch = torch.arange(step * BATCH, step * BATCH + BATCH) % len(x)
            optimizer.zero_grad()
            loss = ((net(x[batch]) - y[batch]) ** 2).mean()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    train(0.0, "runs/plain")
    train(0.9, "runs/momentum")
