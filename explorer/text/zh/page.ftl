# 浏览器页面上的文字。

language = 语言
skip = 跳到页面内容
program = 程序
run = 运行
run-hint = Ctrl+Enter 运行程序
starting = 正在启动 PyTorch。第一次运行后，结果会显示在这里。
starting-elsewhere = 正在等待可以运行程序的机器。有机器可用时，结果会显示在这里。

status-ran = 已运行，结果是最新的
status-starting = 正在启动
settings = 设置
settings-limits = 程序的限制
settings-memory_mb = PyTorch 之外的内存（MB）
settings-seconds = 计算时间（秒）
settings-output_kb = 打印的文本（KB）
settings-default = 恢复默认值
settings-hint = 这些设置在关闭本页前有效。要长期生效，请在启动应用时设置 EXPLORER_MEMORY_LIMIT、EXPLORER_TIME_LIMIT 和 EXPLORER_OUTPUT_LIMIT。
settings-hosted = 由服务器的管理者设定。
reach-title = 程序可以访问什么
reach-pages = 页面上
reach-commands = run、draw、why、report、compare
reach-run = 每个程序可以读取自己所在的文件夹（加 --no-folder 则不能）。
reach-none = 这里无法只开放一个文件夹：这需要带 Landlock 的 Linux 和 libseccomp。
reach-folder = 你的程序可以读取的文件夹
reach-write-label = 可以在其中写入
reach-network-label = 可以访问其他机器，以便下载
reach-beside = 程序要找的文件在 { $folder } 旁边，而它只能读取这个文件夹。
reach-repository = 开放 { $folder }
reach = 这个程序{ $files ->
        [read] 可以读取 { $folder }；它写入的内容在运行结束后丢弃
        [write] 可以读取 { $folder }，并在其中写入
       *[nothing] 不能读取本机的任何文件
    }。{ $network ->
        [yes] 它可以访问其他机器
       *[no] 它不能访问网络
    }。
reach-everything = 这些程序可以不受限制地访问本机的文件和网络。
reach-hint = 这适用于你输入或打开的程序（你输入时它们就会运行），在关闭本页前有效。从链接打开的程序无权访问。
reach-foreign = 这个程序不是在这里编写的，不能访问本机的任何内容。
reach-own = 当作我自己的程序运行
host-title = 本站
host-refused = 本应用不接受以“{ $host }”这个名称访问。在这台机器上，请用 localhost 打开。如果这是你的网站名称，请把 STREAMLIT_BROWSER_SERVER_ADDRESS 设为它，再重启应用：见 docs/hosting.md。
host-operator = 本站由{ $name }运营。
host-privacy = 本站无需登录，没有跟踪；唯一的 Cookie 由 Streamlit 用来识别伪造的请求；不向任何其他网站发送请求。程序在这台服务器上运行，程序和文件用完就删除；日志只记录运行怎样结束、用了多久，不记录内容。
host-links = 链接的 # 之后带有程序本身，浏览器不会把这一部分发送给任何服务器。草稿只保存在你的浏览器中。
host-report = 报告问题
more-time = 程序因 { $bound } 秒的时间限制而停止。延长至：
more-time-60 = 60 秒
more-time-600 = 10 分钟
status-running-for = 已运行 { $seconds } 秒（处理器限时 { $most } 秒）
status-running = 正在运行
confined = { $level ->
    [full] 你的程序不能访问你的文件和网络。
   *[other] 程序受到的限制：{ $words }
}
status-waiting = 服务器忙，大约需要等待 { $seconds } 秒
    .place = 服务器忙，你排在第 { $place } 位
status-stopped = 停在第 { $line } 行
status-error = 第 { $line } 行出错
status-failed = 已停止

page-graph = 计算图
page-graph-of = 计算图：
page-undrawn = 这一部分没能画出来。问题在本应用，不在你的程序：程序本身已经运行。
page-takes-too-long = 画这一部分太费时：占用服务器处理器 { $seconds } 秒后已停止。程序本身已经运行。
page-graph-empty = 没有可画的内容。用 requires_grad=True 创建一个张量，再用它计算。
page-graph-stopped = 没有可画的内容：程序没有运行到能画图的地方。
stale = 这是上一次成功运行的图。
stale-of = 图对应修改前的程序，那时还有 { $code }。
partial = { $end ->
    [stop] 图只画到停止之前。
   *[error] 图只画到出错之前。
}
bigger = 放大
smaller = 缩小
fit = 显示整张图；再按一次恢复原来的大小

problems = 问题
problem-stopped = 程序停止了。
problem-stopped-at = 程序停在第 { $line } 行。
problem-not-python = Python 语法有误。
problem-in-field = 在“{ $field }”中{ $line ->
        [0] {""}
       *[other] 第 { $line } 行
    }{ $column ->
        [0] {""}
       *[other] 第 { $column } 列
    }
