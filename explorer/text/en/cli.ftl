# Messages of the command line, limits and refusals.

limit-time = The program was stopped after { $bound } s. { $loop ->
    [none] Make it compute less.
   *[other] The loop on line { $loop } was still running: check that it ends, or make it compute less.
}
limit-memory = The program tried to use more than { $bound } MB. { $loop ->
    [none] Make its tensors smaller.
   *[other] The loop on line { $loop } was still running: check that it ends, or keep less in it.
}
limit-output = The program printed more than { $bound } KB. { $count ->
    [one] One character was left out here.
   *[other] { $count } characters were left out here.
}
allow-more = Allow more with { $option }.
bad-limit = { $name } must be a number from { $least } to { $most }, not { $given }
limit-result = The program produced more than { $bound } MB to show. Compute less, or less often.
limit-stopped = You stopped the program after { $bound } s. Everything shown so far is kept. Press Run to start it again.
limit-crash = { $detail ->
    [no-scheduler] The program was not run: the cluster scheduler is not responding. Try again in a moment.
    [no-worker] The program was not run: no worker is available. Try again in a moment.
    [worker-lost] The worker that ran the program was lost, and so was the worker that restarted it. Run it again. If it fails the same way, make its tensors smaller.
   *[other] The program ended its own process. Nothing after this point was run.
}
refusal = { $what } is not allowed here.

line = line { $line }
unshown = This could not be shown: { $error } at { $place }. That is a bug in Autograd Explorer, not in the program. If you report it, please include the file.
no-such-backward = There is no backward call { $number }: the program { $count ->
    [0] never calls backward
    [one] calls backward once
   *[other] calls backward { $count } times
}.
no-such-name = { $name } has no gradients: the program has no tensor of that name.

drawn = { $path }: { $cards ->
    [one] 1 card
   *[other] { $cards } cards
}.
draw-suffix = { $path }: the file name must end in one of { $known }.
draw-unwritten = { $path } could not be written: { $reason }.

file-unread = { $path } could not be read: { $reason }
beside-left-out = { $files ->
    [one] One Python file next to the program was left out: { $first }.
   *[other] { $files } Python files next to the program were left out, starting with { $first }.
} At most { $count } readable files are included, { $size } KB each and { $all } MB in total.

