import pandas as pd

garden = pd.Series(["yes", "no", None, "yes"])
hot = pd.get_dummies(garden, dummy_na=True)
print(hot.shape)

# %%
print(hot)
