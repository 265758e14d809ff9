# 命令行上的话，以及关于限制和拒绝的句子。

limit-time = 程序运行 { $bound } 秒后被停止。{ $loop ->
    [none] 请减少计算量。
   *[other] 第 { $loop } 行的循环还没有结束：请检查它是否会结束，或减少其中的计算。
}
limit-memory = 程序申请的内存超过 { $bound } MB。{ $loop ->
    [none] 请减小张量。
   *[other] 第 { $loop } 行的循环还没有结束：请检查它是否会结束，或减少其中保留的数据。
}
limit-output = 程序打印的内容超过 { $bound } KB，此处省略了 { $count } 个字符。
allow-more = 可用 { $option } 放宽限制。
bad-limit = { $name } 必须是 { $least } 到 { $most } 之间的数，不能是 { $given }
limit-result = 程序要显示的结果超过 { $bound } MB。请减少计算的规模或次数。
limit-stopped = 你在 { $bound } 秒后停止了程序。此前显示的内容都会保留。按“运行”重新开始。
limit-crash = { $detail ->
    [no-scheduler] 程序没有运行：为各台机器分配程序的调度器没有响应。请稍后再试。
    [no-worker] 程序没有运行：目前没有可以运行程序的机器。请稍后再试。
    [worker-lost] 运行程序的机器失去了联系，重新运行它的另一台机器也失去了联系。请再运行一次；如果仍然如此，请减小张量。
   *[other] 程序终止了自己的进程。这之后的内容没有运行。
}
refusal = 这里不允许 { $what }。

line = 第 { $line } 行
unshown = 无法显示：{ $place } 出现 { $error }。这是 Autograd Explorer 的故障，与你的程序无关；报告问题时请附上这个文件。
no-such-backward = 没有第 { $number } 次反向传播：程序共调用了 { $count } 次 backward。
no-such-name = 没有 { $name } 的梯度：程序中没有名为 { $name } 的张量。

drawn = { $path }：{ $cards } 张卡片。
draw-suffix = { $path }：文件名必须以下列后缀之一结尾：{ $known }。
draw-unwritten = 无法写入 { $path }：{ $reason }。

file-unread = 无法读取 { $path }：{ $reason }
beside-left-out = 程序旁边有 { $files } 个 Python 文件没有带上，第一个是 { $first }：最多带 { $count } 个可读的文件，每个不超过 { $size } KB，一共不超过 { $all } MB。

help-file = 要放进程序文件夹的文件，或含有 Python 文件的文件夹；可以多次使用
help-folder = 程序可以读取的文件夹，相对路径从这里开始（程序是文件时，默认为它所在的文件夹；从标准输入读取时没有）
help-no-folder = 不让程序读取自己所在的文件夹
help-write = 把程序在该文件夹中的改动写到磁盘上；否则运行结束后丢弃
help-network = 允许程序访问其他机器，以便下载
help-app-folder = 你输入或打开的程序可以读取的文件夹，相对路径从这里开始。从链接打开的程序不能读取
help-app-write = 这些程序在该文件夹里写的内容会写到磁盘上；你输入时程序就会运行
help-app-network = 允许这些程序访问其他机器，以便下载
cannot-open =
    .hosted = 这里不能开放文件夹和网络：这台服务器会运行陌生人的程序（EXPLORER_HOSTED）。
    .elsewhere = 不能开放文件夹和网络：程序在其他机器上运行（EXPLORER_SCHEDULER）。
    .landlock = 本系统无法只开放一个文件夹：这需要带 Landlock 的 Linux（5.13 或更新）和 libseccomp。没有开放任何内容。请用 --file 或“文件”菜单添加单个文件。
    .write = 要写入，请指明文件夹：--folder 文件夹 --write。
    .missing = 没有文件夹 { $folder }。
    .file = { $folder } 是文件。请指明它所在的文件夹。
    .everything = { $folder } 包含本机的全部内容。请指定其中的一个文件夹。
    .unreadable = 你没有读取 { $folder } 的权限。
    .unwritable = 你没有写入 { $folder } 的权限。
