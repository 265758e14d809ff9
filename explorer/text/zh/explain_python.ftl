# Python 自身、NumPy 和 pandas 的错误说明：标题、原因、改法。

error-name-unknown = 名称没有值
    .cause = 第 { $line } 行读取 { $name }，而程序中没有任何一行给它赋值。
    .repair = 在第 { $line } 行之前给 { $name } 赋值，或检查拼写。
error-name-near = 名称的拼写不同
    .cause = 第 { $line } 行读取的 { $name } 从未赋值；第 { $where } 行赋值的是 { $right }。
    .repair = 改写为 { $right }。
error-name-near-builtin = 名称的拼写不同
    .cause = 第 { $line } 行读取的 { $name } 从未赋值；Python 自带的是 { $right }。
    .repair = 改写为 { $right }。
error-constant-spelt-otherwise = 常量的写法不同
    .cause = Python 把第 { $line } 行的 { $name } 当作变量名，而没有这个变量；这个常量写作 { $right }。
    .repair = 改写为 { $right }。
error-import-missing = 没有导入库
    .cause = 第 { $line } 行用到 { $name }，而程序中没有导入它。
    .repair = 在开头写上 { $import }。
error-name-of-a-library = 缺少库名
    .cause = 第 { $line } 行单独使用了 { $name }；它属于某个库，应通过 { $full } 访问。
    .repair = 改写为 { $full }。
error-name-of-a-function = 该名称只存在于函数内
    .cause = { $name } 在第 { $where } 行的函数 { $function }() 里赋值；函数里的名称在外面不存在，而第 { $line } 行在外面读取它。
    .repair = 让 { $function }() 用 return 返回这个值，再写 { $name } = { $function }(...)。
error-name-deleted = 名称已被删除
    .cause = 第 { $where } 行的 del 删除了 { $name }，而第 { $line } 行又读取它。
    .repair = 去掉 del，或在第 { $line } 行之前重新给 { $name } 赋值。
error-name-needs-itself = 用自身计算首个值
    .cause = 第 { $line } 行要用 { $name } 来计算它自己的第一个值，而此时它还没有值。
    .repair = 在第 { $line } 行之前给 { $name } 一个初始值。
error-name-made-below = 赋值在更靠后的行
    .cause = 第 { $line } 行读取 { $name }，而它在第 { $where } 行才首次赋值；程序从上到下运行。
    .repair = 把赋值移到第 { $line } 行之前。
error-name-made-in-a-later-cell = 赋值在后面的单元格
    .cause = 第 { $line } 行读取 { $name }，而它在第 { $cell } 个单元格第 { $where } 行才首次赋值；单元格从上到下运行。
    .repair = 把这个赋值移到前面的单元格。
error-name-of-a-failed-cell = 给它赋值的单元格出错了
    .cause = { $name } 在第 { $cell } 个单元格第 { $where } 行赋值。{ $stop ->
        [0] 那个单元格一行也没有运行（{ $what }）。
       *[other] 那个单元格在第 { $stop } 行停止（{ $what }）。
    }所以第 { $line } 行找不到它的值。
    .repair = 先改好第 { $cell } 个单元格。
error-name-of-a-refused-cell = 给它赋值的单元格被拒绝
    .cause = { $name } 在第 { $cell } 个单元格第 { $where } 行赋值。那一行没有运行，因为 { $what } 被拒绝。所以第 { $line } 行找不到它的值。
    .repair = 第 { $cell } 个单元格说明了可以改用什么；它运行到底之后才有 { $name }。
error-name-of-a-limited-cell = 给它赋值的单元格达到限制
    .cause = { $name } 在第 { $cell } 个单元格第 { $where } 行赋值。那一行没有运行：单元格因{ $what ->
        [time] 时间限制
        [memory] 内存限制
        [files] 文件限制
       *[other] 运行的限制
    }而结束。所以第 { $line } 行找不到它的值。
    .repair = 减少第 { $cell } 个单元格的计算，让它运行到底。
error-name-of-a-cell-that-needs-another = 前面有单元格没有运行完
    .cause = { $name } 在第 { $cell } 个单元格第 { $where } 行赋值，而它出错是因为第 { $root } 个单元格没有运行完：{ $how ->
        [refused] { $what } 被拒绝。
        [limited] 它达到了限制。
       *[failed] { $what }。
    }
    .repair = { $how ->
        [refused] 第 { $root } 个单元格说明了可以改用什么。
        [limited] 减少第 { $root } 个单元格的计算，让它运行到底。
       *[failed] 先改好第 { $root } 个单元格。
    }
error-name-of-an-import-that-failed = 前面有单元格没有运行完
    .cause = 第 { $line } 行读取 { $name }，程序中没有任何一行给它赋值。它可能来自第 { $cell } 个单元格的 { $import }，而那个单元格在这一行之前就结束了（{ $what }）。
    .repair = 先改好第 { $cell } 个单元格。
error-name-not-reached = 赋值的那一行没有运行
    .cause = { $name } 在第 { $where } 行赋值，但第 { $line } 行读取它时那一行还没有运行：分支或循环被跳过，或函数没有被调用。
    .repair = 让通往第 { $line } 行的每条路径都给 { $name } 赋值。
error-local-hides-global = 函数把该名称变成了局部变量
    .cause = { $function }() 里给 { $name } 赋值，因此它在整个函数中都是局部变量，看不到第 { $where } 行的 { $name }；第 { $line } 行读取时局部的 { $name } 还没有值。
    .repair = 在函数开头写 global { $name }，或把 { $name } 作为参数传入并返回新值。
error-local-read-early = 局部变量在赋值前被读取
    .cause = { $name } 是 { $function }() 的局部变量，而第 { $line } 行读取它时，给它赋值的行还没有运行。
    .repair = 在 { $function }() 的每条路径上，都先于第 { $line } 行给 { $name } 赋值。
