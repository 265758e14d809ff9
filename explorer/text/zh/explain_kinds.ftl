# 数据类型与设备的错误：标题、原因、改法。

error-product-dtypes = 乘积中有两种数据类型
    .cause = { $left } 是 { $left_dtype }（形状 { $left_shape }），{ $right } 是 { $right_dtype }（形状 { $right_shape }）；矩阵乘法不做类型提升。
    .repair = 用 .float() 或 .double() 转换其中一个，让两者数据类型相同。
error-layer-dtype = 输入与权重的数据类型不同
    .cause = { $layer } 的权重是 { $weight_dtype }，输入是 { $input_dtype }。
    .repair = 把输入转为 { $weight_dtype }{ $input_dtype ->
        [float64] 。NumPy 数组默认是 float64。
        [float16] ，或把该层转为 float16。
        [bfloat16] ，或把该层转为 bfloat16。
        [float32] ，或把该层转为 float32。
       *[other] 。
    }
error-inplace-dtype = 原地操作结果的数据类型不同
    .cause = { $code } 的结果是 { $result }，却要写入 { $dtype } 类型的 { $target }，而后者的类型不会改变。
    .repair = 创建新张量：a = a + b；或一开始就创建浮点数张量。
error-target-not-float = 目标必须是浮点数
    .cause = { $target } 是 { $dtype }，而该损失要与 { $scores_dtype } 的预测比较。
    .repair = 用 .float() 转换目标。
error-target-dtype = 类别号必须是 int64
    .cause = { $target } 是 { $dtype }；类别号应为 int64（或 uint8）。
    .repair = 用 .long() 转换目标。
error-target-of-fractions = 目标不是类别号
    .cause = { $target } 是 { $dtype }，其中有小数；这个损失要求每一行分数对应一个类别号。
    .repair = 预测数值时用 mse_loss；学习分类时传入 int64 的类别号；如果目标是各类别的概率，形状要与分数相同。
error-floats-needed = { $function } 需要浮点数
    .cause = { $tensor } 是 { $dtype }，而 { $function } 只对浮点数有定义。
    .repair = 先用 .float() 转换。
error-random-whole = 这些随机数是浮点数
    .cause = { $code } 指定了整数类型，而这个分布的取值是小数。
    .repair = 去掉 dtype，或用 torch.randint 抽取整数。
error-minus-of-mask = 掩码取反用 ~
    .cause = { $code } 对布尔值使用了负号，而布尔值没有定义这种运算。
    .repair = 用 ~ 把掩码取反。
error-difference-of-masks = 布尔值不能相减
    .cause = { $code } 对布尔值做了减法，而布尔值没有定义减法。
    .repair = 要按数值相减，先用 .int() 转换；要判断是否不同，用 ^。
error-bits-of-floats = { $operator } 不能用于浮点数
    .cause = { $code } 对浮点数做按位运算；{ $operator } 只用于布尔值和整数。
    .repair = 先比较并加括号：(x > 0) { $operator } (y > 0)。
error-mask-brackets = { $operator } 两侧的比较要加括号
    .cause = { $operator } 的优先级高于比较，因此先计算 { $code }，而其中有浮点数。
    .repair = 给每个比较加上括号。
error-invert-floats = ~ 只用于掩码
    .cause = { $code } 对 { $dtype } 取反；~ 只用于布尔值和整数。
    .repair = 先比较得到掩码，或用 - 取负。
error-order-of-complex = 复数没有大小
    .cause = { $code } 要比较大小，而复数没有次序。
    .repair = 使用 .abs()、.real 或 .imag。
error-embedding-dtype = Embedding 需要整数
    .cause = { $index } 是 { $dtype }；每个元素是表中一行的编号。
    .repair = 用 .long() 转换。
error-one-hot-dtype = one_hot 需要 int64
    .cause = { $tensor } 是 { $dtype }；类别号应为 int64。
    .repair = 用 .long() 转换。
error-one-hot-range = 类别超出 num_classes
    .cause = { $tensor } 中有不小于 num_classes 的类别；类别从 0 开始数。
    .repair = num_classes 至少为最大类别加 1。