labelled = { $name }：{ $text }
problem-not-python-at = 第 { $line } 行不符合 Python 语法。
output = 输出
no-output = 没有输出。在末尾写一个表达式，或使用 print。

between-clauses = ；
nav-autograd = 程序
nav-more = ⋯ 语言、设置、分享
nav-learn = 学习
nav-training = 训练
nav-operations = 运算
nav-broadcasting = 广播
nav-derivatives = 导数
welcome =
    .line = 逐个数字，看懂 { $code } 做了什么
    .skip = 跳过
    .asks = 经过 a 传来 2，经过 b 传来 3。w.grad 是多少？
    .right = 对：两条路径都要算。现在拖动程序里的一个数。
    .wrong = 不对，不是 { $guess }：两条路径都要算，2 + 3 = 5。现在拖动程序里的一个数。
    .again = 不是 { $guess }。从 a 和 b 传到 w 的数要相加。再试一次。
    .one = { $guess } 只是一条路径传来的。两条路径合起来是多少？
    .product = 这是 2 · 3。传到 w 的数要相加。
    .formula = { $guess } 还不是一个数。这里 w = 1，x = 2：把 a 和 b 传来的数相加。

compare-with = 对比…
share =
    .link = 分享
    .copied = 链接已复制。程序就在链接里，没有上传任何内容。
    .large = 内容太长，放不进链接：请保存为文件。
    .by-hand = 本页地址就是链接，请手动复制。
    .hidden = 复制隐藏答案的链接
    .hidden-copied = 链接已复制。梯度已隐藏，按 H 全部显示。
    .view = 显示
    .graph = 计算图
    .both = 程序和计算图
    .code = 程序
    .embed = 复制嵌入代码
    .embed-copied = 嵌入代码已复制，可以粘贴到网页里。
    .embed-closed = 代码已复制。但本服务器还不允许其他网站嵌入：需要管理者在 EXPLORER_FRAME_ANCESTORS 中列出该网站。
    .picture = 复制带链接的图（SVG）
    .picture-copied = 图已复制为 HTML，不依赖服务器；点击图会打开链接。
    .files = 图和网页文件：在“文件”菜单中保存。
    .present = 演示（P）
embed-full = 打开完整页面
present-leave = 结束演示（P）
open-as-program = 作为程序打开
open-as-program-hint = 把这幅图背后的程序放进编辑器

stop = 停止
unusable-stopped = 你停止了程序。按“运行”重新开始。
unusable-crowded = 没有运行：来自你的地址的程序已有太多在排队。请等其中一些运行完后再试。
unusable-not-opened = 没有运行：这里不能向程序开放文件夹或网络。
root-menu = 求其他输出的梯度
root-own = 程序自己的 backward()
root-of = 对哪个输出求梯度
root-start = 初始梯度 v
root-one = 一个数；留空则为 1。
root-many = 一个数用于全部元素，或按行依次输入，每个元素一个数；留空则全为 1。形状：
root-show = 显示
root-own-again = 恢复程序自己的 backward()
root-shown = 图中是 { $of } 的梯度{ $given ->
        [yes] ，初始梯度 v = { $start }
       *[no] {""}
    }，代替程序自己的 backward 调用。
root-no-numbers = 初始梯度 v 必须是数，输入的是：{ $text }
root-does-not-fit = 初始梯度 v 有 { $asked } 个数，{ $of } 有 { $entries } 个元素。请输入一个数，或 { $entries } 个数。
root-implicit-not-made = 没有求 { $of } 的梯度：图中有程序自己的代码（钩子或自定义 Function），求梯度会让这些代码运行两次。
root-implicit-failed = 没有 { $of } 的梯度：它的计算图在程序结束前就已被释放或修改。

examples = 示例
example-two-paths = 两条路径汇入同一叶子
    .see = w 用了两次，所以梯度是两项之和：经 a 传来 2，经 b 传来 3。
    .ask = 把第 4 行改成 b = w * 1，w.grad 会变成多少？
example-chain-rule = 一步步看链式法则
    .see = 每条边乘以一个局部导数：传到 a*b 的是 −2，再乘以 b = −3，传到 a 的就是 6。
    .ask = a 增加 0.01，L 增加多少？
example-vector = 向量与初始梯度 v
    .see = y 有四个元素，反向传播时，每个元素都要有一个权重：x.grad 等于 2 · x · v。
    .ask = 取什么样的 v，x.grad 才是 y.sum() 的导数？
example-accumulate = .grad 会累积
    .see = 第二次反向传播把 1 加到 x.grad 原有的 4 · x 上。
    .ask = x.grad.zero_() 放在哪里，第二次打印才只有 1？
