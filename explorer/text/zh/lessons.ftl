# 课程：课程文件里的问题，以及学习者的程序做了什么。

help-lesson = 检查一节课或整个课程：文件、问题，以及程序是否如课文所说
help-lesson-path = 一节课的文件夹，或含有 course.toml 的文件夹
lesson-sound = { $path }：{ $lessons } 节课都没有问题。
lesson-unsound = { $path }：发现 { $count } 处问题。

lesson-flaw-no-course = 缺少这个文件。课程要有写明各章的 course.toml。
lesson-flaw-missing = 缺少这个文件。一节课由 lesson.toml、program.py 和一份文本（例如 zh.md）组成。
lesson-flaw-too-large = 文件不少于 { $size } 字节；最多读取 { $most } 字节。
lesson-flaw-no-text = 文件不是 UTF-8 文本。
lesson-flaw-toml = 这不是合法的 TOML：{ $words }。
lesson-flaw-nested = 列表和表嵌套得太深。
lesson-flaw-dots = 这一行的点号超过 { $most } 个。
lesson-flaw-field = { $words }。可用的字段见 docs/lessons.md。
lesson-flaw-subject = “{ $name }”里的每个事实都要恰好指定一个对象，例如 value、gradient、shape、prints 或 error。
lesson-flaw-requires-nothing = “{ $name }”的一项检查写了 { $subject }，却没有说明要求的内容。请加上 equals、contains、least 或 most。
lesson-flaw-program-unread = 这节课的某个程序无法分成单元格。
lesson-flaw-empty-program = 程序是空的。
lesson-flaw-title = 课文要以唯一的标题开头，如“# 第一次反向传播”。
lesson-flaw-heading = “{ $heading }”不是课文里的标题。可用的是“## ask 名称”和“## text”；问题之下是“### hint”“### right”和“### wrong 名称”，除提示外各写一次。
lesson-flaw-twice = “{ $name }”出现了两次。
lesson-flaw-empty = “{ $heading }”下面没有内容。
lesson-flaw-no-question = 缺少“{ $name }”的问题。
lesson-flaw-no-right = “{ $name }”缺少“### right”，即对正确答案的回应。
lesson-flaw-html = 不渲染 HTML：{ $found }。请使用 Markdown。
lesson-flaw-picture = 不显示图片。可以让程序来画。
lesson-flaw-languages-differ = 两种语言的{ $what ->
        [questions] 问题
       *[formulas] 公式或代码
    }不同：这里是 { $found }，另一种是 { $other }。
lesson-flaw-texts-differ = “## text”的位置与另一种语言不同。
lesson-flaw-counts-differ = “{ $name }”在这里有 { $found } { $what ->
        [choices] 个选项，另一种语言有 { $other } 个
       *[hints] 条提示，另一种语言有 { $other } 条
    }。
lesson-flaw-replies-differ = “{ $name }”在这里回应 { $found }，另一种语言回应 { $other }。
lesson-flaw-asks-unlike-toml = 课文问的是 { $found }，lesson.toml 是 { $other }。
lesson-flaw-no-reply = lesson.toml 用 { $reply } 回应“{ $name }”，但缺少“### wrong { $reply }”。
lesson-flaw-reply-unused = lesson.toml 里“{ $name }”没有任何错误答案以 { $reply } 回应。
lesson-flaw-choices-unasked = “{ $name }”列出了选项，但它不是 choice 类问题。
lesson-flaw-choices = “{ $name }”的选项要写成列表“- a) …”“- b) …”，至少两项。
lesson-flaw-choice-unknown = “{ $name }”没有选项 { $letter }。
lesson-flaw-program-fails = 程序在这里停止：{ $words }。如果是有意的，请加上一项用 error 或 raises 的检查。
lesson-flaw-no-fact = 程序的 Trace 无法回答“{ $name }”（{ $subject }）：没有这个名字的张量、没有这个元素，或没有这一类事实。
lesson-flaw-wrong-is-right = “{ $name }”把正确的答案当成了错误：{ $answer }。
lesson-flaw-wrong-taken = “{ $name }”：{ $answer } 会先触发别的回应，所以 { $reply } 永远不会出现。
lesson-flaw-no-card = “{ $name }”：图中没有卡片 { $answer }。
lesson-flaw-no-broadcast = “{ $name }”：{ $answer } 不是程序里可以一起广播的张量。
lesson-flaw-already-holds = “{ $name }”的检查在修改之前就已经通过。
lesson-flaw-never-holds = “{ $name }”的参考解没有通过对 { $subject } 的检查：实际是 { $found }。
lesson-flaw-when-fails = “{ $name }”：以 { $reply } 回应的程序不符合自己的 `when`：实际是 { $found }。
lesson-flaw-need = 它依赖 { $name }，而课程里没有。
lesson-flaw-unlisted = 文件夹 { $name } 不在任何一章里。
lesson-flaw-circle = 这些课循环依赖：{ $name }。

