# 命令行上的话，以及关于限制和拒绝的句子。

limit-time = 程序运行 { $bound } 秒后被停止。请减少那里的计算。
limit-memory = 程序申请的内存超过 { $bound } MB。请减小张量。
limit-output = 程序打印的内容超过 { $bound } KB，此处省略了 { $count } 个字符。
allow-more = 可用 { $option } 放宽限制。
bad-limit = { $name } 必须是 { $least } 到 { $most } 之间的数，实际为：{ $given }
limit-result = 程序留下的结果超过 { $bound } MB。请减少计算的规模或次数。
limit-crash = 程序使运行它的进程终止。此处之后的内容没有运行。
refusal = 这里不允许 { $what }。

line = 第 { $line } 行
cell-line = 第 { $cell } 个单元，第 { $line } 行
no-such-backward = 请求第 { $number } 次反向传播，而程序共调用 { $count } 次。
no-such-name = 请求 { $name } 的梯度，而程序没有把这个名字绑定到张量。

drawn = { $path }：{ $cards } 张卡片。
draw-suffix = { $path }：图的文件名须以下列后缀之一结尾：{ $known }。
draw-unwritten = 无法写入 { $path }：{ $reason }。

file-unread = 无法读取 { $path }：{ $reason }
file-file = { $path } 太大：程序读取的文件每个最多 { $file } MB。
file-all = 放不下 { $path }：程序读取的文件合计最多 { $all } MB。
file-count = 放不下 { $path }：最多给程序 { $count } 个文件。

help-file = 程序在自己的文件夹里能找到的文件；可多次给出
help-run = 运行程序，打印其输出，或以 JSON 给出全部记录
help-draw = 画出程序的计算图
help-doctor = 程序在这里受到哪些限制、各版本、缺少什么
help-path = .py、.ipynb 或 .md；- 表示从标准输入读取 .py 文本
help-json = 每个路径打印一个 JSON 对象，每行一个
help-seed = 每个程序之前 torch、numpy 和 random 的随机种子
help-time-limit = 每个程序可用的计算秒数（默认 10）
help-memory-limit = 每个程序在 PyTorch 之外可用的内存，单位 MB（默认为本机内存的四分之一）
help-output-limit = 每个程序可打印的文本，单位 KB，超出时省略中间部分（默认 64）
help-stop = 某个单元出错后不再运行其后的单元
help-detail = 记录的详细程度
help-backward = 显示第几次反向传播的梯度，从 1 数起
help-of = 显示这个名字的梯度
help-lang = 句子所用的语言
help-output = 写到哪里，例如 graph.svg；格式由文件名后缀决定
help-version = 显示版本号并退出
help-no-fold = 画出每个节点，循环也不折叠

doctor-yes = 是
doctor-no = 否
doctor-missing = 缺少
doctor-versions = 版本
doctor-parents = 预加载的父进程
doctor-programs = 能运行程序
doctor-layout = 能为图布局
doctor-confinement = 什么限制着程序
doctor-line = { $name }：{ $state }
