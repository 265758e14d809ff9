import torch
from torch import nn
torch.manual_seed(0)
enc, head = nn.Linear(3, 2), nn.Linear(2, 1)
opt = torch.optim.SGD([*enc.parameters(), *head.parameters()], lr=0.1)
x, y = torch.randn(4, 3), torch.randn(4, 1)
h = enc(x).detach()
loss = (head(h) - y).square().mean()
opt.zero_grad()
loss.backward()
opt.step()
print(enc.weight.grad)
