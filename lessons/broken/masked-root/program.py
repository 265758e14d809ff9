import torch
x = torch.tensor([4.0, 9.0, 0.0], requires_grad=True)
mask = torch.tensor([1.0, 1.0, 0.0])
total = (torch.sqrt(x) * mask).sum()
total.backward()
print(x.grad)
