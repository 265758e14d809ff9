import torch
import torch.nn.functional as F
torch.manual_seed(0)
model = torch.nn.Linear(4, 3)
x, y = torch.randn(6, 4), torch.randint(0, 3, (6,))
p = F.softmax(model(x), dim=1)
loss = F.nll_loss(p, y)
loss.backward()
print(loss)
