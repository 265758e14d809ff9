import torch
from torch import nn

x = torch.tensor([[-1.0], [0.0], [1.0], [2.0]])
y = torch.tensor([-1.0, 1.0, 3.0, 5.0])
net = nn.Linear(1, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(100):
    loss = ((net(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(net.weight, net.bias, loss)
