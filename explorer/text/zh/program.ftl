# 不能作为程序的数据：要做什么、发现了什么、在哪里、怎样改。

unusable-undecodable = { $given ->
    [text] 这段文本不是 UTF-8：第 { NUMBER($line, useGrouping: 0) } 行、偏移 { NUMBER($offset, useGrouping: 0) } 处的字节是 { $byte }。请重新输入这个字符。
   *[file] { $path } 不是 UTF-8 文本：第 { NUMBER($line, useGrouping: 0) } 行、偏移 { NUMBER($offset, useGrouping: 0) } 处的字节是 { $byte }。请把文件另存为 UTF-8。
}
unusable-nul = { $given ->
    [text] 这段文本的第 { NUMBER($line, useGrouping: 0) } 行第 { NUMBER($column, useGrouping: 0) } 列有 NUL 字符，Python 无法读取。请删除这个字符。
   *[file] { $path } 的第 { NUMBER($line, useGrouping: 0) } 行第 { NUMBER($column, useGrouping: 0) } 列有 NUL 字符，Python 无法读取。请删除这个字符，或确认该文件是程序。
}
unusable-too-large = { $given ->
    [text] 这段文本至少有 { $size } 字节，程序最多 { $most } 字节。请只运行其中较短的一部分。
   *[file] { $path } 有 { $size } 字节，这种文件最多 { $most } 字节。请只运行其中较短的一部分。
}
unusable-too-many-cells = { $path } 有 { $count } 个单元格，程序最多 { $most } 个。请分成几个文件。
unusable-unknown-format = { $suffix ->
    [none] { $path } 没有扩展名。程序从 .py 和 .md 文件读取。
   *[other] { $path } 是 { $suffix } 文件。程序从 .py 和 .md 文件读取。
}
unusable-unreadable = { $reason ->
    [missing] 没有文件 { $path }。请检查路径。
    [folder] { $path } 是文件夹。请指定其中的 .py 或 .md 文件。
    [forbidden] 当前用户不能读取 { $path }。请修改它的权限。
   *[other] 无法读取 { $path }。请确认它是普通文件。
}
