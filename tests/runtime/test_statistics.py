"""seaborn's plots of tables through the recorder of figures, and tqdm, which counts and draws nothing."""

import pytest

from explorer.trace import Echo, Failure, Figure, Printed, Refusal
from tests.runtime.test_cells import ran, texts

IMPORTS = """
import numpy as np
import pandas as pd
import seaborn as sns
df = pd.DataFrame({'a': [1., 2., 3., 4.], 'b': [2., 1., 4., 3.], 'kind': ['x', 'y', 'x', 'y']})
"""


def outputs(source: str) -> list:
    found = ran(IMPORTS + source, language_ring=True).cells[0].outputs
    assert not [one.text for one in found if isinstance(one, Failure | Refusal)]
    return found


@pytest.mark.parametrize(
    "source, kinds",
    [
        ("sns.scatterplot(data=df, x='a', y='b', hue='kind')", ["scatter", "scatter"]),
        ("sns.lineplot(data=df, x='a', y='b')", ["line"]),
        ("sns.lineplot(x=[1, 2], y=[3, 4])", ["line"]),
        ("sns.barplot(data=df, x='kind', y='a')", ["bar"]),
        ("sns.countplot(x=df['kind'])", ["bar"]),
        ("sns.histplot(df['a'], bins=4, kde=True)", ["hist", "line"]),
        ("sns.kdeplot(data=df, x='a', fill=True)", ["line", "area"]),
        ("sns.heatmap(df[['a', 'b']].corr(), annot=True, cmap='Blues')", ["image"] + ["text"] * 4),
        ("sns.heatmap(np.eye(2), cbar=False)", ["image"]),
        ("sns.regplot(data=df, x='a', y='b')", ["scatter", "line"]),
        ("sns.boxplot(data=df, x='kind', y='a')", (["line"] * 6 + ["scatter"]) * 2),
        ("sns.pairplot(df[['a', 'b']])", ["hist", "scatter", "scatter", "hist"]),
        ("sns.set_theme(style='darkgrid')\nwith sns.axes_style('white'):\n    sns.scatterplot(data=df, x='a', y='b')",
         ["scatter"]),
    ],
)  # fmt: skip
def test_plots_of_tables(source, kinds):
    [figure] = [one for one in outputs(source) if isinstance(one, Figure)]
    assert [one["kind"] for one in figure.series] == kinds


def test_axes_are_named_by_their_columns():
    assert texts(outputs("sns.scatterplot(data=df, x='a', y='b')"), Echo) == ["<Axes: xlabel='a', ylabel='b'>"]


def test_a_data_set_needs_a_download_and_an_estimator_is_no_method_by_name():
    found = ran(IMPORTS + "sns.load_dataset('iris')", language_ring=True).cells[0].outputs
    assert [one.reason for one in found if isinstance(one, Refusal)] == ["download"]
    found = ran(IMPORTS + "sns.barplot(data=df, x='kind', y='a', estimator='to_pickle')", language_ring=True)
    assert [one.type for one in found.cells[0].outputs if isinstance(one, Failure)] == ["ValueError"]


@pytest.mark.parametrize("place", ["tqdm", "tqdm.auto", "tqdm.notebook"])
def test_progress_counts_and_draws_nothing(place):
    source = f"""
from {place} import tqdm, trange
with tqdm(range(3), desc='a') as bar:
    for i in bar:
        bar.set_postfix(loss=i)
tqdm.write('told')
print(len(bar), bar.n, [i for i in trange(2)])"""
    assert texts(outputs(source), Printed) == ["told\n3 3 [0, 1]\n"]
