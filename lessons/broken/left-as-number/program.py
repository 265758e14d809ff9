import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
s = torch.tensor(3.0, requires_grad=True)
scale = s.item()
loss = (w * scale).sum()
loss.backward()
print(w.grad, s.grad)
