import torch
from torch import nn
torch.manual_seed(0)
model = nn.Linear(2, 1)
x, y = torch.randn(8, 2), torch.randn(8, 1)
for k in range(3):
    loss = (model(x) - y).square().mean()
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p = p - 0.1 * p.grad
    print(loss.item())
