import torch

scores = torch.zeros(3, requires_grad=True)
p = torch.softmax(scores, 0)
loss = -p[0].log()
loss.backward()
print(p)
print(scores.grad)