error-one-hot-negative = 类别为负
    .cause = { $tensor } 中有负数；类别从 0 开始数。
    .repair = 类别从 0 开始编号。
error-index-dtype = 索引必须是整数
    .cause = { $function } 的索引是 { $dtype }；位置应为 int64。
    .repair = 用 .long() 转换。
error-assign-dtype = 赋值的数据类型不同
    .cause = { $place } 是 { $dtype }，所赋的值是 { $value_dtype }；通过位置列表或掩码赋值时不做转换。
    .repair = 转换这些值，例如 .to(a.dtype)。
error-mask-dtype = 掩码必须是布尔值
    .cause = { $function } 的掩码是 { $dtype }；掩码的每个元素都要是 True 或 False。
    .repair = 用比较运算得到布尔值，或用 .bool() 转换。
error-tensor-of-text = 文本不能转成张量
    .cause = { $code } 中有文本；张量只存放数和布尔值。
    .repair = 先把文本变成数，例如每个词一个编号。
error-tensor-of-number-texts = 写成文本的数
    .cause = { $code } 中的数带引号，对 Python 来说是文本。
    .repair = 用 float() 逐个转换，或去掉引号。
error-tensor-of-reset = reset() 返回的不只是状态
    .cause = 从 gym 0.26 版起（gymnasium 也是），env.reset() 返回状态和一个字典：{ $code } 似乎把两者都传入了。
    .repair = 写成 state, info = env.reset()；step() 现在返回五个值：state, reward, terminated, truncated, info。
error-ragged = 各行长度不同
    .cause = { $code } 中一行有 { $length } 个元素，另一行有 { $got } 个；而张量的各行必须等长。
    .repair = 让各行等长，例如用 0 填充。
error-mixed-depth = 数与列表并列
    .cause = { $code } 中既有数也有列表；同一个轴上的各项必须全是列表或全是数。
    .repair = 让各项的嵌套层数相同。
error-tensor-of-none = None 不是数
    .cause = { $code } 中有 None（{ $given }）；张量只存放数。没有 return 的函数返回 None。
    .repair = 换成数，例如 float("nan")，或找出 None 是从哪里来的。
error-tensor-of-object = 无法转成张量
    .cause = 传给 { $code } 的是 { $given }；张量只能由数、数的列表或数组创建。
    .repair = 传入数，例如对字典用 list(d.values())。
error-tensor-of-frame = pandas 表不能直接转换
    .cause = 传给 { $code } 的是 { $given }，torch 读不出它的形状。
    .repair = 传入表中的数值：torch.tensor(df.values)，并且只保留数值列。
error-array-of-text = 文本数组
    .cause = 传给 { $code } 的是文本组成的 NumPy 数组；张量只存放数。
    .repair = 先转换：带引号的数用 a.astype(float)。
error-array-of-objects = 混合对象的数组
    .cause = 传给 { $code } 的 NumPy 数组类型为 object：元素不都是同一种数，例如混有文本、布尔值、列表或 None。
    .repair = 只保留数值列，或先对其他列编码，再用 .astype(float)。
error-array-of-dummies = 独热列是布尔值
    .cause = 第 { $line } 行的 { $made } 生成布尔值的列；与浮点数的列放在一起，传给 { $code } 的数组就成了 object 类型。
    .repair = 指定浮点数：get_dummies(..., dtype=float)。
error-overflow = 数超出数据类型的范围
    .cause = { $code } 把超出范围 { $dtype ->
        [uint8] 0…255
        [int8] −128…127
        [int16] −32768…32767
       *[int32] −2147483648…2147483647
    } 的数放入 { $dtype }。
    .repair = 使用更大的类型，例如 torch.int64。
error-overflow-of-int64 = 数超出 int64
    .cause = { $code } 中的整数超过 int64 的最大值 2^63 − 1。
    .repair = 改用浮点数：dtype=torch.float64。
error-from-numpy = from_numpy 只接受数组
    .cause = 传给 { $code } 的是 { $given }；from_numpy 只能与 NumPy 数组共用内存。
    .repair = 对列表和数，请用 torch.tensor。