error-module-near = 模块名的拼写不同
    .cause = 没有名为 { $name } 的模块；这里有的模块叫 { $right }。
    .repair = 改写为 { $right }。
error-module-to-install = 这里没有安装该库
    .cause = 这台机器上没有安装 { $name }。
    .repair = { $command ->
        [none] 请在装有 { $name } 的地方运行这个程序。
       *[other] 在自己的电脑上运行：{ $command }，再重新启动本程序。托管的网站只有其管理者能安装。
    }{ $without ->
        [print] 也可以去掉 { $name }，用 print 打印想跟踪的量。
        [draw] 也可以用这里已有的 matplotlib 画图。
       *[run] {""}
    }
error-module-part-not-here = 库中没有这一部分
    .cause = 这里有 { $library }，但没有模块 { $name }，或这个版本里没有。
    .repair = 查一查这个名称在 { $library } 的哪个模块里。
error-module-of-a-file = 这里没有该模块
    .cause = 这里没有模块 { $name }：库里没有，交给程序的文件里也没有同名的。
    .repair = 如果它是这个程序的一个文件，请把 { $name }.py 拖进“文件”菜单里的“数据文件”（命令行会到程序所在的文件夹里找，也可以用 --file 给出）。
error-book-in-torch = 书的另一个版本
    .cause = 这里只有书中库的 torch 版；{ $name } 是另一个版本的名称。
    .repair = 写成：from d2l import torch as d2l。
error-book-lacks-name = 书的库里没有
    .cause = 这里的 d2l 有张量、梯度、线性模型与多层感知机各章留给后面用的内容，{ $name } 不在其中。
    .repair = 把 { $name } 的定义从书中那一节复制到上面的单元格里；在自己的机器上也可以在 torchvision 旁安装整个库：pip install --no-deps d2l。
error-name-not-in-module = 模块中没有该名称
    .cause = 有 { $module } 这个模块，但其中没有 { $name }：可能拼写不同，或在别的模块、别的版本里。
    .repair = 检查 { $code } 中 { $name } 的拼写。
error-tensor-attribute-of-another-library = 张量的方法名不同
    .cause = 张量没有 { $name }（其他库才有）；对张量 { $base } 应使用 { $instead }。
    .repair = 改用 { $instead }。
error-tensor-attribute-near = 属性的拼写不同
    .cause = { $code } 中的属性 { $name } 不存在；张量有的是 { $right }。
    .repair = 改写为 { $right }。
error-tensor-attribute-missing = 张量没有该属性
    .cause = { $base } 是张量，而张量没有名为 { $name } 的属性或方法。
    .repair = 改用 torch 的函数，或张量已有的方法。
error-number-from-item = 张量变成了普通数字
    .cause = 第 { $where } 行的 .item() 把 { $base } 变成了 Python 数字，它没有 { $name }，也不再连着计算图。
    .repair = 保留张量：去掉第 { $where } 行的 .item()，只在打印数值时调用。
error-number-is-no-tensor = 用了数字而不是张量
    .cause = { $base } 是 Python 的 { $type }；{ $name } 是张量才有的。
    .repair = 用 torch.tensor(...) 把它变成张量；需要梯度时加上 requires_grad=True。
error-list-is-no-tensor = 用了 { $type } 而不是张量
    .cause = { $base } 是 Python 的 { $type }；{ $name } 是张量才有的。
    .repair = { $type ->
        [tuple] 取所需的一项，如 value[0]；若里面是数，用 torch.tensor(...) 变成张量。
       *[list] 先用 torch.tensor(...) 变成张量；若列表里是张量，用 torch.stack(...)。
    }
error-array-is-no-tensor = 用了 NumPy 数组而不是张量
    .cause = { $base } 是 NumPy 数组，没有 { $name }。
    .repair = 用 torch.from_numpy(...) 或 torch.tensor(...) 变成张量。
error-method-near = 方法名的拼写不同
    .cause = { $type } 没有 { $name } 方法，有的是 { $right }。
    .repair = 改写为 { $right }。
error-attribute-near = 属性的拼写不同
    .cause = { $type } 的对象没有属性 { $name }，有的是 { $right }。
    .repair = 改写为 { $right }。
error-attribute-missing = 该值没有这个属性
    .cause = { $base } 的类型是 { $type }，没有名为 { $name } 的属性或方法。
    .repair = 用 print(type({ $base })) 看看它是什么，再使用该类型的方法。
error-attribute-never-set = 该属性从未设置
    .cause = 类 { $class } 中没有任何一行给 self.{ $name } 赋值。
    .repair = 在 __init__ 中设置 self.{ $name }，或改用那里已设置的名称。
error-attribute-set-later = 属性还没有设置
    .cause = 类 { $class } 里会给 self.{ $name } 赋值，但在 { $code } 读取它时那一行还没有运行。
    .repair = 在 __init__ 中先给 self.{ $name } 赋值，再使用。
error-attribute-read-only = 不能赋值的属性
    .cause = { $name } 由类 { $class } 计算得出，不能赋值。
    .repair = 用能改变该对象的方法，或换一个名称。
error-class-attribute-missing = 类没有该属性
    .cause = { $class } 是类本身，其中没有 { $name }。
    .repair = 先创建对象 { $class }(...) 再访问；或检查 { $name } 的拼写。
error-module-lacks-name = 模块中没有该名称
    .cause = 这个版本的 { $module } 里没有 { $name }。
    .repair = { $right ->
        [none] 检查 { $name } 的拼写，或到别的模块中找。
       *[other] 改写为 { $right }。
    }
error-module-lacks-cuda = 只有带 CUDA 的版本才有
    .cause = 这里的 torch 不带 CUDA，{ $module } 因此没有 { $name }。
    .repair = 先问 torch.cuda.is_available()，或去掉这个调用。
error-module-lacks-near = 名称的拼写不同
    .cause = { $module } 里没有 { $name }；有的是 { $right }。
    .repair = 改写为 { $right }。
