# What the system refuses a program, why, and what to use instead. `what` is the program's own text.

refused-file = { $what } is not available here: programs can't reach this machine's disk. Add the file under File > Files (or with --file on the command line) and open it by name. open, pandas.read_csv, numpy.load and torch.save work on such files and on those the program writes.
refused-outside = { $what } opens a link that leads out of the folder which is open to programs. Copy the file into the folder.
refused-no-files = { $what } is not available here: on this machine programs have no files, because its kernel has no Landlock (Linux 5.13 and later have it).
refused-unreadable = { $what } opens a file that you may not read. Change its permissions.
refused-process = { $what } is not available here: a program is one process with one thread. Call the function directly.
refused-network = { $what } is not available here: programs have no network. Download the file yourself and drop it into Files (in the menu File; on the command line --file), then open it by its name. At home --network (in the app in the settings menu) lets programs download.
refused-shell = not run here: { $what } (only Python runs here; open, os and pathlib work on the program's own files)
refused-download = { $what } needs a download, and there is no network here. Download the file on your own machine and add it under File, Files: the program then opens it by its name. At home --network (in the app in the settings menu) lets programs download.
refused-weights = { $what } needs trained weights, which would be downloaded, and there is no network here. Leave the argument out: the same network then starts from random weights. At home --network (in the app in the settings menu) lets programs download.
refused-hub = { $what } is not available here: it downloads code and weights, and programs have no network. Write the model with torch.nn; it starts from random weights. At home --network (in the app in the settings menu) lets programs download.
refused-input = { $what } is not available here: nobody can answer while a program runs. Give the value a name at the top of the cell.
refused-font = { $what } needs a font, and on this machine programs cannot open any file: its kernel has no Landlock (Linux 5.13 and later have it). Plots cannot be drawn here.
refused-system = The system does not let a program do this: { $what }. A program here computes, prints, and reads and writes its own files.
refused-profiler = { $what } is not available here: torch's profiler starts a thread of its own. With torch.autograd.profiler_legacy.profile() as prof: times the same operations, and prof.key_averages().table() shows them; cProfile times Python, torch.utils.benchmark.Timer a statement.
refused-module = { $what }: a module that was not loaded before the program began cannot be imported on this machine, installed or not. Its kernel has no Landlock (Linux 5.13 and later have it), so programs cannot open any file; torch, numpy, pandas and matplotlib are always loaded.
