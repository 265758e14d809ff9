# Words of the page in the browser.

language = Language
program = Program
run = Run
run-hint = Ctrl+Enter runs the program
starting = Starting PyTorch. The picture comes in a few seconds.

status-ran = ran, up to date
status-starting = starting
status-running = running
confined = Confinement of programs: { $level }
status-waiting = busy, you are number { $place }
status-stopped = stopped at line { $line }
status-failed = stopped

page-graph = Graph
page-graph-of = Graph of
page-graph-empty = Nothing to draw. Make a tensor with requires_grad=True and compute something from it.
stale = Last good picture.
stale-line = The program stopped at line { $line }.
stale-no-line = The program stopped.
bigger = Zoom in
smaller = Zoom out
fit = Fit to width

problems = Problems
problem-stopped = The program stopped.
problem-stopped-at = The program stopped at line { $line }.
problem-not-python = This is not Python.
problem-not-python-at = Line { $line } is not Python.
output = Output
no-output = No output. End a cell with an expression, or print.
tables = Tables of nodes and leaves
leaves = Leaves
nodes = Nodes