lesson-did-stopped = 你的程序在第 { $line } 行停止（{ $type }）。请先改正这个错误。
lesson-did-ended = 你的程序在第 { $line } 行被终止。
lesson-did-stopped-nowhere = 你的程序停止了。请先改正这个错误。
lesson-did-unbound = 你的程序里没有名为 { $name } 的张量。
lesson-did-no-entry = 你的 { $name } 没有这个元素，或元素太多，无法查看。
lesson-did-value = 你的 { $name } 是 { $found }。
lesson-did-before = 最后一次反向传播累积之前，它是 { $found }。
lesson-did-part = 其中 { $found } 来自 { $code }。
lesson-did-no-gradient = { $why ->
        [capped] 没有记录 { $name } 的梯度：程序的运算太多。
       *[other] { $name }.grad 是 None：{ $why ->
            [cleared] 反向传播存入过梯度，后来清除了
            [no-grad] { $name } 不需要梯度，或由它出发的计算没有记录梯度
            [not-on-path] 调用 backward 的张量不依赖 { $name }
            [cut] 从 { $name } 到输出的计算图被切断了，例如被 detach 切断
            [left] { $name } 只以数值的形式影响输出，例如经过 item()
            [pruned-by-inputs] 这次反向传播用 inputs= 指定了别的张量
            [failed] 反向传播还没到那里就停止了
           *[none] 没有反向传播经过 { $name }
        }。
    }
lesson-did-property = 你的 { $name } 的{ $what ->
        [shape] 形状
        [dtype] 数据类型
       *[other] { " " }{ $what }{ " " }
    }是 { $found }。
lesson-did-stride = 你的 { $name } 的步幅是 { $found }。
lesson-did-version = 你的 { $name } 的版本是 { $found }：它被原地修改了这么多次。
lesson-did-writes = { $name } 创建之后，它的内存被写入了 { $found } 次。
lesson-did-first = 你的 { $name } 的初始值是 { $found }。
lesson-did-grad-fn-none = 你的 { $name } 没有 grad_fn。
lesson-did-requires-grad = 你的 { $name } { $is ->
        [yes] 需要
       *[no] 不需要
    }梯度。
lesson-did-leaf = 你的 { $name } { $is ->
        [yes] 是叶子张量
       *[no] 不是叶子张量，而是某个运算的结果
    }。
lesson-did-shares = 你的 { $name } 和 { $other } { $is ->
        [yes] 共用
       *[no] 不共用
    }内存。
lesson-did-prints = 输出是：{ $found }
lesson-did-no-error = 你的程序运行到了最后，没有出错。
lesson-did-node = 你的计算图中，{ $name } 出现 { $count } 次。
lesson-did-plots = 你的程序画了 { $count } 幅图。
lesson-did-backwards = 你的程序求了 { $count } 次梯度。
lesson-did-uses = 你的程序{ $is ->
        [yes] 用了
       *[no] 没有用
    } { $name }。
lesson-did-diagnosis = 你的程序没有报错，但有不对的地方，见程序下方的说明。
lesson-did-diagnosis-none = 你的程序里没有题目要求的那种错误。

nav-lessons = 课程
lessons-lede = 先预测 PyTorch 会做什么，再看结果，然后修改程序，直到符合你的要求。
lessons-map = 课程地图
lessons-chapter = { $done }/{ $all }
lessons-minutes = { $minutes } 分钟
lessons-can = 现在你能{ $can }。
lessons-will-can = 学完后你能{ $can }。
lessons-after = 先学 { $names }
lessons-is =
    .done = 已完成
    .begun = 已开始
    .open = 未开始
lessons-path = 学习路线
lessons-path-all = 全部课程
lessons-begin-with = 开始：{ $title }
lessons-go-on-with = 继续：{ $title }
lessons-unknown = 课程里没有 { $name } 这一课。
lessons-course = 课程
lessons-at = 第 { $at } 题，共 { $all } 题
lessons-previous = 上一课
lessons-next = 下一课
lessons-held = 请先回答。之后图和输出会显示在这里。
lessons-held-gradients = 反向传播从 1 开始。回答之后会显示其他梯度。
lessons-answer-number = 你的答案
    .example = 一个数，如 1/2 或 −3
    .unread = 请输入一个数，如 1.5、−0.5 或 1/3。
lessons-answer-shape = 形状
    .example = (2, 3)
    .unread = 这不是形状。请写成 (2, 3) 这样的形式，单个数写作 ()。
lessons-answer-prints = 输出为
    .example = 文本
    .unread = 请写出输出的内容。
lessons-check = 检查
lessons-axes = { $name } 的哪些轴被拉伸（从最后一个轴数起）
lessons-how-card = 请在图中选择卡片。
lessons-how-make = 请修改程序。你修改时程序就会运行，回应取决于实际的运行结果。
lessons-unread = 无法读懂这个答案。
lessons-not-yet = { $how ->
    [sign] 还不对：正负号相反。
    [large] 还不对：太大了。
    [small] 还不对：太小了。
    [far] 还不对：正负号正确，但离 0 太远。
    [close] 还不对：正负号正确，但离 0 太近。
    [axes] 还不对：轴的个数不同。
    [sizes] 还不对：轴的个数正确，但有的大小不对。
   *[other] 还不对。再看看程序。
}
lessons-hint = 提示
lessons-hint-more = 再来一条提示
lessons-skip = 跳过
lessons-show = 显示答案
lessons-right = 正确。
lessons-was-yours = 是你的回答。
lessons-shown = 答案：
lessons-go-on = 继续
lessons-on-to = 下一课：{ $title }
lessons-to-map = 返回课程
lessons-anew = 重新学习
lessons-restore = 恢复本课的程序
lessons-newcomer-link = 20 分钟学会