error-method-returns-nothing = 方法没有返回值
    .cause = 第 { $where } 行的 .{ $method }() 直接修改对象并返回 None，所以 { $base } 是 None。
    .repair = 让 .{ $method }() 单独成行，不要把它的结果赋给名称。
error-none-used = 应有值处是 None
    .cause = { $piece } 是 None。
    .repair = 看它在哪里得到值：没有 return 的函数给出 None，原地修改列表的方法、用 get() 取不存在的键也是，第一次 backward() 之前的 .grad 也是。
error-none-since = 应有值处是 None
    .cause = { $piece } 是第 { $where } 行设置的 None，此后没有任何一行给它张量。
    .repair = 检查给它赋值的循环或分支是否运行过。
error-shape-called = shape 不是方法
    .cause = shape 是存放各轴长度的属性；{ $base } 后面的圆括号把它当成函数来调用。
    .repair = 改写为 { $right }。
error-builtin-overwritten = 内置函数被覆盖
    .cause = 第 { $where } 行把 { $type } 赋给了 { $name }，因此 { $name } 不再是 Python 的内置函数。
    .repair = 在第 { $where } 行换一个名称。
error-property-called = 该属性后面不加括号
    .cause = { $base } 本身就是张量，不是方法；括号会试图调用这个张量。
    .repair = 改写为 { $base }。
error-tensor-called = 把张量当成函数调用
    .cause = { $base } 是张量；圆括号用来调用函数，方括号才用来取元素。
    .repair = 取元素写 { $base }[{ $inside }]；若是相乘，在括号前写 *。
error-number-called = 乘号不能省略
    .cause = { $base } 是数字；Python 把它后面的圆括号当作函数调用，而不是乘法。
    .repair = 在 { $base } 和括号之间写 *。
error-module-called = 把模块当成函数调用
    .cause = { $base } 是模块，不是函数或类。
    .repair = 写出其中的函数或类：{ $base }.name(...)。
error-collection-called = 取元素用方括号
    .cause = { $base } 是 { $type }；取其中的元素要用方括号。
    .repair = 改写为 { $base }[...]。
error-value-called = 把值当成函数调用
    .cause = { $base } 的类型是 { $type }，不能调用。
    .repair = 去掉圆括号，或调用原本想用的函数。
error-method-indexed = 方法没有调用
    .cause = { $base } 是方法；只有它的结果 { $base }() 才能取下标。
    .repair = 改写为 { $base }()[...]。
error-function-indexed = 函数后面用了方括号
    .cause = { $base } 是函数或类，应使用圆括号调用。
    .repair = 改写为 { $base }(...)。
error-number-indexed = 单个值没有下标
    .cause = { $base } 是 { $type } 类型的单个值，不能用 [...] 取元素。
    .repair = 直接使用 { $base }，或对它所来自的列表或张量取下标。
error-unpacked-one-value = 一个值对应多个名称
    .cause = 第 { $line } 行右边是一个 { $type } 类型的值，左边却有多个名称。
    .repair = 让右边的值与左边的名称一样多，或只用一个名称。
error-loop-over-a-number = 对数字做循环
    .cause = { $base } 是一个整数，而 for 需要包含多个元素的对象。
    .repair = 改写为 range({ $base })。
error-text-plus-value = 字符串加上别的值
    .cause = + 只能把字符串与字符串相连；{ $right } 的类型是 { $type }。
    .repair = 写成 str({ $right })，或使用 f 字符串。
error-list-plus-value = 列表加上一个值
    .cause = 对 { $first } 来说 + 是连接两个 { $first }，不会把 { $type } 加到每个元素上。
    .repair = 要做运算就用 torch.tensor(...)；要添加一个元素就用 .append(...)。
error-list-in-arithmetic = 用列表做运算
    .cause = { $code } 中的 Python 列表或元组不会按元素计算。
    .repair = 用 torch.tensor(...) 变成张量，或取所需的一项。
error-name-not-rebound = 名称还是原来的值
    .cause = 给 { $piece } 赋新值的第 { $cell } 个单元格中途停止了：{ $piece } 仍是函数。
    .repair = 先修好第 { $cell } 个单元格。
error-method-not-called = 方法后面缺少括号
    .cause = { $piece } 是方法本身，而不是它的结果。
    .repair = 改写为 { $piece }()。
error-array-with-tensor = NumPy 数组与张量混用
    .cause = { $sign } 的一边是 NumPy 数组，另一边是张量。
    .repair = 需要梯度时，用 torch.from_numpy(...) 把数组变成张量；否则用 .detach().numpy() 都变成数组。
error-parameters-added = 两个生成器不能相加
    .cause = parameters() 返回的是生成器，生成器之间没有 +：{ $code }。
    .repair = 把两者放进一个列表：[*a.parameters(), *b.parameters()]。
error-text-in-arithmetic = 字符串参与了运算
    .cause = 这里 { $sign } 的两边是 { $left } 和 { $right }：其中一个是字符串，即使看起来像数字。
    .repair = 用 float(...) 把字符串变成数，或用 str(...) 把数变成字符串。
error-list-for-tensor = 用了列表而不是张量
    .cause = { $function }() 对张量做运算；这里的参数 { $name } 却是 Python 的 { $given }（应为 { $wanted }）。
    .repair = 用 torch.tensor(...) 变成张量；若列表里是张量，用 torch.stack(...)。
error-number-for-tensor = 用了数字而不是张量
    .cause = { $function }() 对张量做运算；这里的参数 { $name } 却是 Python 的 { $given }（应为 { $wanted }）。
    .repair = 写成 torch.tensor(...)，或对数字使用 Python 自己的函数。
error-array-for-tensor = 用了 NumPy 数组而不是张量
    .cause = { $function }() 的参数 { $name } 是 { $given }，应为 { $wanted }。
    .repair = 用 torch.from_numpy(...)；若权重是 float32，再加 .float()。
