# Data that is no program: what was asked, what was found, where, and how to mend it.

unusable-undecodable = { $given ->
    [text] This text is not UTF-8: byte { $byte } at offset { NUMBER($offset, useGrouping: 0) }, in line { NUMBER($line, useGrouping: 0) }. Type that character again.
   *[file] { $path } is not UTF-8 text: byte { $byte } at offset { NUMBER($offset, useGrouping: 0) }, in line { NUMBER($line, useGrouping: 0) }. Save the file as UTF-8.
}
unusable-nul = { $given ->
    [text] This text holds a NUL character in line { NUMBER($line, useGrouping: 0) }, column { NUMBER($column, useGrouping: 0) }; Python cannot read it. Delete that character.
   *[file] { $path } holds a NUL character in line { NUMBER($line, useGrouping: 0) }, column { NUMBER($column, useGrouping: 0) }; Python cannot read it. Delete that character, or check that the file is a program.
}
unusable-too-large = { $given ->
    [text] This text has { $size } bytes or more; a program may have { $most }. Run a shorter part of it.
   *[file] { $path } has { $size } bytes; such a file may have { $most }. Run a shorter part of it.
}
unusable-too-many-cells = { $given ->
    [text] This text has { $count } cells; a program may have { $most }. Run a shorter part of it.
   *[file] { $path } has { $count } cells; a program may have { $most }. Divide it into several files.
}
unusable-unknown-format = { $suffix ->
    [none] { $path } has no file ending. Programs are read from .py, .ipynb and .md files.
   *[other] { $path } is a { $suffix } file. Programs are read from .py, .ipynb and .md files.
}
unusable-unreadable = { $reason ->
    [missing] There is no file { $path }. Check the path.
    [folder] { $path } is a folder. Name a .py, .ipynb or .md file in it.
    [forbidden] { $path } may not be read by this user. Change its permissions.
   *[other] { $path } could not be read. Check that it is an ordinary file.
}
unusable-broken-json = { $given ->
    [text] This notebook is not whole: its JSON breaks off or goes wrong in line { NUMBER($line, useGrouping: 0) }, column { NUMBER($column, useGrouping: 0) }. Copy it again.
   *[file] { $path } is not whole: its JSON breaks off or goes wrong in line { NUMBER($line, useGrouping: 0) }, column { NUMBER($column, useGrouping: 0) }. Download or save the notebook again.
}
unusable-too-deep = { $given ->
    [text] This text is nested too deeply to be a notebook. Save the notebook again in Jupyter.
   *[file] { $path } is nested too deeply to be a notebook. Save the notebook again in Jupyter.
}
unusable-not-a-notebook = { $given ->
    [text] This text is JSON but no notebook: { $place } is not what Jupyter writes there. Save the notebook again in Jupyter.
   *[file] { $path } is JSON but no notebook: { $place } is not what Jupyter writes there. Save the notebook again in Jupyter.
}
unusable-notebook-format = { $given ->
    [text] This text is a notebook of format { NUMBER($version, useGrouping: 0) }; format 4 is read. Open it in Jupyter and save it again.
   *[file] { $path } is a notebook of format { NUMBER($version, useGrouping: 0) }; format 4 is read. Open it in Jupyter and save it again.
}
unusable-other-language = { $given ->
    [text] This text is a notebook in { $language }. Only notebooks in Python are run.
   *[file] { $path } is a notebook in { $language }. Only notebooks in Python are run.
}
unusable-notebook-too-large = { $part ->
    [code] The code cells have { $size } bytes; a program may have { $most }. Run a shorter part of it.
   *[notes] The text cells have { $size } bytes; a notebook may have { $most }. Remove some of the text.
}
unusable-character = { $given ->
    [text] Cell { NUMBER($cell, useGrouping: 0) } of this text holds the character { $character } in its line { NUMBER($line, useGrouping: 0) }; Python cannot read it. Delete that character.
   *[file] Cell { NUMBER($cell, useGrouping: 0) } of { $path } holds the character { $character } in its line { NUMBER($line, useGrouping: 0) }; Python cannot read it. Delete that character.
}

# What was done to a pasted text.

cleaned = Pasted: { $what }.
cleaned-notebook = { $count ->
    [one] a notebook with one cell
   *[other] a notebook with { $count } cells
}
cleaned-fences = { $count ->
    [one] one code block became a cell
   *[other] { $count } code blocks became cells
}
cleaned-prompts = { $count ->
    [one] one prompt removed
   *[other] { $count } prompts removed
}
cleaned-outputs = { $count ->
    [one] one line of output removed
   *[other] { $count } lines of output removed
}
cleaned-joint = { $before }, { $next }

unusable-saved = { $reason }
unusable-not-a-run = { $found ->
    [empty] { $path } is empty. Save the run again: explorer.save(trace, "run.trace").
    [large] { $path } has { $size } bytes; a saved run that the app shows may have { $most }. Record a shorter part of it, or read it with python -m explorer report, why and draw, or explorer.load.
    [dropped] { $path } has { $size } bytes; a saved run that is dropped on the program may have 8 MB. Choose it in File → Open, which takes { $most } bytes.
    [long] { $path } is a saved run with more than the app draws ({ $reason }). Record a shorter part of it, or read it with python -m explorer report, why and draw, or explorer.load.
    [archive] { $path } is an archive, as torch.save writes of a model, and no saved run. Save a run with explorer.save(trace, "run.trace") or python -m explorer record.
    [pickle] { $path } is a pickle, which is never opened here, and no saved run. Save a run with explorer.save(trace, "run.trace") or python -m explorer record.
    [json] { $path } is JSON. Here a run is opened that was saved as .trace: explorer.save(trace, "run.trace").
    [cut] { $path } is a saved run that breaks off: its end is missing. Copy it again, or save the run again.
    [older] { $path } was saved by an older version of Autograd Explorer, whose runs are not read any more. Record the program again with this version.
    [newer] { $path } was saved by a newer version of Autograd Explorer than this one. Update this one, or record the program again here.
    [wrong] { $path } looks like a saved run, but does not hold together ({ $reason }). Save the run again.
   *[other] { $path } is no saved run. Such a file is written by explorer.save(trace, "run.trace") and by python -m explorer record.
}