error-negative-stride = 反向的数组
    .cause = { $code } 中的数组是反转的视图；张量的步幅不能为负。
    .repair = 先用 .copy() 复制。
error-dtype-not-torch = 需要 torch 的数据类型
    .cause = { $code } 中的 dtype 是 { $given }，不是 torch 的数据类型。
    .repair = 写 torch.float32，不加引号。
error-no-gpu = 这里没有 GPU
    .cause = { $code } 需要 GPU；这里的程序在 CPU 上运行。
    .repair = 使用 CPU：去掉 .cuda()，或写 device="cpu"。
error-no-mps = 这里没有 mps 设备
    .cause = { $code } 需要 Mac 的 mps 设备；这里的程序在 CPU 上运行。
    .repair = 使用 CPU：device="cpu"。
error-device-name = 没有这个设备名
    .cause = { $code } 中的设备名是 { $name }；torch 支持 cpu、cuda、mps 等，这里只有 cpu。
    .repair = 写 "cpu"。
error-meta-data = meta 张量没有数值
    .cause = { $code } 需要数值，而有张量在 meta 设备上：只有形状，没有元素。
    .repair = 在 CPU 上创建张量。
error-dtype-not-in-numpy = NumPy 没有这种数据类型
    .cause = { $code } 要得到类型为 { $dtype } 的 NumPy 数组，而这种类型只有 torch 有。
    .repair = 先转换类型，例如用 .float()。
error-sparse-not-taken = 这里不接受稀疏张量
    .cause = { $code } 需要所有元素都存在；稀疏张量只保存非零元素及其位置。
    .repair = 先用 .to_dense() 转成稠密张量。
error-entries-past-counting = 元素太多，无法存放
    .cause = { $code } 中各轴大小之积太大，没有内存能放下这么多元素。
    .repair = 减小各轴的大小；expand() 可以重复元素，不占用存储。
error-beyond = 未做说明
    .cause = 每个程序只说明前 { $most } 个错误，这个错误不在其中。
    .repair = 先改正前面的错误，再运行一次。
error-array-of-lists = 各行长度不同
    .cause = 传给 { $code } 的数组类型为 object：各行长度不同（{ $lengths }），不能组成规整的数组。
    .repair = 填充到同一长度，例如对张量列表用 torch.nn.utils.rnn.pad_sequence。
error-embedding-of-a-layers-result = Embedding 的输入是另一层的结果
    .cause = { $layer } 需要行的编号，传入的却是 { $made } 的结果：{ $dtype }。
    .repair = 编号只传给一个嵌入层，后面接处理浮点数的层，例如 Linear 或 RNN。
error-array-of-one-object = NumPy 不会遍历这个对象
    .cause = NumPy 把 { $given } 当作单独一个元素：它不是列表，array() 不会遍历。所以数组的 dtype 是 object。
    .repair = 先转成列表：list({ $given })。
error-tensor-called = 把张量当成函数调用
    .cause = { $base } 是张量；圆括号用来调用函数，方括号才用来取元素。
    .repair = 取元素写 { $base }[{ $inside }]；如果是相乘，在括号前写 *。
error-property-called = 这个属性后面不加括号
    .cause = { $base } 本身就是张量，不是方法；加上括号就成了调用这个张量。
    .repair = 改写为 { $base }。
error-shape-called = shape 不是方法
    .cause = shape 是存放各轴长度的属性；{ $base } 后面的圆括号把它当成函数来调用。
    .repair = 改写为 { $right }。
error-list-for-tensor = 这里要用张量，不是列表
    .cause = { $function }() 对张量做运算；这里的参数 { $name } 却是 Python 的 { $given }（应为 { $wanted }）。
    .repair = 用 torch.tensor(...) 转成张量；如果列表里是张量，用 torch.stack(...)。
error-tuple-for-tensor = 这里要用张量，不是元组
    .cause = { $function }() 对一个张量做运算，而这里的参数 { $name } 是 Python 元组，其中有多个值。LSTM、注意力等层以及返回多个值的函数，返回的都是这样的元组。
    .repair = 取出需要的那一个，例如 value[0]，或把各个值分别赋给不同的变量。