example-detach = detach 切断计算图
    .see = 对反向传播来说 u 是常数：z = u · x 的导数是 u = x²，不是 x³ 的导数 3 · x²。
    .ask = 去掉 .detach()，x.grad 是多少？
example-control-flow = 循环与分支
    .see = 自动微分记录实际执行的运算：翻倍十二次，所以斜率是 4096 = d / a。
    .ask = a 稍大一点，斜率会变吗？到哪里才会变？
example-training = 训练循环（折叠）
    .see = 每一轮都新建一张计算图，反向传播之后释放；这里画的是最后一轮，损失为 0.16。
    .ask = 去掉 zero_grad，损失会怎样？
example-second-derivative = 导数的导数
    .see = create_graph=True 让梯度 3 · x² 本身也有计算图，可以再求一次导：6 · x。
    .ask = 这里两者都是 12。还有哪个 x 让它们相等？
example-broadcast-trap = 误用广播的损失
    .see = (3, 1) 与 (3,) 相减，差的形状是 (3, 3)，每个预测都与三个目标比较：有两个预测是错的，梯度却是 0。
    .ask = target 应该是什么形状？这时梯度是多少？
example-where-nan = where 中出现的 NaN
    .see = 在 −1 和 0 处，where 没有选 sqrt(x)，但反向传播仍会经过它：0 乘以无穷或 NaN，结果是 NaN。
    .ask = 怎样才能让这两个元素根本不进入 sqrt？
example-overflow = 先溢出，后 NaN
    .see = exp(1000) 超出 32 位浮点数的范围，变成无穷；反向传播时 0 乘以无穷是 NaN，而真正的梯度都是 ½。
    .ask = torch.logsumexp(x, 0) 会更好吗，为什么？
example-silently-wrong = torch 看不到的写入
    .see = y 是用 x = 2 算的，反向传播读到的却是经 .data 改写后的 20：梯度本应是 4，却成了 40，而且没有任何警告。
    .ask = 第 3 行改成 x.detach().mul_(10)，torch 会说什么？
example-backward-twice = 同一张图反向传播两次
    .see = 第一次反向传播释放了计算图保存的张量，第二次就没有可以相乘的数了。
    .ask = 第 3 行改成 y.backward(retain_graph=True)，x.grad 是多少？
example-classifier = 小型分类器
    .see = 交叉熵传给分数的梯度是 softmax 减去独热编码，再除以样本数 2。
    .ask = 为什么这个梯度每一行的和都是 0？
example-attention = 注意力
    .see = weights 的每一行表示一个查询从各个值取多少；每行之和为 1。
    .ask = 如果 softmax 的输出是常数，Q、K、V 中哪些还有非零梯度？
example-first = 形状与梯度
    .see = 十二个元素变成形状 (3, 4)，再变成三个和，最后变成一个数；Y 的梯度沿原路传回来。
    .ask = Y 的梯度是什么形状？哪些张量永远没有梯度？
example-views = 视图与写入
    .see = X、T、row、column 和 block 都是视图，读的是 x 的内存；flat 只能复制一份。
    .ask = 写入 X[1, 2] 会让好几个变量同时改变：是哪几个？为什么不包括 flat？
example-kinds = 数据类型与特殊值
    .see = 类型决定能表示哪些数：bfloat16 把 65504 变成 65536，half 则保持不变。
    .ask = half 会把 65505 变成什么，70000 呢？
example-ranks = 四个轴
    .see = 权重 (3, 1, 1) 拉伸到两张图的每个像素，再沿轴 1 求和，就变成灰度图。
    .ask = images.grad 中有多少个元素不为 0？
example-numpy = NumPy 与 torch
    .see = numpy()、from_numpy、detach 和 data 共享内存；tensor(n) 和 clone 会复制。
    .ask = raw 乘以 100 之后，w、kept、apart 中哪些跟着变？
example-wrong = 无法创建的张量
    .see = 七个单元格中有六个出错，原因各不相同，torch 都会说明。
    .ask = huge 有十亿个元素，它占多少字节？
recent =
    .title = 最近的程序
    .clear = 清除
program-back = 回到你的程序
save-as = 另存为
save-export = 导出
save-kind = { $ending ->
    [py] Python 程序
    [ipynb] 笔记本
    [trace] 运行记录
    [svg] 矢量图
    [png] 图片
    [html] 可播放的网页
   *[other] 图
}
output-held = 输出里可能有梯度：走完“预测”的所有步骤或关闭“预测”后再显示。
save-held = 预测期间，图中只有已经走到的梯度，保存的程序不含输出，完整的记录暂不提供。
draft =
    .kept = 你上次的程序保存在此浏览器中。
    .open = 打开
    .drop = 丢弃
saved-run = 这是保存的运行记录。修改程序后会重新运行。