help-run = 运行程序，打印输出，或以 JSON 打印全部记录
help-draw = 画出程序的计算图
help-app = 在浏览器中打开各页面；其后的选项转给 Streamlit，例如 --server.port=8502
unknown-arguments = 无法识别的参数：{ $arguments }
extra-app = 运行程序和显示页面还需要别的库（找不到 { $modules }）。请在项目文件夹里运行：python -m pip install ".[app]"
extra-draw = 画图还需要别的库（找不到 { $modules }）。请在项目文件夹里运行：python -m pip install ".[draw]"
extra-cluster = 集群还需要别的库（找不到 { $modules }）。请在项目文件夹里运行：python -m pip install ".[app,cluster]"
help-worker = 为其他机器上的服务器运行程序：成为 EXPLORER_SCHEDULER 所指集群的工作进程
help-scheduler = 把各服务器的程序分配给工作进程：成为在 EXPLORER_SCHEDULER 监听的调度器
help-cluster-address = 调度器的地址（代替 EXPLORER_SCHEDULER），例如 tls://scheduler.example:8786
help-at-once = 同时运行多少个程序（默认：每个处理器一个）
scheduler-listens = 工作进程和服务器可以连接 { $address }。
worker-joined = 这个工作进程运行来自 { $address } 的程序。
worker-unready = 运行程序的进程没有启动。请看：python -m explorer doctor
cluster-failed = 无法使用 { $address }：{ $reason }
help-doctor = 检查程序在这里受到哪些限制，显示各版本，列出缺少的部分
help-path = .py、.ipynb 或 .md；- 表示从标准输入读取 .py 文本
help-json = 每个路径打印一个 JSON 对象，每行一个
help-run-json = 每个路径打印一个 JSON 对象，每行一个；较长的运行不含其计算图
help-json-full = 同上，较长的运行也包含完整的计算图
help-check-gradients = 同时说明每个叶子张量的梯度是否等于程序的斜率，不等时说明原因
help-seed = 运行每个程序之前，为 torch、numpy 和 random 设置的随机种子
help-time-limit = 每个程序可用的计算秒数（默认 60；设了 EXPLORER_HOSTED 时为 10）
help-memory-limit = 每个程序在 PyTorch 之外可用的内存，单位 MB（默认为本机内存的四分之一）
help-output-limit = 每个程序可打印的文本，单位 KB，超出时省略中间部分（默认 64）
help-stop = 某个单元格出错后，不再运行后面的单元格
help-detail = 记录的详细程度
help-backward = 显示第几次反向传播的梯度，从 1 数起
help-of = 显示这个名字的梯度
help-lang = 输出所用的语言
help-output = 要写入的文件，例如 graph.svg；格式由后缀决定
help-version = 显示版本号并退出
help-no-fold = 画出每个节点，循环也不折叠

yes = 是
no = 否
doctor-streamlit = { $version }（应用只修改 Streamlit { $known } 的内部方法；使用此版本时不做修改，运行较慢）
doctor-cuda = { $version }，CUDA { $cuda } 版
doctor-cuda-needless = { $version }，CUDA { $cuda } 版；这台机器没有 NVIDIA 驱动，CPU 版小约 4 GB
versions = 版本
doctor-parents = 预加载的父进程
doctor-programs = 能运行程序
doctor-layout = 能计算图的布局
doctor-left-out = 无法导入，已略去
doctor-folders = 应用自己的文件所在的文件夹
doctor-temporary = 临时文件
    .none = 没有可写的文件夹。只有集群中的机器才需要。
doctor-cache = 供下次启动使用的缓存
    .none = 没有可写的文件夹。每次启动都要重新准备 Graphviz 和绘图字体。
doctor-names = 应用接受的名称
doctor-names-here = 这台机器
doctor-names-loopback = localhost、127.0.0.1、[::1]，以及它所监听的地址
doctor-names-site = 网站
doctor-names-every = 任何名称：由托管平台的代理决定
doctor-names-none = 无。要用别的名称打开应用，请将 { $variable } 设为它。
doctor-preload = 有一个运行程序或画图的进程无法工作。原因打印在这份报告上方。
doctor-confinement = 程序受到的限制

