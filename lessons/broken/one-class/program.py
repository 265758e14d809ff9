import torch
from torch import nn
torch.manual_seed(0)
model = nn.Linear(3, 1)
x, y = torch.randn(6, 3), torch.randint(0, 2, (6, 1)).float()
p = torch.softmax(model(x), dim=1)
loss = nn.functional.binary_cross_entropy(p, y)
loss.backward()
print(p.flatten(), model.weight.grad)
