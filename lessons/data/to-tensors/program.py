import pandas as pd
import torch

table = pd.DataFrame({"size": [50.0, 80.0], "garden": [True, False]})
print(table.to_numpy().dtype)

# %%
X = torch.tensor(table.to_numpy(dtype=float))
w = torch.tensor([3.875, 16.25])
