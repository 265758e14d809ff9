# 命令行上的话，以及关于限制和拒绝的句子。

limit-time = 程序运行 { $bound } 秒后被停止。{ $loop ->
    [none] 请减少计算量。
   *[other] 第 { $loop } 行的循环还没有结束：请检查它是否会结束，或减少其中的计算。
}
limit-memory = 程序申请的内存超过 { $bound } MB。{ $loop ->
    [none] 请减小张量。
   *[other] 第 { $loop } 行的循环还没有结束：请检查它是否会结束，或减少它保留的内容。
}
limit-output = 程序打印的内容超过 { $bound } KB，此处省略了 { $count } 个字符。
allow-more = 可用 { $option } 放宽限制。
bad-limit = { $name } 必须是 { $least } 到 { $most } 之间的数，实际为：{ $given }
limit-result = 程序留下的结果超过 { $bound } MB。请减少计算的规模或次数。
limit-stopped = 你在 { $bound } 秒后停止了程序。此前显示的内容保留在这里。按“运行”重新开始。
limit-crash = { $detail ->
    [no-scheduler] 程序没有运行：为各台机器分配程序的调度器没有响应。请稍后再试。
    [no-worker] 程序没有运行：目前没有可以运行程序的机器。请稍后再试。
    [worker-lost] 运行程序的机器失去了联系，重新运行它的另一台机器也失去了联系。请再运行一次；如果仍然如此，请减小张量。
   *[other] 程序使运行它的进程终止。此处之后的内容没有运行。
}
refusal = 这里不允许 { $what }。

line = 第 { $line } 行
unshown = 无法显示：{ $place } 处出现 { $error }。问题在本工具，不在你的程序；报告此问题时请附上该文件。
no-such-backward = 请求第 { $number } 次反向传播，而程序共调用 { $count } 次。
no-such-name = 请求 { $name } 的梯度，而程序没有把这个名字绑定到张量。

drawn = { $path }：{ $cards } 张卡片。
draw-suffix = { $path }：图的文件名须以下列后缀之一结尾：{ $known }。
draw-unwritten = 无法写入 { $path }：{ $reason }。

file-unread = 无法读取 { $path }：{ $reason }
file-file = { $path } 太大：程序读取的文件每个最多 { $file } MB。
file-all = 放不下 { $path }：程序读取的文件合计最多 { $all } MB。
file-count = 放不下 { $path }：最多给程序 { $count } 个文件。
beside-left-out = 程序旁边有 { $files } 个 Python 文件没有带上，第一个是 { $first }：最多带 { $count } 个，每个不超过 { $size } KB，一共 { $all } MB，而且要能读取。

help-file = 程序在自己的文件夹里能找到的文件，或放有 Python 文件的文件夹；可多次给出
help-folder = 程序可以读取的文件夹，相对路径从这里开始（程序是文件时，默认为它所在的文件夹；从标准输入读取时没有）
help-no-folder = 不让程序读取自己所在的文件夹
help-write = 程序在该文件夹里写的内容会写到磁盘上；否则随运行结束而消失
help-network = 允许程序访问其他机器，以便下载
help-app-folder = 你输入或打开的程序可以读取的文件夹，相对路径从这里开始。随链接而来的程序不能读取
help-app-write = 这些程序在该文件夹里写的内容会写到磁盘上；你输入时程序就会运行
help-app-network = 允许这些程序访问其他机器，以便下载
cannot-open-hosted = 这里不开放文件夹和网络：这台服务器上由陌生人输入程序（EXPLORER_HOSTED）。
cannot-open-elsewhere = 不开放文件夹和网络：程序在其他机器上运行（EXPLORER_SCHEDULER）。
cannot-open-landlock = 本系统无法只开放一个文件夹：这需要带 Landlock 的 Linux（5.13 或更新）和 libseccomp。什么也没有开放。请用 --file 或“文件”菜单给出单个文件。
cannot-open-write = 要写入，请指明文件夹：--folder 文件夹 --write。
cannot-open-missing = 没有文件夹 { $folder }。
cannot-open-file = { $folder } 是文件。请指明它所在的文件夹。
cannot-open-everything = { $folder } 包含本机的一切。请指明其中的一个文件夹。
cannot-open-unreadable = 你没有读取 { $folder } 的权限。
cannot-open-unwritable = 你没有写入 { $folder } 的权限。
help-run = 运行程序，打印其输出，或以 JSON 给出全部记录
help-draw = 画出程序的计算图
help-app = 在浏览器中打开各页面；其后的选项转给 Streamlit，例如 --server.port=8502
unknown-arguments = 无法识别的参数：{ $arguments }
extra-app = 运行程序和显示页面还需要别的库（找不到 { $modules }）。请在项目文件夹里运行：python -m pip install ".[app]"
extra-draw = 画图还需要别的库（找不到 { $modules }）。请在项目文件夹里运行：python -m pip install ".[draw]"
extra-notebook = 能向内核提问的图还需要别的库（找不到 { $modules }）。请在项目文件夹里运行：python -m pip install ".[notebook]"
extra-cluster = 集群还需要别的库（找不到 { $modules }）。请在项目文件夹里运行：python -m pip install ".[app,cluster]"
help-worker = 为其他机器上的服务器运行程序：成为 EXPLORER_SCHEDULER 所指集群的工作进程
help-scheduler = 把各服务器的程序分配给工作进程：成为在 EXPLORER_SCHEDULER 监听的调度器
help-cluster-address = 调度器的地址（代替 EXPLORER_SCHEDULER），例如 tls://scheduler.example:8786
help-at-once = 这里同时运行多少个程序（默认：每个处理器一个）
scheduler-listens = 工作进程和服务器可以连接 { $address }。
worker-joined = 来自 { $address } 的程序在这里运行。
worker-unready = 运行程序的进程没有准备好。请看：python -m explorer doctor
cluster-failed = 无法使用 { $address }：{ $reason }
help-doctor = 程序在这里受到哪些限制、各版本、缺少什么
help-path = .py、.ipynb 或 .md；- 表示从标准输入读取 .py 文本
help-json = 每个路径打印一个 JSON 对象，每行一个
help-run-json = 每个路径打印一个 JSON 对象，每行一个；较长的运行不含其计算图
help-json-full = 同上，较长的运行也包含完整的计算图
help-check-gradients = 同时说明每个叶子张量的梯度是否等于程序的斜率，不等时说明原因
help-seed = 每个程序之前 torch、numpy 和 random 的随机种子
help-time-limit = 每个程序可用的计算秒数（默认 60；设了 EXPLORER_HOSTED 时为 10）
help-memory-limit = 每个程序在 PyTorch 之外可用的内存，单位 MB（默认为本机内存的四分之一）
help-output-limit = 每个程序可打印的文本，单位 KB，超出时省略中间部分（默认 64）
help-stop = 某个单元格出错后，不再运行后面的单元格
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
doctor-cuda = { $version }，CUDA { $cuda } 版
doctor-cuda-needless = { $version }，CUDA { $cuda } 版；这台机器没有 NVIDIA 驱动，CPU 版小约 4 GB
doctor-versions = 版本
doctor-parents = 预加载的父进程
doctor-programs = 能运行程序
doctor-layout = 能为图布局
doctor-left-out = 无法导入，已略去
doctor-folders = 自己的文件所在的文件夹
doctor-temporary = 临时文件
doctor-temporary-none = 没有可写的文件夹。只有集群的机器需要它。
doctor-cache = 为下次启动保留
doctor-cache-none = 没有可写的文件夹。每次启动都重新准备 Graphviz 和绘图字体。
doctor-names = 应用应答的名称
doctor-names-here = 这台机器
doctor-names-loopback = localhost、127.0.0.1、[::1]，以及它所监听的地址
doctor-names-site = 网站
doctor-names-every = 任何名称：由此处的代理选择
doctor-names-none = 无。要用别的名称打开应用，请将 { $variable } 设为它。
doctor-preload = 程序或图所需的一个进程无法工作。原因写在这份报告的上方。
doctor-confinement = 什么限制着程序
doctor-line = { $name }：{ $state }

