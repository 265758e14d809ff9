import torch

w = torch.tensor([3.0, 3.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
loss = 100 * w[0] + 0.01 * w[1]
loss.backward()
optimizer.step()
print(w)
