import torch
x = torch.tensor([0.3, 0.6, 0.9], requires_grad=True)
q = (x * 4).round() / 4
loss = ((q - 1.0) ** 2).sum()
loss.backward()
print(x.grad)