help-file = a file to add to the programs' folder, or a folder of Python files (may be repeated)
help-folder = a folder that the programs may read, where relative paths start (default: the folder of the program's file, none for standard input)
help-no-folder = don't let a program read its own folder
help-write = write the programs' changes in that folder to disk (default: discard them after the run)
help-network = let the programs connect to other machines, for downloads
help-app-folder = a folder that the programs you type or open may read, where relative paths start. Programs opened from a link may not read it
help-app-write = let those programs write to that folder on disk. They run while you type
help-app-network = let those programs connect to other machines, for downloads
cannot-open =
    .hosted = Folders and the network can't be opened on this server, where strangers run programs (EXPLORER_HOSTED).
    .elsewhere = Folders and the network can't be opened: programs run on other machines (EXPLORER_SCHEDULER).
    .landlock = This system can't open a single folder: it needs Linux 5.13 or newer with Landlock, and libseccomp. Nothing was opened. Add single files with --file, or in the menu File.
    .write = To write, name the folder: --folder DIR --write.
    .missing = The folder { $folder } does not exist.
    .file = { $folder } is a file. Name the folder that contains it.
    .everything = { $folder } contains everything on this machine. Name a folder inside it.
    .unreadable = You don't have permission to read { $folder }.
    .unwritable = You don't have permission to write to { $folder }.
help-run = run programs and print their output, or everything about them as JSON
help-draw = draw the graph of a program
help-app = open the pages in a browser. The remaining arguments are passed to Streamlit, such as --server.port=8502
unknown-arguments = unrecognized arguments: { $arguments }
extra-app = Running programs and showing pages needs more packages ({ $modules } not found). In the project's folder: python -m pip install ".[app]"
extra-draw = Pictures need more packages ({ $modules } not found). In the project's folder: python -m pip install ".[draw]"
extra-cluster = A cluster needs more packages ({ $modules } not found). In the project's folder: python -m pip install ".[app,cluster]"
help-worker = run programs for servers on other machines, as a worker of the cluster at EXPLORER_SCHEDULER
help-scheduler = distribute the servers' programs to workers, as the scheduler that listens at EXPLORER_SCHEDULER
help-cluster-address = address to use instead of EXPLORER_SCHEDULER, such as tls://scheduler.example:8786
help-at-once = number of programs to run at the same time (default: one per processor)
scheduler-listens = Workers and servers can connect to { $address }.
worker-joined = This worker runs programs from { $address }.
worker-unready = The processes that run programs did not start. See: python -m explorer doctor
cluster-failed = Cannot use { $address }: { $reason }
help-doctor = check how programs are confined here, show versions, and list missing parts
help-path = a .py, .ipynb or .md file, or - for Python text on standard input
help-json = print one JSON object per path, one per line
help-run-json = print one JSON object per path, one per line, without the graph for long runs
help-json-full = like --json, with the graph of long runs
help-check-gradients = also report whether each leaf's gradient matches finite differences of the program, and if not, why
help-seed = seed for torch, numpy and random before each program
help-time-limit = seconds that each program may compute (default: 60, or 10 if EXPLORER_HOSTED is set)
help-memory-limit = MB that each program may use in addition to PyTorch (default: a quarter of the machine's memory)
help-output-limit = KB of text that each program may print before the middle is left out (default: 64)
help-stop = stop after the first cell that fails
help-detail = how much to record
help-backward = show the gradients of this backward call, counted from 1
help-of = show the gradients of the tensor with this name, such as loss
help-lang = language of the output
help-output = file to write, such as graph.svg. Its ending determines the format
help-version = show the version and exit
help-no-fold = draw every node, including each iteration of a loop

yes = yes
no = no
doctor-streamlit = { $version } (the app changes private parts of Streamlit { $known } only: with this version it runs without these changes, more slowly)
doctor-cuda = { $version }, built for CUDA { $cuda }
doctor-cuda-needless = { $version }, built for CUDA { $cuda }, but no NVIDIA driver was found (the CPU build is 4 GB smaller)
versions = Versions
doctor-parents = Preloaded parents
doctor-programs = runs programs
doctor-layout = lays out graphs
doctor-left-out = skipped because it can't be imported
doctor-folders = Folders for the app's own files
doctor-temporary = temporary files
    .none = no writable folder. Only cluster machines need one.
doctor-cache = cache for the next start
    .none = no writable folder. Each start prepares Graphviz and the plot fonts again.
doctor-names = Names that the app answers to
doctor-names-here = this machine
doctor-names-loopback = localhost, 127.0.0.1, [::1], and the address it listens on
doctor-names-site = the site
doctor-names-every = any name: the hosting platform's proxy decides which requests get here
doctor-names-none = none. To open the app under another name, set { $variable } to that name.
doctor-preload = A process that runs programs or draws pictures does not work. The reason is printed above this report.
doctor-confinement = What confines a program

help-lessons = a folder of lessons with course.toml, listed before the app's course
help-check = check programs or saved runs, and exit with 1 if any is not sound
help-allow = a kind or name to accept, such as gradient_cut or "embed.*"
help-modules = also print a table of the modules: output shape, parameters, gradient norm, update
help-report = report the gradients of programs or saved runs, where NaN starts, and any faults
help-compare = find where two programs or saved runs first differ, or whether two modules get the same gradients
help-compare-a = a program, a saved run (.trace), or a module as FILE.py:NAME, which runs here, unconfined
help-compare-b = the second program, run or module. If omitted, a table compares the module with its torch forms, such as export and compile
help-compare-batch = for modules: their input, as NAME in A’s file or FILE.py:NAME (default: x)
help-compare-loss = for modules: a function that computes a loss from their output, given in the same way
compare-one = { $path } needs a second program or saved run to compare with.
compare-no-name = { $path } does not define { $name }.
compare-stopped = { $path } raised { $reason }
help-record = run your own script unconfined, save everything that autograd did, and report
help-open = show a saved run in the app. The remaining arguments are passed to Streamlit
help-path-or-trace = .py, .ipynb, .md, or a saved run (.trace)
help-rtol = relative difference that counts as equal (default: the rounding of the dtype)
help-atol = absolute difference that counts as equal (default: the rounding of the dtype)
help-record-output = file to save to: .trace (compact) or .json (readable). Default: the script's name with .trace
help-record-on = record only the step in which this happens: nonfinite, or loss_jump:3 for a loss three times above its median. The script runs until then, and a second time to record that step
help-record-module = treat SCRIPT as the name of a module or package, as python -m does
help-record-script = a Python file. Options of record go before it
help-record-arguments = arguments that the script finds in sys.argv
help-open-path = a .trace file written by save or record
record-unconfined = { $path } runs here with all your permissions, unconfined.
record-saved = Saved in { $path }. { $by ->
    [app] Show it with: python -m explorer open { $path }
    [commands] It is too long for the app to draw. Read it with: python -m explorer report { $path } (or why, draw, compare).
   *[load] Read it with: explorer.load("{ $path }")
}
record-on-unknown = --on takes nonfinite or loss_jump:FACTOR with a factor above 1, not { $given }.
record-on-nothing = The script ran to its end. { $event } did not happen in { COUNTED($steps, "step", "steps") }.
record-on-found = Step { $step }: { $event }. The script runs again to record this step.
record-on-ended = The script ended with status { $status } before that step.
record-on-equal = The second run repeated all losses and gradient norms bit by bit.
record-on-differs = The second run differs from the first one from step { $step } on: set the seeds of all random generators to record the same step.
record-torch-missing = PyTorch is not installed here: python -m pip install torch

# Opening modules
help-open-module = draw the inside of a module, such as blocks.0.attn (may be repeated)
draw-module-unknown = Module { $path } did not run. These did: { $known }.
draw-module-several = Several modules match { $path }: { $known }. Use the full path.
draw-module-none = There is no module { $path }: this program ran no operation inside a module.
check-sound = { $path }: { $sound ->
    [yes] sound
    [unchecked] no fault found, but the gradients were not checked
    [noted] sound if its notes are intended
    [meant] no fault found; gradients match finite differences, except where the program leaves the graph on purpose
    [differs] no fault found, but gradients differ from finite differences
    [depends] no fault found, but a gradient is missing
    [intended] sound if its gradients are meant to differ from finite differences
    [padding] no fault found, but the result depends on padding
    [target] not sound: scores depend on their own targets
    [unknown] unknown
    [stopped] stopped
   *[no] { $count ->
        [one] 1 fault
       *[other] { $count } faults
    }
}{ $why ->
    [none] {""}
   *[other] {" "}({ $sound ->
        [unchecked] {""}
       *[other] not every gradient was checked:{" "}
    }{ $why ->
        [work] running the program again would take too long
       *[time] the additional runs reached their time limit
    })
}{ $kinds ->
    [none] {""}
   *[other] : { $kinds }
}
check-kind = { $kind } ({ $place })
help-app-watch = show the training that explorer.watch measures, FILE being its folder or its steps.stats, while it runs
help-app-open = show the program in FILE with the cursor on LINE, and rerun it whenever an editor saves it