error-none-for-tensor = 用了 None 而不是张量
    .cause = { $function }() 的参数 { $name } 是 None（{ $given }），应为 { $wanted }；产生它的一步没有返回任何东西。
    .repair = 检查产生它的那一行：可能缺少 return 或 backward()。
error-whole-number-wanted = 需要整数
    .cause = { $function }() 的参数 { $name } 必须是整数（{ $wanted }），而这里是 { $given }。
    .repair = 写成整数：int(...)，或用 // 代替 /。
error-sizes-wanted = 各轴长度必须是整数
    .cause = { $function }() 的 { $name } 需要整数（{ $wanted }），而这里有一个是 { $given }。
    .repair = 写成整数，例如 (2, 3)；用 / 算出的长度要改用 //。
error-arguments-do-not-fit = 参数不符合该函数的任何形式
    .cause = { $function }() 得到的是 ({ $given })，而它的一种形式是 ({ $wanted })。
    .repair = 对照 { $code } 中参数的个数、顺序和类型。
error-keyword-near = 参数名的拼写不同
    .cause = { $function }() 没有参数 { $name }，通常的名称是 { $right }。
    .repair = 改写为 { $right }=。
error-tensor-of-several-values = 多个值要放进一个列表
    .cause = torch.tensor 只接受一个值，即整个列表；{ $code } 中的第二个数成了多余的参数。
    .repair = 用方括号把这些数括起来。
error-self-missing = 方法缺少 self
    .cause = Python 会把对象本身作为第一个参数传入；第 { $line } 行的 { $name }() 没有接收它，所以 { $code } 多给了一个值。
    .repair = 把 self 写成 { $name }() 的第一个参数。
error-too-many-arguments = 参数太多
    .cause = { $function }() 最多按位置接收 { $most } 个值，而 { $code } 给了 { $given } 个。
    .repair = 去掉多余的参数，或写明参数名：name=value。
error-closure-missing = 该优化器需要闭包
    .cause = { $function }() 在一步中要多次计算损失，因此需要一个计算损失的函数。
    .repair = 定义一个闭包：清零梯度、计算损失、调用 backward() 并返回损失；再调用 step(closure)。
error-called-on-the-class = 在类上调用了方法
    .cause = { $code } 在类上调用 { $function }，因此没有对象来充当 { $missing }。
    .repair = 先创建对象，再在对象上调用方法。
error-list-position-of-two = 列表一次只能取一个下标
    .cause = 列表的列表不是矩阵；{ $code } 一次给了两个下标。
    .repair = 写成 a[i][j]，或先把列表变成张量。
error-list-position-of-another-type = 下标必须是整数
    .cause = { $code } 中的下标是 { $type }。
    .repair = 用 int(...)；若下标由除法得到，用 // 代替 /。
error-whole-number-for-range = 需要整数
    .cause = { $code } 用来计数，得到的却是带小数点的数。
    .repair = 写成 int(...)，或用 // 代替 /。
error-unpacked-too-many = 值比名称多
    .cause = 左边有 { $wanted } 个名称（{ $names }），而 { $whole } 的右边有更多的值。
    .repair = 在左边增加名称，或只取需要的值；带 * 的名称可接收其余所有的值。
error-parameters-without-names = parameters() 不给出名称
    .cause = parameters() 只给出参数，而第 { $line } 行的 { $code } 为每个参数准备了两个名字。
    .repair = 写成 named_parameters()。
error-unpacked-too-few = 值比名称少
    .cause = { $names } 需要 { $wanted } 个值，而 { $whole } 只给出 { $given } 个。
    .repair = 减少名称，或给出同样多的值；只含一个张量的数据集，每个小批量只有一项。
error-text-no-whole-number = 该字符串不是整数
    .cause = int() 只能读取整数形式的字符串，而 { $text } 不是整数形式。
    .repair = 写成 int(float(...))。
error-list-too-short = 下标超出列表
    .cause = { $name } 有 { $count } 个元素，下标为 0 到 { $last }；{ $code } 超出了范围。
    .repair = 下标不超过 { $last }，或用 range(len({ $name })) 循环。
error-list-is-empty = 列表是空的
    .cause = { $name } 有 { $count } 个元素（末位下标会是 { $last }），而 { $code } 要取其中一个。
    .repair = 先填充 { $name } 再读取。
error-division-by-a-zero = 除数为零
    .cause = { $code } 中的 { $divisor } 等于 0。
    .repair = 确保这里的 { $divisor } 不为 0；求平均时检查列表是否为空。
error-division-by-zero = 除数为零
    .cause = { $code } 中的除数为零；Python 自己的数会因此报错，而张量会得到 inf 或 nan。
    .repair = 确保除数不为零。
error-recursion-without-end = 函数无休止地调用自身
    .cause = { $name }() 一再调用自身，直到 Python 的上限也没有一次调用结束。
    .repair = 给 { $name }() 一个不再调用自身就返回的情形，并让每次调用都更接近它。
error-key-that-can-change = 键必须是不可变的
    .cause = { $type } 可以改变，因此不能作字典的键或集合的元素：{ $code }。
    .repair = 用元组、数或字符串作键。
error-not-changeable = 该值不能修改元素
    .cause = { $type } 的元素不能改变，而 { $code } 试图给其中一个赋值。
    .repair = 新建一个，或改用列表或张量。
error-value-without-length = 该值没有长度
    .cause = { $code } 中类型为 { $type } 的值没有 len()：它是单个值，或它的类没有定义 __len__。
    .repair = 改用列表或张量；自己的类要有 __len__ 方法。
error-argument-given-twice = 参数给了两次
    .cause = 在 { $code } 中，{ $name } 按位置得到一个值，又按名称得到一个值。
    .repair = 去掉其中一个。
error-format-arguments = % 占位符与值的个数不同
    .cause = { $code } 中 % 占位符的个数与后面的值不同。
    .repair = 使用 f 字符串，把每个值写在花括号里。
error-sign-of-another-type = 该值前面不能加符号
    .cause = { $type } 前面不能写 { $sign }：{ $code }。
    .repair = 改用数或张量。
