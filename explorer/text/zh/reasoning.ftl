# 对任意一个数问“为什么？”：一步一步的推导。

help-why = 说明程序中的某个数是怎样算出来的
help-why-name = 要问的数，例如 w.grad、w.grad[0, 1]、loss 或 y.requires_grad；留空则列出可以问什么

why = 为什么？
why-colon = ：
why-of-passed = 传给 { $name } 的梯度
why-part = { $amount }（{ $about }）
why-share = { $about }，占总和的 { $share }
why-term-via = 经由 { $word }
why-term-start = 初始梯度
why-term-backward-number = 第 { $line } 行，第 { $number } 次反向传播
why-term-backward-somewhere = 一次反向传播
why-term-before = 原有的值
why-term-several = { $count } 项之和
why-further = 另外 { $count } 项
why-close = 关闭这个回答
why-ask = { $word } 为什么是这个值？
why-ask-value = 这个值为什么是 { $amount }？
why-ask-gradient = 梯度为什么是 { $amount }？
why-ask-none = 为什么没有梯度？
path-part = { $part }（共 { $whole }）
why-show = 显示
why-goto = 在图中显示 { $word }
why-above = 见上文
why-not-yet = 这个梯度还没有传到。请先在播放器中前进。
why-entry = 这里说的是元素 { $index }；可以在“详情”中选择其他元素。
why-more = 要继续追问，请对其中任意一个数再问“为什么”。
why-begin = 最早的非有限值：{ $text }
why-folded = …… 另有 { $count } 步 ……
why-all = 用 --all（在 Python 中用 .lines）查看全部 { $count } 行。要继续追问，请对其中一个数问“为什么”。
help-why-all = 输出每一步，而不只是最大的部分
why-chosen = 这里取{ $kind ->
    [largest] 绝对值最大的元素
    [sample] 已记录的 { $count } 个元素中绝对值最大的
   *[bad] 第一个不是有限值的元素
} { $index }；用索引可以询问其他元素。

why-again = 正在重新运行程序，以获取这个元素的各个因子……
why-again-other = 程序又运行了一次，但梯度与上次不同，所以各因子未知。
why-again-recorded = 记录的内容不足。用 full=["{ $question }"] 重新记录，就会保留 torch 提供的每个因子。
why-again-saved = 记录的内容不足，而这次运行是从文件读取的。重新运行程序就能获取 torch 提供的每个因子。

why-unknown-empty = 请写出程序中的一个名字，例如 w.grad、w.grad[0, 1] 或 loss。
why-unknown-name = 程序中没有名为 { $name } 的张量。{ $has ->
    [yes] 是不是想问 { $near }？
   *[no] {""}
}
why-unknown-module = 没有名为 { $name } 的模块运行过，也没有这样的模块含有参数。{ $has ->
    [yes] 是不是想问 { $near }？
   *[no] {""}
}
why-unknown-index = { $name } 的形状是 { $shape }，没有元素 { $index }。

# 每一步补充的说明，或者为什么没有各项。
why-note-unknown = 没有记录这个值
why-note-empty = 它没有元素
why-note-unknown-parts = 没有记录它的各项
why-note-underflow = 这样小的数在 { $dtype } 中是 0
why-note-hooked = 传到 { $word } 的各项之和为 { $sum }，钩子把它改成了这个数
why-note-own = 这是 { $node } 传出的，它的 backward 是用 Python 写的
why-note-not-kept = 张量太大，没有记录各因子
why-note-changed = 由 { $node } 传来；{ $changed }
why-note-no-factors = 由 { $node } 传来；没有列出各因子
why-note-complex = 由 { $node } 传来；复数梯度的各因子不列出
why-note-zero = 传来的梯度为 0
why-note-step = 由 { $optimizer } 的一步{ $rated ->
        [yes] （学习率 { $rate }）
       *[no] {""}
    }算出，依据的是先前的值、梯度以及优化器保存的状态
