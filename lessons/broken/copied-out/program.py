import torch
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([1.0, 1.0], requires_grad=True)
feats = torch.tensor(a * 2)
loss = (feats * b).sum()
loss.backward()
print(a.grad, b.grad)