error-sizes-of-another-type = 各轴长度必须是整数
    .cause = { $code } 中有一个长度是 { $type }。
    .repair = 写成整数；用 / 算出的长度要改用 //。
error-pop-from-nothing = 列表已经取空
    .cause = { $code } 中的列表是空的。
    .repair = 取元素之前先检查长度。
error-math-domain = 超出函数的定义域
    .cause = { $code } 在函数没有实数值的地方求根、对数或类似的值。
    .repair = 检查参数的符号；torch 的函数在这里得到 nan 而不会停止。
error-math-range = 结果超出了浮点数范围
    .cause = { $code } 的结果超过了最大的浮点数（约 1.8e308）。
    .repair = 使用更小的参数，或改用对数。
error-not-in-list = 列表中没有该元素
    .cause = { $code } 要找的元素不在列表里（{ $value }）。
    .repair = 先用 in 判断。
error-assertion-failed = 断言不成立
    .cause = assert 检查一个条件，而第 { $line } 行的条件不成立：{ $code }。
    .repair = 打印条件中的各个值，看哪一个不符合预期。
error-iterator-at-its-end = 迭代器已到末尾
    .cause = { $code } 在最后一个元素之后还要再取一个。
    .repair = 使用 for 循环，或写 next(..., None)。
error-character-of-another-keyboard = 用了全角或其他键盘的符号
    .cause = 第 { $line } 行出现了 { $character }；在字符串之外，Python 只认识半角的 { $right }。
    .repair = 切换到英文输入法，写成 { $right }。
error-character-unknown = Python 不使用的符号
    .cause = 第 { $line } 行在字符串之外出现了 { $character }：{ $code }。
    .repair = 去掉它，或放进引号里。
error-bracket-open = 括号没有闭合
    .cause = 第 { $line } 行的 { $bracket } 后面没有对应的 { $closing }。
    .repair = 在括号应结束的地方写上 { $closing }。
error-bracket-of-another-kind = 括号类型不匹配
    .cause = 打开的是 { $bracket }，第 { $line } 行的 { $closing } 不能闭合它。
    .repair = 改写为 { $right }。
error-bracket-too-many = 多了一个右括号
    .cause = 第 { $line } 行的 { $bracket } 前面没有对应的 { $opening }。
    .repair = 去掉 { $bracket }，或在前面补上左括号。
error-colon-missing = 缺少冒号
    .cause = 以 { $word } 开头的行要以冒号结尾，第 { $line } 行的 { $code } 没有。
    .repair = 在行末写上冒号 :。
error-equals-in-condition = 单个 = 是赋值，== 才是比较
    .cause = 第 { $line } 行的 { $code } 在需要条件的地方写了赋值。
    .repair = 改写为 ==。
error-target-is-no-name = 等号左边不是名称
    .cause = = 把值赋给名称，而第 { $line } 行左边的 { $target } 不是名称。
    .repair = 把名称写在左边；若要比较，写 ==。
error-print-without-brackets = 打印的内容要加括号
    .cause = 在 Python 3 中 { $name } 是函数，而第 { $line } 行没有加括号。
    .repair = 改写为 { $name }(...)。
error-comma-missing = 两个值之间缺少逗号
    .cause = 第 { $line } 行有两个值挨在一起：{ $piece }。
    .repair = 在它们之间写逗号或所需的运算符；或先闭合前面的括号。
error-colon-or-comma-missing = 缺少冒号或逗号
    .cause = 第 { $line } 行有字符串和值挨在一起：{ $piece }。
    .repair = 在字典中，键后面写冒号；在列表或调用中写逗号。
error-text-open = 字符串没有闭合
    .cause = 第 { $line } 行以 { $quote } 开头的字符串末尾没有 { $quote }。
    .repair = 在字符串末尾写上 { $quote }。
error-f-string-braces = f 字符串的花括号不匹配
    .cause = 第 { $line } 行的 f 字符串中，花括号里的表达式不完整，或少了一个花括号。
    .repair = 每个值都写在一对花括号之间；要输出花括号本身，就写两遍。
error-indent-unexpected = 缩进多了
    .cause = 第 { $line } 行比上一行缩进得更多，而上一行没有开启代码块。
    .repair = 让它与上一行从同一列开始。
error-block-missing = 缺少缩进的代码块
    .cause = 第 { $where } 行的 { $head } 以冒号结尾，而其后的第 { $line } 行没有缩进。
    .repair = 把属于它的行缩进四个空格；空代码块写 pass。
error-indent-between = 缩进与任何一层都不一致
    .cause = 第 { $line } 行缩进 { $own } 个空格，而前面各行的缩进是 { $levels }。
    .repair = 使用它所属代码块的缩进。
error-tabs-and-spaces = 制表符与空格混用
    .cause = 第 { $line } 行的缩进字符与周围的行不同；Python 不会猜测制表符的宽度。
    .repair = 只用空格，每层四个。
error-return-outside-function = 只有函数里才能使用
    .cause = 第 { $line } 行的 { $word } 不在任何 def 之内。
    .repair = 把它缩进到函数里，或直接写出值或 print(...)。
error-break-outside-loop = 只有循环里才能使用
    .cause = 第 { $line } 行的 { $word } 不在任何 for 或 while 之内。
    .repair = 把它缩进到循环里，或去掉它。
error-number-with-zeros = 数字以零开头
    .cause = 整数开头不能写零：第 { $line } 行的 { $code }。
    .repair = 去掉开头的零；若是文本，放进引号。
error-name-begins-with-digit = 名称以数字开头
    .cause = 第 { $line } 行的 { $piece } 以数字开头，Python 会把它当作数。
    .repair = 让名称以字母开头。
error-product-without-sign = 乘号不能省略
    .cause = 第 { $line } 行的 { $piece } 既不是数也不是名称；乘法要写出 *。
    .repair = 改写为 { $right }。
