# Plots of a program.

figure-alt = Plot: { $words }
figure-alt-graph = Graph
figure-alt-none = Plot without title or labels
figure-graph-undrawn = Graphviz could not draw this graph: its DOT is invalid, or the graph is too large. This is its DOT:
figure-of-old-run = This run was saved by an earlier version, which kept no picture of its plots. Run the program again to see them.
