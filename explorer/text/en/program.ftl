# Input that is not a program: what was expected, what was found, where, and how to fix it.

unusable-undecodable = { $given ->
    [text] This text is not UTF-8: byte { $byte } at offset { NUMBER($offset, useGrouping: 0) }, line { NUMBER($line, useGrouping: 0) }. Type that character again.
   *[file] { $path } is not UTF-8 text: byte { $byte } at offset { NUMBER($offset, useGrouping: 0) }, line { NUMBER($line, useGrouping: 0) }. Save the file as UTF-8.
}
unusable-nul = { $given ->
    [text] This text contains a NUL character on line { NUMBER($line, useGrouping: 0) }, column { NUMBER($column, useGrouping: 0) }; Python cannot read it. Delete that character.
   *[file] { $path } contains a NUL character on line { NUMBER($line, useGrouping: 0) }, column { NUMBER($column, useGrouping: 0) }; Python cannot read it. Delete that character, or check that the file is a program.
}
unusable-too-large = { $given ->
    [text] This text has at least { $size } bytes, but a program may have at most { $most }. Run a shorter part of it.
   *[file] { $path } has { $size } bytes, but such a file may have at most { $most }. Run a shorter part of it.
}
unusable-too-many-cells = { $given ->
    [text] This text has { $count } cells, but a program may have at most { $most }. Run a shorter part of it.
   *[file] { $path } has { $count } cells, but a program may have at most { $most }. Split it into several files.
}
unusable-unknown-format = { $suffix ->
    [none] { $path } has no file ending. Programs are read from .py, .ipynb and .md files.
   *[other] { $path } is a { $suffix } file. Programs are read from .py, .ipynb and .md files.
}
unusable-unreadable = { $reason ->
    [missing] File not found: { $path }. Check the path.
    [folder] { $path } is a folder. Name a .py, .ipynb or .md file in it.
    [forbidden] You don't have permission to read { $path }.
   *[other] { $path } could not be read. Check that it is a regular file.
}
unusable-broken-json = { $given ->
    [text] This notebook is damaged: its JSON is invalid or incomplete at line { NUMBER($line, useGrouping: 0) }, column { NUMBER($column, useGrouping: 0) }. Copy it again.
   *[file] { $path } is damaged: its JSON is invalid or incomplete at line { NUMBER($line, useGrouping: 0) }, column { NUMBER($column, useGrouping: 0) }. Download or save the notebook again.
}
unusable-too-deep = { $given ->
    [text] This text is nested too deeply to be a notebook. Save the notebook again in Jupyter.
   *[file] { $path } is nested too deeply to be a notebook. Save the notebook again in Jupyter.
}
unusable-not-a-notebook = { $given ->
    [text] This text is JSON, but not a notebook: { $place } is not in Jupyter's format. Save the notebook again in Jupyter.
   *[file] { $path } is JSON, but not a notebook: { $place } is not in Jupyter's format. Save the notebook again in Jupyter.
}
unusable-notebook-format = { $given ->
    [text] This text is a notebook of format { NUMBER($version, useGrouping: 0) }; only format 4 can be read. Open it in Jupyter and save it again.
   *[file] { $path } is a notebook of format { NUMBER($version, useGrouping: 0) }; only format 4 can be read. Open it in Jupyter and save it again.
}
unusable-other-language = { $given ->
    [text] This text is a notebook in { $language }. Only Python notebooks can be run.
   *[file] { $path } is a notebook in { $language }. Only Python notebooks can be run.
}
unusable-notebook-too-large = { $part ->
    [code] The code cells have { $size } bytes, but a program may have at most { $most }. Run a shorter part of it.
   *[notes] The text cells have { $size } bytes, but a notebook may have at most { $most }. Remove some text.
}
unusable-character = { $given ->
    [text] Cell { NUMBER($cell, useGrouping: 0) } of this text contains the character { $character } on line { NUMBER($line, useGrouping: 0) }; Python cannot read it. Delete that character.
   *[file] Cell { NUMBER($cell, useGrouping: 0) } of { $path } contains the character { $character } on line { NUMBER($line, useGrouping: 0) }; Python cannot read it. Delete that character.
}

# How pasted text was cleaned.

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

unusable-saved = { $reason }
unusable-not-a-run = { $found ->
    [empty] { $path } is empty. Save the run again: explorer.save(trace, "run.trace").
    [large] { $path } has { $size } bytes, but the app shows saved runs of at most { $most }. Record a shorter part of it, or read it with python -m explorer report, why and draw, or explorer.load.
    [dropped] { $path } has { $size } bytes, but a saved run dropped on the program may have at most 8 MB. Use File → Open instead, which accepts { $most } bytes.
    [long] { $path } is a saved run that is too long for the app to draw ({ $reason }). Record a shorter part of it, or read it with python -m explorer report, why and draw, or explorer.load.
    [archive] { $path } is an archive, such as torch.save writes, not a saved run. Save a run with explorer.save(trace, "run.trace") or python -m explorer record.
    [pickle] { $path } is a pickle, which the app never opens, not a saved run. Save a run with explorer.save(trace, "run.trace") or python -m explorer record.
    [json] { $path } is JSON. Only runs saved as .trace can be opened here: explorer.save(trace, "run.trace").
    [cut] { $path } is an incomplete saved run: its end is missing. Copy it or save the run again.
    [older] { $path } was saved by an older version of Autograd Explorer, which this version can't read. Record the program again.
    [newer] { $path } was saved by a newer version of Autograd Explorer. Update this version, or record the program again here.
    [wrong] { $path } looks like a saved run but is inconsistent ({ $reason }). Save the run again.
   *[other] { $path } is not a saved run. Create one with explorer.save(trace, "run.trace") or python -m explorer record.
}
