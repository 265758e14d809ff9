# 系统拒绝了什么、为什么，以及可以改用什么。`what` 是程序里的写法。

refused =
    .file = 这里不能使用 { $what }：程序不能访问这台机器的磁盘。请把文件拖进“文件”菜单里的“数据文件”（命令行用 --file），再按文件名打开；open、pandas.read_csv、numpy.load、torch.save 可用于这些文件和程序自己写的文件。
    .outside = { $what } 打开的链接指向程序可用的文件夹之外。请把文件复制到该文件夹里。
    .no-files = 这里不能使用 { $what }：本机的内核没有 Landlock（Linux 5.13 起才有），因此程序没有文件可用。
    .unreadable = 你没有读取 { $what } 所打开文件的权限。请修改文件权限。
    .process = 这里没有 { $what }：程序只有一个进程、一个线程。请直接调用函数。
    .network = 这里不能使用 { $what }：程序没有网络。请自己下载文件，拖进“文件”菜单里的“数据文件”（命令行用 --file），再按文件名打开。在自己的电脑上，可以用 --network（在应用中用设置菜单）让程序下载。
    .shell = 这里不运行：{ $what }（这里只运行 Python；open、os、pathlib 可用于程序自己的文件）
    .download = { $what } 需要下载，而这里没有网络。请在自己的电脑上下载文件，再拖进“文件”菜单里的“数据文件”，程序就能按文件名打开它。在自己的电脑上，可以用 --network（在应用中用设置菜单）让程序下载。
    .weights = { $what } 需要下载训练好的权重，而这里没有网络。去掉这个参数，就可以使用随机初始化的同一个网络。在自己的电脑上，可以用 --network（在应用中用设置菜单）让程序下载。
    .hub = 这里不能使用 { $what }：它要下载代码和权重，而程序没有网络。请用 torch.nn 写出模型，从随机权重开始。在自己的电脑上，可以用 --network（在应用中用设置菜单）让程序下载。
    .input = 这里没有 { $what }：程序运行时没有人能输入。请在单元格开头把这个值赋给变量。
    .font = { $what } 需要字体，而程序在这台机器上不能打开任何文件：内核没有 Landlock（Linux 5.13 及以后的版本才有）。这里不能画图。
    .system = 系统不允许程序这样做：{ $what }。这里的程序只能计算、打印，以及读写自己的文件。
    .profiler = 这里不能使用 { $what }：torch 的分析器要启动自己的线程。with torch.autograd.profiler_legacy.profile() as prof: 可以为同样的运算计时，prof.key_averages().table() 显示结果；cProfile 为 Python 代码计时，torch.utils.benchmark.Timer 为一条语句计时。
    .module = { $what }：在这台机器上，程序开始前没有加载的模块，不管是否安装，都不能导入。这台机器的内核没有 Landlock（Linux 5.13 及以后的版本才有），所以程序不能打开任何文件；torch、numpy、pandas、matplotlib 总是已经加载。
