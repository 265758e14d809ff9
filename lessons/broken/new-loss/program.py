import torch
from torch import nn
torch.manual_seed(0)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(6, 2), torch.randn(6, 1)
for k in range(3):
    loss = (model(x) - y).square().mean()
    loss = torch.tensor(loss.item(), requires_grad=True)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
