# Limits and skipped lines of a run.

limit-files = { $detail ->
    [count] The program created more than { $bound } files or folders. Remove those it no longer needs.
   *[size] The program wrote more than { $bound } MB of files. Write less, remove files it no longer needs, or, on your own machine, let it write to the disk: --write (in the app: the settings menu).
}

# Lines that are not Python, or were not run unchanged.
skipped = not run here: { $what }
    .cell = Not run: the run ended in cell { $detail }.
    .help = Only the first { $detail } characters of { $what } are shown.
    .ended = The program ends here: { $what }
    .timed = Times measured by { $what } include the recording of each operation. timeit and %timeit don't include it.
    .workers = { $what }: a program is a single process here, so batches are loaded in that process (num_workers=0).
    .threads = not run here: { $what } (a program has one thread)
    .answer = not run here: { $what } (nobody can answer while a program runs)
    .server = not run here: { $what } (a program cannot start a server)
    .compiler = { $what }: there is no compiler here, so the code runs as it is written. backend="eager" works.
    .font = { $what } needs a font, but programs can't open files on this machine because its kernel has no Landlock (Linux 5.13 or newer).
