import torch

scores = torch.tensor([[0.1, 0.7, 0.2],
                       [0.5, 0.3, 0.2]])
labels = torch.tensor([2, 0])
picked = scores.gather(1, labels.reshape(2, 1))
columns = scores[:, labels]

# %%
best = scores[:1]
