# Why something is refused, and what to use instead. `what` is how the program named it.

refused-syntax = { $what } is not allowed here: programs run from top to bottom in one go. Write it with plain functions, loops and `try`.
refused-star = { $what } is not allowed here: nobody could see which names come in. Import the names you use, or the module under a short name.
refused-module = The module { $what } is not available here. torch, numpy, pandas, matplotlib and the everyday parts of Python are.
refused-library = { $what } is not available here: it is not among the parts of the library that compute with tensors, arrays and tables.
refused-attribute = { $what } is not available here: it leads out of the values and methods that a program works with.
refused-internals = { $what } is not available here: it shows how Python or torch works inside. Use the public methods, or operators of a class of your own.
refused-definition = { $what } cannot be defined here. A class may define `__init__`, `__call__`, `__repr__`, and the operators for arithmetic, comparison and containers.
refused-metaclass = { $what } is not allowed here: a class is written with `class`, its bases, and no other arguments.
refused-base = { $what } is not allowed here. Derive from nn.Module, autograd.Function, Dataset, Optimizer, an exception, dict, list, or a class of your own.
refused-write = { $what } is not allowed here: it would change a library for everything that uses it. Set attributes on objects and classes of your own, or derive a class.
refused-keyword = The argument { $what } is not allowed here: it reaches memory or runs code inside the library. Leave it out.
refused-code = { $what } is not available here: it turns text into code, or compiles. Write the code itself into the cell.
refused-memory = { $what } is not available here: it reaches memory directly. Use tensors and their views; the storage is shown beside the graph.
refused-forged = { $what } is not available here: it lays an array over memory of something else. Make one with np.array, np.zeros or np.empty, and copy the values into it.
refused-moved = { $what } to another size is not available here: it would move the memory while something may be reading it. Write a = np.resize(a, shape), or reshape for the same size.
refused-file = { $what } is not available here: the disk of this machine is out of reach. Drop the file into Files (in the menu File; on the command line --file) and open it by its name; open, pandas.read_csv, numpy.load and torch.save work on such files and on those the program writes.
refused-pickle = { $what } is not available here: unpickling runs what the file says. pickle and torch.load read what this very run has written, numpy.load arrays of numbers; write other data as text.
refused-process = { $what } is not available here: a program is one process with one thread. Call the function directly.
refused-network = { $what } is not available here: programs have no network. Download the file yourself and drop it into Files (in the menu File; on the command line --file), then open it by its name.
refused-shell = not run here: { $what } (only Python runs here; open, os and pathlib work on the program's own files)
refused-download = { $what } needs a download, and there is no network here. Download the file on your own machine and add it under File, Files: the program then opens it by its name.
refused-weights = { $what } needs trained weights, which would be downloaded, and there is no network here. Leave the argument out: the same network then starts from random weights.
refused-hub = { $what } is not available here: it downloads code and weights, and programs have no network. Write the model with torch.nn; it starts from random weights.
refused-input = { $what } is not available here: nobody can answer while a program runs. Give the value a name at the top of the cell.
refused-wait = { $what } is not available here: waiting only uses up the time of the run. Leave it out.
refused-bidi = The character { $what } is not allowed here: it makes a text read otherwise than it runs. Delete it.

help-policy = what a program may use: the whole table
policy-title = What a program may use
policy-words = Words in a row: "public" is every name without a leading underscore; "@tensor" every function on tensors; "@modules" every nn.Module; "@all" everything the module says is its own but the families below; "-name" is left out; "new" a name that the type does not have. Everything else is refused.
policy-builtins = Builtins
policy-operators = Special methods a class may define
policy-modules = Modules and their names
policy-never = Families that no rule lets in, by the shape of the name
policy-types = Attributes, by type
policy-writes = Attributes that may be set
policy-bases = What a class may derive from
policy-keywords = Arguments that are refused in every call
policy-why = Refused with a reason of its own
