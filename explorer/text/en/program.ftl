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
unusable-too-many-cells = { $path } has { $count } cells; a program may have { $most }. Divide it into several files.
unusable-unknown-format = { $suffix ->
    [none] { $path } has no file ending. Programs are read from .py and .md files.
   *[other] { $path } is a { $suffix } file. Programs are read from .py and .md files.
}
unusable-unreadable = { $reason ->
    [missing] There is no file { $path }. Check the path.
    [folder] { $path } is a folder. Name a .py or .md file in it.
    [forbidden] { $path } may not be read by this user. Change its permissions.
   *[other] { $path } could not be read. Check that it is an ordinary file.
}