why-note-step-sgd = SGD 的一步
why-note-shared = { $text } 写入了它与另一个张量共用的内存
why-note-normalised = (x − 均值) / √(方差 + eps)，如果该层有 weight 和 bias，再乘以 weight、加上 bias
why-note-cross-entropy-of = 每一项都是某一行在标签处的 −log softmax{ $ignored ->
        [no] {""}
       *[yes] ，标签为 ignore_index 的行为 0
    }{ $count ->
        [0] {""}
       *[other] ；另外 { $count } 项平均为 { $mean }
    }
why-note-nll-loss-of = 每一项都是某一行在标签处的元素取负{ $ignored ->
        [no] {""}
       *[yes] ，标签为 ignore_index 的行为 0
    }{ $count ->
        [0] {""}
       *[other] ；另外 { $count } 项平均为 { $mean }
    }
why-note-terms-of = 每一项都是 { $function } 求平均或求和之前的一项{ $count ->
        [0] {""}
       *[other] ；另外 { $count } 项平均为 { $mean }
    }
why-note-entries-of = { $count ->
        [0] {""}
       *[other] 另外 { $count } 项平均为 { $mean }
    }
why-note-row-ignored = 这一行不计入：标签 { $label } 是 ignore_index
why-note-row = 这一行的标签是 { $label }
why-note-term-not-kept = 只记录了损失中最大的几项
why-note-operands-large = 张量太大，没有记录计算所用的全部数值
why-note-left-as-was = 第 { $line } 行没有写入这个元素
why-note-entropy-label = 因子 { $factor } 即 { $expression } = { $numbers }，因为{ $rows ->
    [1] {""}
   *[other] 第 { $row } 行的
}标签就是 { $label }
why-note-entropy-other = 因子 { $factor } 即 { $expression } = { $numbers }；{ $rows ->
    [1] {""}
   *[other] 第 { $row } 行的
}标签是 { $label }
why-note-norm = 即 (g − mean(g) − x̂ · mean(g · x̂)) / σ = { $numbers }，其中 g = 梯度{ $weighted ->
    [yes] {" "}· weight
   *[no] {""}
}，x̂ = 规范化后的输入
why-note-norm-eval = 因子 { $factor } 即 { $weighted ->
    [yes] weight
   *[no] 1
} / √(running_var + eps) = { $numbers }
why-note-not-leaf = { $name } 不是叶子张量，所以 { $name }.grad 仍是 None{ $other ->
        [0] {""}
       *[other] 。这里的 { $name } 是第 { $made } 行得到的；第 { $other } 行的另一个 { $name } 才是叶子张量
    }
why-note-implicit = 若执行 backward() 会得到的梯度；程序没有执行
why-note-no-value = 记录中没有它的元素
why-note-is-grad = 它就是 { $grad }
why-note-unmade = 没有记录到创建它的运算
why-note-unseen = 有未被记录的运算改写了它
why-note-made = 由 { $text } 得到
why-note-drawn = 由 { $text } 随机抽取
why-note-base-clipped = 在第 { $line } 行被裁剪
why-note-base-zeroed = 在第 { $line } 行被置零
why-note-base-changed = 在第 { $line } 行被改写：{ $text }
why-note-base-assigned = 在第 { $line } 行被赋值：{ $text }
why-note-base-cleared = 在第 { $line } 行被清除
why-note-since = 此前{ $what }
why-note-cleared = 第 { $line } 行的 { $text } 清除了它
why-note-asks-leaf = 它是叶子张量，在第 { $line } 行创建时就设了 requires_grad=True
why-note-asks-result = 第 { $line } 行的 { $text } 由需要梯度的张量算出它
why-frozen = 第 { $line } 行把 { $word } 的 requires_grad 设为 False{ $moved ->
    [yes] ，但优化器仍在改变它。
   *[no] ：之后的反向传播不会再累加到它的 .grad 上。
}
why-note-asks-not-made = 第 { $line } 行的 { $text } 没有设 requires_grad=True
why-note-asks-not = 没有设 requires_grad=True
