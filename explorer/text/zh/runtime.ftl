# 运行环境（笔记本）的说明。

limit-files = { $detail ->
    [count] 程序创建的文件或文件夹超过 { $bound } 个。请删除不再需要的。
   *[size] 程序写入的文件共超过 { $bound } MB。请少写一些，或删除不再需要的文件。
}

# 不是 Python、也没有照原样运行的一行：它是什么，或怎样处理了。
skipped = 这里不运行：{ $what }
skipped-shell = 这里不运行：{ $what }
skipped-magic = 这里不运行：{ $what }
skipped-installed = 这里不运行：{ $what }（已经可用：{ $detail }）
skipped-absent = 这里不运行：{ $what }（这里没有：{ $detail }）
skipped-given = 没有运行 { $what }，用的是“数据文件”里的 { $detail }
