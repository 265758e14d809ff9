import pandas as pd

text = """size,garden,price
50,yes,200
,no,150
80,,310
"""
with open("homes.csv", "w") as file:
    file.write(text)

# %%
homes = pd.read_csv("homes.csv")
print(homes.shape)

# %%
print(homes["size"].dtype)

# %%
labels = homes.iloc[0]
print(labels.tolist())
