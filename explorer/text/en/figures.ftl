# Plots of a program.

figure-points-left-out = The program drew { $count } points; at most 10,000 of them, evenly picked, are shown.
figure-series-left-out = The program drew { $count } curves; the first 200 are shown.
figure-in-notebook = A plot: a notebook that knows Plotly draws it.
