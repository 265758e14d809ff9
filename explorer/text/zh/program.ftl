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
unusable-too-many-cells = { $given ->
    [text] 这段文本有 { $count } 个单元格，程序最多 { $most } 个。请只运行其中较短的一部分。
   *[file] { $path } 有 { $count } 个单元格，程序最多 { $most } 个。请分成几个文件。
}
unusable-unknown-format = { $suffix ->
    [none] { $path } 没有扩展名。程序文件可以是 .py、.ipynb 或 .md。
   *[other] { $path } 是 { $suffix } 文件。程序文件可以是 .py、.ipynb 或 .md。
}
unusable-unreadable = { $reason ->
    [missing] 没有文件 { $path }。请检查路径。
    [folder] { $path } 是文件夹。请指定其中的 .py、.ipynb 或 .md 文件。
    [forbidden] 你没有读取 { $path } 的权限。
   *[other] 无法读取 { $path }。请确认它是普通文件。
}
unusable-broken-json = { $given ->
    [text] 这个笔记本已损坏：JSON 在第 { NUMBER($line, useGrouping: 0) } 行第 { NUMBER($column, useGrouping: 0) } 列不完整或有错误。请重新复制。
   *[file] { $path } 已损坏：JSON 在第 { NUMBER($line, useGrouping: 0) } 行第 { NUMBER($column, useGrouping: 0) } 列不完整或有错误。请重新下载或保存这个笔记本。
}
unusable-too-deep = { $given ->
    [text] 这段文本嵌套过深，不像是笔记本。请在 Jupyter 中重新保存。
   *[file] { $path } 嵌套过深，不像是笔记本。请在 Jupyter 中重新保存。
}
unusable-not-a-notebook = { $given ->
    [text] 这段文本是 JSON，但不是笔记本：{ $place } 不符合 Jupyter 的格式。请在 Jupyter 中重新保存。
   *[file] { $path } 是 JSON，但不是笔记本：{ $place } 不符合 Jupyter 的格式。请在 Jupyter 中重新保存。
}
unusable-notebook-format = { $given ->
    [text] 这段文本是格式 { NUMBER($version, useGrouping: 0) } 的笔记本，这里只能读取格式 4。请在 Jupyter 中打开并重新保存。
   *[file] { $path } 是格式 { NUMBER($version, useGrouping: 0) } 的笔记本，这里只能读取格式 4。请在 Jupyter 中打开并重新保存。
}
unusable-other-language = { $given ->
    [text] 这段文本是 { $language } 语言的笔记本。这里只能运行 Python 笔记本。
   *[file] { $path } 是 { $language } 语言的笔记本。这里只能运行 Python 笔记本。
}
unusable-notebook-too-large = { $part ->
    [code] 代码单元格共 { $size } 字节，程序最多 { $most } 字节。请只运行其中较短的一部分。
   *[notes] 文本单元格共 { $size } 字节，笔记本最多 { $most } 字节。请删去一部分文字。
}
unusable-character = { $given ->
    [text] 这段文本的第 { NUMBER($cell, useGrouping: 0) } 个单元格第 { NUMBER($line, useGrouping: 0) } 行有字符 { $character }，Python 无法读取。请删除这个字符。
   *[file] { $path } 的第 { NUMBER($cell, useGrouping: 0) } 个单元格第 { NUMBER($line, useGrouping: 0) } 行有字符 { $character }，Python 无法读取。请删除这个字符。
}

# 对粘贴的文本做了什么。

cleaned = 已粘贴：{ $what }。
cleaned-notebook = 笔记本，{ $count } 个单元格
cleaned-fences = 已把 { $count } 个代码块转成单元格
cleaned-prompts = 去掉 { $count } 个提示符
cleaned-outputs = 去掉 { $count } 行输出

unusable-saved = { $reason }
unusable-not-a-run = { $found ->
    [empty] { $path } 是空文件。请重新保存运行：explorer.save(trace, "run.trace")。
    [large] { $path } 有 { $size } 字节；应用能显示的已保存运行最多 { $most } 字节。请只记录较短的一段，或用 python -m explorer report、why、draw 或 explorer.load 读取。
    [dropped] { $path } 有 { $size } 字节；拖到程序上的已保存的运行最多 8 MB。请在“文件”→“打开”中选择它，那里最多 { $most } 字节。
    [long] { $path } 是已保存的运行，但太长，应用画不出来（{ $reason }）。请只记录较短的一段，或用 python -m explorer report、why、draw 或 explorer.load 读取。
    [archive] { $path } 是压缩包（例如 torch.save 写出的文件），不是已保存的运行。请用 explorer.save(trace, "run.trace") 或 python -m explorer record 保存运行。
    [pickle] { $path } 是 pickle 文件，应用从不打开这种文件；它不是已保存的运行。请用 explorer.save(trace, "run.trace") 或 python -m explorer record 保存运行。
    [json] { $path } 是 JSON。这里只能打开保存为 .trace 的运行：explorer.save(trace, "run.trace")。
    [cut] { $path } 是不完整的已保存运行：末尾缺失。请重新复制，或重新保存运行。
    [older] { $path } 是用旧版 Autograd Explorer 保存的，当前版本无法读取。请重新记录程序。
    [newer] { $path } 是用更新版本的 Autograd Explorer 保存的。请更新这里的版本，或在这里重新记录程序。
    [wrong] { $path } 看起来是已保存的运行，但内容不一致（{ $reason }）。请重新保存运行。
   *[other] { $path } 不是已保存的运行。这种文件要用 explorer.save(trace, "run.trace") 或 python -m explorer record 生成。
}
