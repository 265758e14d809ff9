# Plots of a program.

figure-alt = Plot: { $words }
figure-alt-none = Plot without title or labels
figure-of-old-run = This run was saved by an earlier version, which kept no picture of its plots. Run the program again to see them.
