import torch
from torch import nn
torch.manual_seed(0)
model = nn.Linear(2, 1)
x, y = torch.randn(5, 2), torch.randn(5)
pred = model(x)
loss = ((pred - y) ** 2).mean()
loss.backward()
print(loss, model.weight.grad)
