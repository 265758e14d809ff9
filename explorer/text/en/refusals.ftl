# What the system refuses a program, why, and what to use instead. `what` is the program's own text.

refused =
    .file = { $what } is not available here: programs can't reach this machine's disk. Add the file under File > Files (or with --file on the command line) and open it by name. open, pandas.read_csv, numpy.load and torch.save work on such files and on those the program writes.
    .outside = { $what } opens a link that points outside the folder that programs may read. Copy the file into the folder.
    .no-files = { $what } is not available here: programs have no files on this machine because its kernel has no Landlock (Linux 5.13 or newer).
    .unreadable = { $what } opens a file that you don't have permission to read.
    .process = { $what } is not available here: a program is one process with one thread. Call the function directly.
    .network = { $what } is not available here: programs have no network access. Download the file yourself, add it under File > Files (or with --file on the command line) and open it by name. On your own machine, --network (in the app: the settings menu) lets programs download.
    .shell = not run here: { $what } (only Python runs here, but open, os and pathlib work on the program's own files)
    .download = { $what } needs a download, but programs have no network access. Download the file yourself, add it under File > Files, and open it by name. On your own machine, --network (in the app: the settings menu) lets programs download.
    .weights = { $what } needs to download trained weights, but programs have no network access. Omit the argument to start the same network from random weights. On your own machine, --network (in the app: the settings menu) lets programs download.
    .hub = { $what } is not available here: it downloads code and weights, but programs have no network access. Write the model with torch.nn, starting from random weights. On your own machine, --network (in the app: the settings menu) lets programs download.
    .input = { $what } is not available here: nobody can answer while a program runs. Assign the value to a name at the top of the cell.
    .font = { $what } needs a font, but programs can't open files on this machine because its kernel has no Landlock (Linux 5.13 or newer). Plots can't be drawn here.
    .system = The system does not allow programs to do this: { $what }. Programs here can compute, print, and read and write their own files.
    .profiler = { $what } is not available here: torch's profiler starts its own thread. Instead, "with torch.autograd.profiler_legacy.profile() as prof:" times the same operations, and prof.key_averages().table() shows them. cProfile times Python; torch.utils.benchmark.Timer times a statement.
    .module = { $what }: this machine can't import a module that was not loaded before the program started, installed or not, because its kernel has no Landlock (Linux 5.13 or newer). torch, numpy, pandas and matplotlib are always loaded.
