# 写成代码的反向传播：在检查它的程序里，以及页面上。

backward-code-begin = 把 backward() 写出来：节点每传出一个梯度，就是一行
backward-code-check = 检查：结果必须与 torch 自己的 backward() 一致
backward-code-same = 上面各行的结果与 torch 的 backward() 相同。

backward-code = 写成代码的 backward()
backward-code-exact = 已运行：与 .grad 逐位相等。
backward-code-exact-grad = 已运行：与 torch.autograd.grad 的返回值逐位相等。
backward-code-rounded = 已运行：除舍入外与 .grad 相等，每个元素相差不超过 10⁻⁶ 加其大小的 10⁻⁵。
backward-code-rounded-grad = 已运行：除舍入外与 torch.autograd.grad 的返回值相等，每个元素相差不超过 10⁻⁶ 加其大小的 10⁻⁵。
backward-code-open = 连同检查一起打开
backward-code-none = 没有写出来：{ $why ->
    [failed] 这次反向传播中途停止了，或者程序停止了。
    [inside] 它在内部又运行了一次反向传播，例如可重入的 checkpoint。
    [lost] 它的图没有全部记录下来。
    [hook] 有一个钩子改变了梯度，而它的代码在程序里不是一个表达式。
    [seed] 它的起始梯度太长，写不下；或者它从几个没有名字的结果开始。
    [leaf] 有一个得到梯度的张量，在调用的那一行没有名字。
    [long] 它超过 { $most } 行。backward_code(max_lines=…) 可以放宽这个限制。
    [place] 这次调用不是程序自己的一条语句：由某个库调用，或者那一行上还有别的内容。
    [saved] 这次运行是从文件打开的，不会再运行一次来检查代码。explorer.run(Path("program.py")).backward_code() 会运行它。
    [entries] 检查需要 { $name } 的全部元素，而记录里只保留了其中一部分。record(full=True) 会保留有名字的张量在录制结束时的全部元素，参数还会保留反向传播开始时的全部元素。
    [hook-own] 有一个钩子改变了梯度，而录制不会再运行程序自己的钩子。explorer.run(Path("program.py")).backward_code() 会运行它。
    [operand] { $name } 的一个操作数在记录里只保留了一部分，而且没有一次记录下来的调用算出它。
    [own] { $name } 是用 Python 编写的 Function，录制不会再运行程序自己的代码。explorer.run(Path("program.py")).backward_code() 会运行它。
    [compiled] { $name } 由 torch.compile 编译：它的反向传播是一个编译好的函数，而不是由 torch 的运算组成的图。不用 torch.compile，同样的一步就能写出来。
    [mapped] { $name } 在 vmap 或 torch.func 的其他变换中运行，录制无法单独重做这样的调用。
    [grad] { $name } 算出的梯度会再次求导，而录制不会重做反向传播。
    [unknown] { $name } 不是录制能够重新调用的 torch 函数。
    [argument] { $name } 有一个参数既不是张量也不是普通的值，所以录制无法重做这次调用。
    [changed] 用记录下来的值重做 { $name }，得到的数不一样。
    [graph] 用记录下来的值重做 { $name } 时，torch 建立的图不一样。
    [device] { $name } 不在 CPU 上运行，而录制只在 CPU 上重做。
    [refused] 写出的代码运行时 torch 报错：{ $name }
    [root] 起点是库计算出来的结果，程序里没有它的名字。
    [random] { $name } 会生成随机数，无法根据录制重做。explorer.run(Path("program.py")).backward_code() 会重新运行整个程序。
    [autocast] { $name } 在 autocast 下用另一种 dtype 计算，录制不会重做这种计算。explorer.run(Path("program.py")).backward_code() 会重新运行整个程序。
    [again] { $name } 无法根据录制重做。explorer.run(Path("program.py")).backward_code() 会重新运行整个程序。
    [time] 检查没有及时结束。
    [differs] 各行运行过，但结果与 torch 的不同。
   *[none] 程序没有调用 backward。
}