error-positional-after-keyword = 带名称的参数写得太靠前
    .cause = 第 { $line } 行中，没有名称的参数写在了带名称的参数之后。
    .repair = 把带名称的参数放到最后。
error-keyword-twice = 参数给了两次
    .cause = 第 { $line } 行的一次调用中两次写了 { $name }。
    .repair = 去掉其中一个。
error-keyword-as-name = 用关键字作了名称
    .cause = { $word } 是 Python 的关键字，第 { $line } 行不能用它作变量名。
    .repair = 换一个名称，例如 { $right }。
error-increment = Python 没有 { $sign }
    .cause = 第 { $line } 行的 { $code } 不是 Python 语句；修改值要用 += 或 -=。
    .repair = 改写为 { $right }。
error-sign-of-another-language = 其他语言的写法
    .cause = Python 没有 { $sign }（第 { $line } 行），应写 { $right }。
    .repair = 改写为 { $right }。
error-branch-without-start = 分支没有开头
    .cause = 第 { $line } 行的 { $word } 之前，同一列没有 if、for、while 或 try。
    .repair = 让 { $word } 与它所属的行从同一列开始，两个代码块之间不要有别的行。
error-module-by-number = 数字不能作属性名
    .cause = { $piece } 是 torch 打印层名的写法；Python 的点后面不能是数字。
    .repair = 写成 { $right }。
error-syntax-unknown = 这一行还不是 Python
    .cause = Python 从第 { $line } 行第 { $at } 列附近起无法读懂：{ $code }。
    .repair = 在那里以及上一行末尾找找是否缺少括号、逗号、冒号、引号或运算符。
error-text-no-number-at = 有一项不是数
    .cause = 位置 { $position } 的 { $text } 无法读成数。
    .repair = 写 errors="coerce" 使这样的项变成 NaN，再用 fillna 或 dropna。
error-text-no-date = 有一项不是日期
    .cause = { $text } 无法读成日期。
    .repair = 写 errors="coerce" 使这样的项变成 NaT（pandas 表示缺失日期的值），再用 dropna。
error-dates-in-several-formats = 日期的写法不一致
    .cause = pandas 根据第一个日期推断出格式 { $format }，而 { $text } 与之不符。
    .repair = 写明所有日期共同的格式，例如日在前时写 format="%d/%m/%Y"。若写法各不相同，format="mixed" 会逐个识别，errors="coerce" 会把不是日期的项变成 NaT。
error-date-in-another-format = 日期的写法与格式不符
    .cause = { $text } 与格式 { $format } 不符。
    .repair = 把格式改成实际的写法：%d 是日，%m 是月，%Y 是四位数的年。errors="coerce" 会把不符的项变成 NaT。
error-date-not-as-the-format = 日期的写法与格式不符
    .cause = { $text } 与格式 { $format } 不符。
    .repair = 把格式改成实际的写法：%d 是日，%m 是月，%Y 是四位数的年。
error-text-no-number = 该字符串不是数
    .cause = { $text } 无法读成数：{ $code }。
    .repair = 检查字符串的内容，先去掉单位、逗号和空格。
error-column-with-text = 其中有不是数的字符串
    .cause = { $code } 要转换的值中有 { $text }。
    .repair = 用 pd.to_numeric(..., errors="coerce") 把它变成 NaN；读文件时写进 na_values；类别则用 get_dummies。
error-mean-of-text = 文本列没有 { $function }
    .cause = { $code } 会处理所有的列，而其中一列是文本。
    .repair = 写 numeric_only=True，或先选出数值列。
error-column-missing = 表中没有该列
    .cause = 没有名为 { $key } 的列。{ $keys ->
        [none] {""}
       *[other] 现有的列是 { $keys }{ $more ->
            [0] {""}
           *[other] {" "}等，另有 { $more } 个
        }。
    }
    .repair = 打印 .columns 查看：列名区分大小写和空格。
error-column-missing-near = 列名的拼写不同
    .cause = 没有名为 { $key } 的列；{ $keys ->
        [none] 程序中出现的是 { $right }。
       *[other] 现有的列是 { $keys }{ $more ->
            [0] {""}
           *[other] {" "}等，另有 { $more } 个
        }。
    }
    .repair = 改写为 { $right }。
error-key-missing = 没有该键
    .cause = { $code } 读取的对象中没有键 { $key }。{ $keys ->
        [none] {""}
       *[other] 现有的键是 { $keys }{ $more ->
            [0] {""}
           *[other] {" "}等，另有 { $more } 个
        }。
    }
    .repair = 打印它的 keys()，或用 .get(...) 查询。
error-key-missing-near = 键的拼写不同
    .cause = 没有键 { $key }；{ $keys ->
        [none] 程序中出现的是 { $right }。
       *[other] 现有的键是 { $keys }{ $more ->
            [0] {""}
           *[other] {" "}等，另有 { $more } 个
        }。
    }
    .repair = 改写为 { $right }。
error-drop-of-a-column = drop 默认删除行
    .cause = 没有 columns= 时，drop 找的是标签为 { $key } 的行，而 { $key } 是列。
    .repair = 写成 drop(columns=...)。
error-row-missing = 表中没有该行
    .cause = .loc 在行标签中查找 { $key }。
    .repair = 按位置取用 .iloc，或使用 .index 中有的标签。
error-number-as-column = 数字不是列名
    .cause = 表后面的 [{ $key }] 按名称查找列或标签，而不是按位置。
    .repair = 改写为 .iloc[{ $key }]。
error-folder-not-here = 文件夹不存在
    .cause = { $file } 所在的文件夹 { $folder } 还没有创建。
    .repair = 先写 os.makedirs("{ $folder }", exist_ok=True)。
error-file-near = 文件名的拼写不同
    .cause = 程序写的文件是 { $right }，不是 { $file }。
    .repair = 改写为 { $right }。