help-lessons = 含 course.toml 的课程文件夹，排在应用自带课程之前
help-check = 检查程序或已保存的运行是否有问题；有问题则退出码为 1
help-allow = 接受的种类或名字，例如 gradient_cut 或 "embed.*"
help-modules = 另外打印一张模块表：输出形状、参数、梯度范数、更新量
help-report = 程序或已保存的运行的梯度、NaN 从哪里开始，以及有什么问题
help-compare = 两个程序或已保存的运行最早在哪里不同，或两个模块的梯度是否相同
help-compare-a = 程序、已保存的运行（.trace），或模块：FILE.py:NAME，它在本进程中不受限制地运行
help-compare-b = 第二个程序、运行或模块；第一个是模块时可以省略，这时与它在 torch 中的各种形式（如 export、compile）逐一对比
help-compare-batch = 用于模块：A 的文件中的 NAME，或 FILE.py:NAME，即调用模块时的输入（默认：x）
help-compare-loss = 用于模块：根据输出计算损失的函数，写法同上
compare-one = { $path } 没有可对比的对象：请再指定一个程序或已保存的运行。
compare-no-name = { $path } 中没有定义 { $name }。
compare-stopped = { $path } 引发了 { $reason }
help-record = 不加限制地运行你自己的脚本，保存自动微分的全部过程，并打印报告
help-open = 在应用中显示已保存的运行；其后的参数交给 Streamlit
help-path-or-trace = .py、.ipynb、.md，或已保存的运行（.trace）
help-rtol = 视为相等的相对差（默认：由数据类型的精度决定）
help-atol = 视为相等的绝对差（默认：由数据类型的精度决定）
help-record-output = 保存到哪里：.trace（紧凑）或 .json（供人阅读）；默认：脚本名加 .trace
help-record-on = 只记录出现该事件的一步：nonfinite，或 loss_jump:3（损失超过中位数的三倍）。脚本先运行到那一步，再第二次运行以记录它
help-record-module = SCRIPT 是模块或包的名字，与 python -m 之后相同
help-record-script = 一个 Python 文件；record 的选项写在它前面
help-record-arguments = 脚本在 sys.argv 中看到的参数
help-open-path = 由 save 或 record 写出的 .trace 文件
record-unconfined = { $path } 在这里原样运行，拥有你的全部权限，不受任何限制。
record-saved = 已保存到 { $path }。{ $by ->
    [app] 查看：python -m explorer open { $path }
    [commands] 它太长，应用画不出来。读取：python -m explorer report { $path }；why、draw、compare 也能读取它。
   *[load] 读取：explorer.load("{ $path }")
}
record-on-unknown = --on 接收 nonfinite 或 loss_jump:倍数（大于 1），不能是 { $given }。
record-on-nothing = 脚本已运行结束，{ $steps } 步中没有出现 { $event }。
record-on-found = 第 { $step } 步：{ $event }。脚本将再次运行以记录这一步。
record-on-ended = 脚本在到达那一步之前以状态 { $status } 结束。
record-on-equal = 第二次运行逐位重现了所有损失和梯度范数。
record-on-differs = 从第 { $step } 步起，第二次运行与第一次不同：请固定所有随机数生成器的种子，以记录同一步。
record-torch-missing = 这里没有安装 PyTorch：python -m pip install torch

# 展开模块
help-open-module = 画出模块内部，例如 blocks.0.attn；可多次使用
draw-module-unknown = 没有运行过模块 { $path }。已有的模块：{ $known }。
draw-module-several = 名为 { $path } 的模块不止一个：{ $known }。请写出完整路径。
draw-module-none = 没有模块 { $path }：这个程序没有在任何模块中执行运算。
check-sound = { $path }：{ $sound ->
    [yes] 没有问题
    [unchecked] 没有发现问题，但梯度未经核对
    [noted] 没有问题，前提是提示中的写法是有意的
    [meant] 没有发现问题；除程序有意离开计算图之处，梯度与数值差分一致
    [differs] 没有发现问题，但梯度与数值差分不一致
    [depends] 没有发现问题，但缺少梯度
    [intended] 没有问题，前提是梯度本来就应与数值差分不同
    [padding] 没有发现问题，但结果依赖于填充
    [target] 有问题：分数依赖于自己的目标
    [unknown] 无法判断
    [stopped] 中断
   *[no] { $count } 个问题
}{ $why ->
    [none] {""}
   *[other] （{ $sound ->
        [unchecked] {""}
       *[other] 部分梯度未检查：
    }{ $why ->
        [work] 程序的计算量太大，再次运行会太久
       *[time] 再次运行时达到了时间上限
    }）
}{ $kinds ->
    [none] {""}
   *[other] ：{ $kinds }
}
check-kind = { $kind }（{ $place }）
help-app-watch = 在训练进行时显示 explorer.watch 测量的结果；FILE 是它的文件夹或其中的 steps.stats
help-app-open = 显示 FILE 中的程序，光标在第 LINE 行；编辑器每次保存后重新运行