help-lessons = 含 course.toml 的课程文件夹，排在应用自带课程之前
help-check = 检查程序或已保存的运行是否健全；有不健全的则以 1 结束
help-allow = 接受的种类或名字，例如 gradient_cut 或 "embed.*"
help-modules = 另加一张模块表：输出形状、参数、梯度范数、更新
help-report = 程序或已保存的运行的梯度、NaN 从哪里开始，以及有什么问题
help-compare = 两个程序或已保存的运行最早在哪里不同，或两个模块的梯度是否相同
help-compare-a = 程序、已保存的运行（.trace），或模块：FILE.py:NAME，它在本进程中不受限制地运行
help-compare-b = 另一个；若只给模块而不给它，则列出 torch 的各种形式（如 export、compile）
help-compare-batch = 用于模块：A 的文件中的 NAME，或 FILE.py:NAME，即调用模块时的输入（默认：x）
help-compare-loss = 用于模块：同样写法的函数，由输出得到损失
compare-one = { $path } 没有可比较的对象：请再给出一个程序或已保存的运行。
compare-no-name = { $path } 中没有 { $name }。
compare-stopped = { $path } 抛出了 { $reason }
help-record = 不加限制地运行你自己的脚本，保存自动微分所做的一切并给出报告
help-open = 在应用中显示已保存的运行；其后的参数交给 Streamlit
help-path-or-trace = .py、.ipynb、.md，或已保存的运行（.trace）
help-rtol = 视为相等的相对差（默认：由数据类型的精度决定）
help-atol = 视为相等的绝对差（默认：由数据类型的精度决定）
help-record-output = 保存到哪里：.trace（紧凑）或 .json（供人阅读）；默认：脚本名加 .trace
help-record-module = SCRIPT 是模块或包的名字，与 python -m 之后相同
help-record-script = 一个 Python 文件；record 的选项写在它前面
help-record-arguments = 脚本在 sys.argv 中看到的参数
help-open-path = 由 save 或 record 写出的 .trace 文件
record-unconfined = { $path } 在这里原样运行，拥有你的全部权限，不受任何限制。
record-saved = 已保存到 { $path }。{ $by ->
    [app] 查看：python -m explorer open { $path }
    [commands] 它超出应用能画的长度。读取：python -m explorer report { $path }；why、draw、compare 也能读取它。
   *[load] 读取：explorer.load("{ $path }")
}
record-suffix = { $path }：保存的运行以 .trace 或 .json 结尾。
record-torch-missing = 这里没有安装 PyTorch：python -m pip install torch

# 展开模块
help-open-module = 画出模块内部，例如 blocks.0.attn；可重复给出
draw-module-unknown = 没有运行过模块 { $path }。已有的模块：{ $known }。
draw-module-several = 名为 { $path } 的模块不止一个：{ $known }。请写出完整路径。
draw-module-none = 没有模块 { $path }：这个程序没有在任何模块中执行运算。
check-sound = { $path }：{ $sound ->
    [yes] 健全
    [unknown] 未知
   *[no] 不健全
}
help-app-runs = 显示 explorer.watch 在 DIR 中记录的训练
help-app-open = 显示 FILE 中的程序，光标在第 LINE 行；编辑器每次保存后重新运行