error-number-for-tensor = 这里要用张量，不是数
    .cause = { $function }() 对张量做运算；这里的参数 { $name } 却是 Python 的 { $given }（应为 { $wanted }）。
    .repair = 写成 torch.tensor(...)，或对数使用 Python 自带的函数。
error-array-for-tensor = 这里要用张量，不是 NumPy 数组
    .cause = { $function }() 的参数 { $name } 是 { $given }，应为 { $wanted }。
    .repair = 用 torch.from_numpy(...) 转换；如果权重是 float32，再加 .float()。
error-none-for-tensor = 这里要用张量，不是 None
    .cause = { $function }() 的参数 { $name } 是 None（{ $given }），应为 { $wanted }；产生它的那一步没有返回值。
    .repair = 检查产生它的那一行：可能缺少 return 或 backward()。
error-whole-number-wanted = 需要整数
    .cause = { $function }() 的参数 { $name } 必须是整数（{ $wanted }），而这里是 { $given }。
    .repair = 写成整数：int(...)，或用 // 代替 /。
error-sizes-wanted = 各轴长度必须是整数
    .cause = { $function }() 的 { $name } 需要整数（{ $wanted }），而这里有一个是 { $given }。
    .repair = 写成整数，例如 (2, 3)；用 / 算出的长度要改用 //。
error-arguments-do-not-fit = 参数不符合这个函数的任何一种形式
    .cause = 传给 { $function }() 的参数是 ({ $given })；它接受的一种形式是 ({ $wanted })。
    .repair = 对照 { $code } 中参数的个数、顺序和类型。
error-size-was-divided = 大小是浮点数
    .cause = { $code } 中的 { $name } 是在第 { $line } 行用 / 算出的：{ $made } 即使除得尽也是浮点数，而大小必须是整数。
    .repair = 改用 // 做除法。
error-sizes-of-another-type = 各轴长度必须是整数
    .cause = { $code } 中有一个长度是 { $type }。
    .repair = 写成整数；用 / 算出的长度要改用 //。
error-zero-grad-of-a-result = 要清零的是参数的梯度
    .cause = { $base } 是计算得到的张量，没有 zero_grad()。梯度累积在参数里，不在损失里。
    .repair = 在 backward() 之前调用优化器或模块的 zero_grad()。
error-tensor-attribute-of-another-library = 张量的方法名不同
    .cause = 张量没有 { $name }（其他库才有）；对张量 { $base } 要用 { $instead }。
    .repair = 改用 { $instead }。
error-tensor-of-several-values = 多个值要放进一个列表
    .cause = torch.tensor 只接受一个值，即整个列表；{ $code } 中的第二个数成了多余的参数。
    .repair = 用方括号把这些数括起来。
error-file-not-here = 文件不存在
    .cause = 这里的程序只能看到“数据文件”里的文件和自己写的文件，其中没有 { $file }。
    .repair = 把它拖进“文件”菜单里的“数据文件”（命令行用 --file 路径），程序就能按文件名打开它，不管写的是哪个文件夹。
error-file-outside-folder = 文件不在开放的文件夹中
    .cause = { $file } 在 { $folder } 之外，而程序只能读取这个文件夹。
    .repair = { $repository ->
        [system] 这个文件描述的是机器本身，这里的程序看不到：请去掉这个调用。
        [none] 请开放一个同时包含程序和该文件的文件夹（--folder DIR；在应用中用设置菜单），或把文件复制到 { $folder } 中。
       *[other] 请开放整个仓库：--folder { $repository }（在应用中用设置菜单）。相对路径仍从程序自己的文件夹开始。
    }
error-method-not-called = 方法后面缺少括号
    .cause = { $piece } 是方法本身，不是调用的结果。
    .repair = 改写为 { $piece }()。
error-quantile-dtype = 分位数需要浮点数
    .cause = { $function } 在元素之间插值，而 { $tensor } 是 { $dtype }。
    .repair = 先用 .float() 转换。
