# What a run says about the notebook's surroundings it stands in.

limit-files = { $detail ->
    [count] The program made more than { $bound } files, or as many folders. Remove those it no longer needs.
   *[size] The files that the program wrote have more than { $bound } MB. Write less, or remove files it no longer needs.
}

# A line that is not Python, and was not run as it stands: what it is, or what came of it.
skipped = not run here: { $what }
skipped-shell = not run here: { $what }
skipped-magic = not run here: { $what }
skipped-installed = not run here: { $what } (there already: { $detail })
skipped-absent = not run here: { $what } (not among what programs have here: { $detail })
skipped-given = { $detail } was taken from Files: { $what } was not run
