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
    [own] 有程序自己的钩子或 Function 参与，而录制不会再运行程序的任何代码。explorer.run(Path("program.py")).backward_code() 会运行它。
    [root] 起点是库计算出来的结果，程序里没有它的名字。
    [random] { $name } 会生成随机数，无法根据录制重做。explorer.run(Path("program.py")).backward_code() 会重新运行整个程序。
    [autocast] { $name } 在 autocast 下用另一种 dtype 计算，录制不会重做这种计算。explorer.run(Path("program.py")).backward_code() 会重新运行整个程序。
    [again] { $name } 无法根据录制重做。explorer.run(Path("program.py")).backward_code() 会重新运行整个程序。
    [time] 检查没有及时结束。
    [differs] 各行运行过，但结果与 torch 的不同。
   *[none] 程序没有调用 backward。
}