error-file-not-here = 文件不存在
    .cause = 这里的程序只能看到“数据文件”里的文件和自己写的文件，其中没有 { $file }。
    .repair = 把它拖进“文件”菜单里的“数据文件”（命令行用 --file 路径），程序就能按文件名打开它，不论写的是哪个文件夹。
error-file-not-in-folder = 文件不存在
    .cause = 程序在文件夹 { $folder } 里找 { $file }，那里没有它。
    .repair = 检查文件名，或把文件复制到那里。
error-file-cut-by-limit = 文件不完整
    .cause = 第 { $cell } 个单元格写文件时达到了文件上限，文件因此提前结束。
    .repair = 先让第 { $cell } 个单元格写完整个文件：那里的说明给出了办法。
error-file-outside-folder = 文件在开放的文件夹之外
    .cause = { $file } 在 { $folder } 之外，而程序只能读取这个文件夹。{ $names ->
        [none] {""}
       *[other] 其中有相近的名字：{ $names }。
    }
    .repair = { $repository ->
        [none] 请开放一个同时包含程序和该文件的文件夹（--folder DIR；在应用中用设置菜单），或把文件复制到 { $folder } 中。
       *[other] 请开放整个仓库：--folder { $repository }（在应用中用设置菜单）。相对路径仍从程序自己的文件夹开始。
    }
error-file-near-in-folder = 文件不存在
    .cause = 程序在文件夹 { $folder } 里找 { $file }，那里没有它。那里有相近的名字：{ $names }。
    .repair = 检查文件名。
error-removed-from-pandas = pandas 已没有该方法
    .cause = pandas 已去掉 { $name }。
    .repair = 改用 { $instead }。
error-table-is-no-tensor = 用了表而不是张量
    .cause = { $base } 是 pandas 的表；{ $name } 是张量才有的。
    .repair = 先变成张量：torch.tensor(df.values)。
error-table-attribute-missing = 表中没有该列
    .cause = { $type } 没有名为 { $name } 的列或方法。
    .repair = 打印 .columns 查看；列名含空格时写 df["name"]。
error-array-shape-in-two-arguments = 形状是一个参数
    .cause = NumPy 把形状作为一个元组接收；第二个参数 { $value } 被当成了 dtype。
    .repair = 形状自己要有一层括号，如 np.zeros((2, 3))。
error-arrays-do-not-broadcast = 两个形状不能广播
    .cause = { $first } 与 { $second } 从右边起逐轴比较，长度必须相等或为 1。
    .repair = 检查两个形状；reshape(-1, 1) 得到一列。
error-arrays-do-not-multiply = 内侧的长度不同
    .cause = 在乘积 { $code } 中，左边有 { $first } 列，右边有 { $second } 行。
    .repair = 转置其中一个（.T），或检查顺序。
error-arrays-not-aligned = 内侧的长度不同
    .cause = 形状 { $first } 与 { $second } 相乘，需要前者最后的长度等于后者最前的长度。
    .repair = 转置其中一个（.T），或检查顺序。
error-plot-lengths = x 与 y 的长度不同
    .cause = x 的形状是 { $first }，y 的形状是 { $second }。画线时每个 x 需要一个 y。
    .repair = 在这一行之前打印两者的 len。常见的原因：其中一个列表在循环之前多添加了一次，或单元格运行了两次，又添加了一遍。
error-plot-sizes = x 与 y 的长度不同
    .cause = scatter 为每一对值画一个点，因此 x 与 y 的值要一样多。
    .repair = 在这一行之前打印两者的形状，并用同一个掩码索引两者。
error-image-shape = 这不是图像的形状
    .cause = imshow 得到的形状是 { $shape }。它接受 (高, 宽)，或 (高, 宽, 通道)，通道数为 3 或 4。PyTorch 把通道放在最前面。
    .repair = 用 permute(1, 2, 0) 把通道移到最后，或用 squeeze() 去掉大小为 1 的批次轴或通道轴。
error-array-rows-of-different-length = 各行长度不同
    .cause = 数组是矩形的，而 { $code } 中的列表长度不一。
    .repair = 让各行长度相同。
error-array-element-from-sequence = 一个位置放了一个列表
    .cause = { $code } 只能放一个数，却给了多个。
    .repair = 只给一个数，或选取长度相同的切片。
error-array-reshape = 元素个数不同
    .cause = { $size } 个元素填不满形状 { $shape }。
    .repair = 选择乘积为 { $size } 的形状；写 -1 可让 NumPy 推算其中一个。
error-array-index = 下标超出数组
    .cause = 轴 { $axis } 有 { $size } 个元素，没有下标 { $index }。
    .repair = 下标从 0 开始，最后一个是长度减 1。
error-array-axis = 数组没有那么多轴
    .cause = 数组有 { $rank } 个轴，没有轴 { $axis }；轴从 0 数起。
    .repair = 选择更小的 axis，最后一个写 -1。
error-truth-of-array = 一个 if 对应多个真值
    .cause = { $code } 的每个元素都有一个真值，而 if、and、or 只需要一个。
    .repair = 写 .any() 或 .all()；用 & 和 | 连接条件。
error-array-keeps-its-dtype = 数组的数据类型不会改变
    .cause = 原地写入不能把 { $kept } 变成 { $made }：{ $code }。
    .repair = 用 a = a + ... 代替 a += ...，或用 dtype=float 创建数组。
error-arrays-do-not-concatenate = 数组不能连结
    .cause = { $code } 中的数组必须轴数相同，除连结的轴外长度也相同。
    .repair = 比较它们的形状；reshape(1, -1) 得到一行。
error-missing-values-to-integer = NaN 不是整数
    .cause = 其中有缺失值，而整数没有 NaN：{ $code }。
    .repair = 先用 fillna(...) 或 dropna()，或保留浮点数。
error-columns-of-different-length = 各列长度不同
    .cause = 表的每一列在每一行都有一项，而 { $code } 中的列表长度不一。
    .repair = 让各列长度相同。
