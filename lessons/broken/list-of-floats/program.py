import torch
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
reg = torch.tensor(0.1, requires_grad=True)
terms = [float((w[i] - i) ** 2) for i in range(3)]
loss = sum(terms) * reg
loss.backward()
print(w.grad, reg.grad)
