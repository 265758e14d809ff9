import io
import pandas as pd

homes = pd.read_csv(io.StringIO("size,garden,price\n50,yes,200\n,no,150\n80,,310\n"))
print(homes["size"].mean())

# %%
print(len(homes.dropna()))

# %%
filled = homes.fillna(homes.mean(numeric_only=True))

print(f"{len(filled)} rows, {filled.isna().sum().sum()} gaps")