error-column-of-another-length = 列的长度不符
    .cause = 表有 { $rows } 行，而新的一列有 { $given } 个值。
    .repair = 给出与行数相同的值。
error-table-position = 位置超出了表
    .cause = { $code } 中的 .iloc 要取表中没有的行或列；位置从 0 开始。
    .repair = 查看 .shape。
error-file-is-empty = 文件是空的
    .cause = { $code } 没有找到任何列：文件为空，或写完后没有关闭。
    .repair = 用 with open(...) as f: 写入，它会关闭文件。
error-file-row-too-long = 有一行的字段更多
    .cause = 文件第 { $row } 行有 { $given } 个字段，应为 { $wanted } 个。
    .repair = 检查该行的逗号，或指定 sep=。
error-merge-without-common-column = 两个表没有共同的列
    .cause = merge 按同名的列合并，而 { $code } 中没有。
    .repair = 用 left_on= 和 right_on= 指明列。
error-bytes-are-no-text = 这些字节不是该编码的文本
    .cause = { $code } 中的文件或字节不是用 { $encoding } 写成的。
    .repair = 指明它的编码，例如 encoding="gbk" 或 "latin-1"。
error-init-misspelt = __init__ 拼写有误
    .cause = 创建 { $class } 时 Python 只调用 __init__；第 { $line } 行写的是 { $written }，所以它没有运行，self.{ $name } 也没有设置。
    .repair = 写成 __init__，前后各两个下划线；super() 后面也一样。
error-values-compared-as-wholes = 整体作了比较
    .cause = { $left } 和 { $right } 是列表，== 把它们整体比较，只得到一个 bool；{ $name } 是张量才有的。
    .repair = 先把两者变成张量：torch.tensor({ $left }) == torch.tensor({ $right }) 会逐元素比较。
error-key-read-as-attribute = 键不是属性
    .cause = { $base } 是字典；其中的值要用方括号和键来读取，不能写在点号后面。
    .repair = 写成 { $right }。
error-attribute-without-self = 只是 __init__ 的局部名称
    .cause = { $name } 在第 { $where } 行赋值，只是 __init__ 的局部名称，函数结束就消失；第 { $line } 行的 { $method }() 看不到它。
    .repair = 把它变成属性：两处都写 self.{ $name }。
error-enumerate-gives-pairs = enumerate 每次给出一对
    .cause = enumerate 每次给出两个值：序号（这里是 { $number }）和一个包含全部内容的样本。
    .repair = 把其余名称放进括号：{ $number }, ({ $rest })。
error-size-was-divided = 大小是浮点数
    .cause = { $code } 中的 { $name } 在第 { $line } 行用 / 算出：{ $made } 即使整除也是浮点数，而大小必须是整数。
    .repair = 改用 // 相除。
error-label-or-key-missing = 没有该标签或键
    .cause = { $code } 要找 { $key }，而那里没有这个标签或键。Series 和表按行标签查找；筛选或划分之后，标签不再是 0、1、2……。
    .repair = 用 .iloc[...] 按位置取，或用 reset_index(drop=True) 重新编号；若是字典，打印它的 keys()。
error-tuple-for-tensor = 用了元组而不是张量
    .cause = { $function }() 对一个张量做运算，而这里的参数 { $name } 是 Python 元组，其中有几个值。LSTM、注意力等层，以及返回几个值的函数，都给出这样的元组。
    .repair = 取出需要的那一个，如 value[0]，或给每个值各起一个名称。
error-name-of-init = 该名称只存在于 __init__ 内
    .cause = { $name } 在第 { $where } 行赋值，只是 __init__ 的局部名称，函数结束就消失；第 { $line } 行看不到它。
    .repair = 把它存入对象：在 __init__ 中写 self.{ $name } = ...，再通过对象名加点号读取。
error-parameter-of-init = 只是 __init__ 的参数
    .cause = { $name } 是 __init__（第 { $where } 行）的参数，只在那里有效；第 { $line } 行在另一个方法中读取它。
    .repair = 在 __init__ 中写 self.{ $name } = { $name } 保存，再读取 self.{ $name }。
error-parameter-of-a-function = 只是另一个函数的参数
    .cause = { $name } 是 { $function }()（第 { $where } 行）的参数，只在其中有效；第 { $line } 行在别处读取它。
    .repair = 作为参数传递过来，或在读取处给该名称赋值。
error-none-of-the-library = torch 在那里没有内容
    .cause = { $piece } 在这里是 None：这是 torch 自己给出的。例如没有 CUDA 的 torch 就没有 torch.version.cuda。
    .repair = 先判断 { $piece } 是否为 None，或者去掉这一行。
error-attribute-kept-local = __init__ 中缺少 self.
    .cause = 第 { $line } 行在 __init__ 中给 { $name } 赋值却没有写 self.，__init__ 结束后它就不在了：{ $class } 的对象没有 { $name }。
    .repair = 在那里写 self.{ $name }。
error-self-forgotten = 缺少 self.
    .cause = 第 { $line } 行在 { $method } 中读取 { $name }，而类把它存为 self.{ $name }。
    .repair = 写成 self.{ $name }。
error-zero-grad-of-a-result = 梯度要在参数处清零
    .cause = { $base } 是计算得到的张量，没有 zero_grad()。梯度累积在参数里，不在损失里。
    .repair = 在 backward() 之前调用优化器或模块的 zero_grad()。
error-array-plus-tensor = NumPy 数组加张量
    .cause = 在 { $code } 中，+ 前面是 NumPy 数组，后面是张量；NumPy 不会把它们相加。
    .repair = 用 torch.from_numpy(...) 把数组变成张量：这样梯度能通过这个和。或用 .detach().numpy() 都变成数组。
error-array-function-of-tensor = NumPy 的函数得到了张量
    .cause = { $code } 会像对数组那样，把参数 { $name } 传给张量自己的方法 { $function }()；张量没有这个参数。
    .repair = 用张量自己的方法或 torch 的函数；或先用 .detach().numpy() 变成数组。
