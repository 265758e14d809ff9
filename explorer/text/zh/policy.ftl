# 为什么被拒绝，以及可以改用什么。`what` 是程序里的写法。

refused-syntax = 这里不允许 { $what }：程序从上到下一次运行完。请用普通的函数、循环和 `try` 来写。
refused-star = 这里不允许 { $what }：看不出引入了哪些名字。请只导入用到的名字，或给模块起一个短名。
refused-module = 这里没有模块 { $what }。可以使用 torch、numpy、pandas、matplotlib 和 Python 的常用模块。
refused-library = 这里没有 { $what }：它不属于库中计算张量、数组和表格的部分。
refused-attribute = 这里没有 { $what }：它会越出程序所用的值和方法。
refused-internals = 这里没有 { $what }：它暴露 Python 或 torch 的内部。请使用公开的方法，或自己的类里的运算符。
refused-definition = 这里不能定义 { $what }。类可以定义 `__init__`、`__call__`、`__repr__`，以及算术、比较和容器的运算符。
refused-metaclass = 这里不允许 { $what }：类只用 `class` 和基类来写，不带其他参数。
refused-base = 这里不允许 { $what }。可以继承 nn.Module、autograd.Function、Dataset、Optimizer、异常、dict、list，或自己的类。
refused-write = 这里不允许 { $what }：它会改变库本身，影响所有用到它的地方。请在自己的对象和类上设置属性，或派生一个类。
refused-keyword = 这里不允许参数 { $what }：它会触及内存或在库内部执行代码。请去掉它。
refused-code = 这里没有 { $what }：它把文本变成代码，或进行编译。请把代码直接写在单元格里。
refused-memory = 这里没有 { $what }：它直接触及内存。请使用张量及其视图；存储显示在计算图旁边。
refused-forged = 这里没有 { $what }：它会把数组架在别的对象的内存上。请用 np.array、np.zeros 或 np.empty 新建数组，再把数值复制进去。
refused-moved = 这里不能用 { $what } 改变元素个数：内存会在别处正在读取时被移走。请写 a = np.resize(a, shape)；元素个数不变时用 reshape。
refused-file = 这里不能使用 { $what }：程序够不到这台机器的磁盘。请把文件拖进“文件”菜单里的“数据文件”（命令行用 --file），再按文件名打开；open、pandas.read_csv、numpy.load、torch.save 可用于这些文件和程序自己写的文件。
refused-pickle = 这里不能使用 { $what }：反序列化会执行文件里的内容。pickle 和 torch.load 只读取本次运行自己写的内容，numpy.load 读取数值数组；其他数据请存成文本。
refused-process = 这里没有 { $what }：程序只有一个进程、一个线程。请直接调用函数。
refused-network = 这里不能使用 { $what }：程序没有网络。请自己下载文件，拖进“文件”菜单里的“数据文件”（命令行用 --file），再按文件名打开。
refused-shell = 这里不运行：{ $what }（这里只运行 Python；open、os、pathlib 可用于程序自己的文件）
refused-download = { $what } 需要下载，而这里没有网络。请在自己的电脑上下载文件，再从“文件”菜单的“文件”中放进来，程序就能按文件名打开它。
refused-weights = { $what } 需要下载训练好的权重，而这里没有网络。去掉这个参数，就得到随机初始化的同一网络。
refused-hub = 这里不能使用 { $what }：它要下载代码和权重，而程序没有网络。请用 torch.nn 写出模型，从随机权重开始。
refused-input = 这里没有 { $what }：程序运行时无人应答。请在单元格开头给这个值起个名字。
refused-wait = 这里没有 { $what }：等待只会耗掉运行的时间。请去掉它。
refused-bidi = 这里不允许字符 { $what }：它使文本读起来与运行时不同。请删除它。

help-policy = 程序可以使用什么：整张表
policy-title = 程序可以使用什么
policy-words = 行中的词：“public”指所有不以下划线开头的名字；“@tensor”指所有作用于张量的函数；“@modules”指所有 nn.Module；“@all”指模块声明为自己的一切，下列几类除外；“-名字”表示除外；“new”指该类型没有的名字。其余一律拒绝。
policy-builtins = 内置函数
policy-operators = 类可以定义的特殊方法
policy-modules = 模块及其名字
policy-never = 任何规则都不放行的名称，按名称的形式
policy-types = 各类型的属性
policy-writes = 可以设置的属性
policy-bases = 类可以继承什么
policy-keywords = 任何调用中都被拒绝的参数
policy-why = 有专门理由的拒绝
