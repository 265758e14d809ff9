import torch
from torch import nn
torch.manual_seed(0)
model = nn.Linear(4, 3)
x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
probs = torch.softmax(model(x), dim=1)
loss = nn.CrossEntropyLoss()(probs, y)
loss.backward()
print(loss)
