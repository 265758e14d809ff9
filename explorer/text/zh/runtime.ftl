# 运行环境（笔记本）的说明。

limit-files = { $detail ->
    [count] 程序创建的文件或文件夹超过 { $bound } 个。请删除不再需要的。
   *[size] 程序写入的文件共超过 { $bound } MB。请少写一些，删除不再需要的文件；在自己的电脑上也可以用 --write（在应用中用设置菜单）让它写到磁盘上。
}

# 不是 Python、也没有照原样运行的一行：它是什么，或怎样处理了。
skipped = 这里不运行：{ $what }
    .cell = 没有运行：程序在第 { $detail } 个单元格就结束了。
    .help = { $what } 只显示前 { $detail } 个字符。
    .ended = 程序在这里结束：{ $what }
    .timed = { $what } 测得的时间包含记录每个运算所用的时间；timeit 和 %timeit 不含。
    .workers = { $what }：这里的程序只有一个进程，小批量就在其中加载（num_workers=0）。
    .threads = 这里不运行：{ $what }（程序只有一个线程）
    .answer = 不在这里运行：{ $what }（程序运行时没有人能回答）
    .server = 这里不运行：{ $what }（程序不能启动服务）
    .compiler = { $what }：这里没有编译器，代码按原样运行。可以用 backend="eager"。
    .font = 绘制 { $what } 需要字体，而程序在这台机器上不能打开任何文件：内核没有 Landlock（Linux 5.13 及以后的版本才有）。
