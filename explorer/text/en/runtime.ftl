# What a run says about the notebook's surroundings it stands in.

limit-files = { $detail ->
    [count] The program made more than { $bound } files, or as many folders. Remove those it no longer needs.
   *[size] The files that the program wrote have more than { $bound } MB. Write less, remove files it no longer needs, or at home let it write on the disk: --write (in the app in the settings menu).
}

# A line that is not Python, and was not run as it stands: what it is, or what came of it.
skipped = not run here: { $what }
skipped-shell = not run here: { $what }
skipped-cell = Not run: the run ended in cell { $detail }.
skipped-help = Only the first { $detail } characters of { $what } are shown.
skipped-ended = The program ends here: { $what }
skipped-timed = Times that { $what } measures include the recording of each operation. timeit and %timeit leave it out.
skipped-workers = { $what }: a program is one process here, so the batches are loaded in it (num_workers=0).
skipped-threads = not run here: { $what } (a program has one thread)
skipped-answer = not run here: { $what } (nobody can answer while a program runs)
skipped-server = not run here: { $what } (a program cannot start a server)
skipped-compiler = { $what }: there is no compiler here, so the code runs as it is written. backend="eager" works.
skipped-font = { $what } needs a font to be drawn, and on this machine programs cannot open any file: its kernel has no Landlock (Linux 5.13 and later have it).
