# 没有值的名字，以及不存在的属性、参数和包。

error-name-not-imported = 缺少导入
    .cause = 第 { $line } 行用到 { $name }，但程序没有导入或定义过它。
    .repair = 加上常用的导入语句：{ $import }{ $others ->
        [0] 。
       *[other] ，以及另外缺少的 { $others } 条。
    }
error-name-too-early = { $name } 在定义之前就被使用
    .cause = { $cell ->
        [0] { $name } 在第 { $where } 行才定义，而第 { $runs } 行先用到了它。
       *[other] { $name } 在单元格 { $cell } 的第 { $where } 行才定义，而这个单元格先运行。
    }
    .repair = { $cell ->
        [0] { $loop ->
            [0] 把定义移到第 { $runs } 行之前。
           *[other] 在第 { $loop } 行的循环之前给它一个初始值。
        }
       *[other] 单元格从上到下运行；把定义移到前面的单元格。
    }
error-name-needs-itself = { $name } 还没有值
    .cause = 第 { $where } 行第一次给 { $name } 赋值，但计算这个值时已经要用到 { $name }。
    .repair = 在前面先给 { $name } 一个初始值。
error-name-not-reached = { $name } 还没有值
    .cause = { $cell ->
        [0] 第 { $where } 行
       *[other] 单元格 { $cell } 的第 { $where } 行
    }在从第 { $start } 行开始的 { $block } 语句块里给 { $name } 赋值，但这次赋值没有完成{ $count ->
        [1] 。
       *[other] ，更早的赋值也没有完成。
    }
    .repair = { $block ->
        [def] 先调用这个函数，或在函数外给 { $name } 赋值。
       *[other] 在这个语句块之前给 { $name } 赋值，让它总有值。
    }
error-name-of-empty-loop = 循环一次也没有执行
    .cause = { $cell ->
        [0] 第 { $where } 行
       *[other] 单元格 { $cell } 第 { $where } 行
    }的 for 循环给 { $name } 赋值，但它没有可遍历的元素。
    .repair = 检查循环遍历的对象，或在循环之前给 { $name } 赋值。
error-name-after-error = 前面的错误使 { $name } 没有定义
    .cause = { $stopped ->
        [0] { $name } 在单元格 { $cell } 的第 { $where } 行定义，但那个单元格没有运行。
       *[other] { $name } 在单元格 { $cell } 的第 { $where } 行定义，但那个单元格在第 { $stopped } 行就停止了。
    }
    .repair = 先改正那个错误。
error-name-of-exception = { $name } 只在 except 语句块内有效
    .cause = 从第 { $where } 行开始的 except 语句块结束时，Python 会删除 { $name }。
    .repair = 在语句块内使用它，或在其中另存一个名字：error = { $name }。
error-name-deleted = { $name } 已被删除
    .cause = { $cell ->
        [0] 第 { $where } 行
       *[other] 单元格 { $cell } 的第 { $where } 行
    }用 del 删除了 { $name }。
    .repair = 去掉这个 del，或在它之前使用 { $name }。
error-name-of-the-object = { $name } 属于对象
    .cause = 类 { $class } 在第 { $where } 行定义了 { $name }；在它的方法里要写成 { $attribute }。
    .repair = 写成 { $attribute }。
error-name-in-torch = { $name } 前缺少模块名
    .cause = 单独的 { $name } 没有定义；它是 torch 的一部分：{ $full }。
    .repair = 写成 { $full }。
error-name-in-a-function = { $name } 只存在于函数内
    .cause = { $count ->
        [1] { $name } 是函数 { $function } 的局部变量，只在函数运行时存在。
       *[other] { $name } 是 { $count } 个函数（如 { $function }）的局部变量，只在这些函数运行时存在。
    }
    .repair = 让函数返回这个值，或在函数外定义 { $name }。
error-name-in-a-class = { $name } 属于一个类
    .cause = 第 { $where } 行在类中定义了 { $name }；在类之外要写成 { $full }。
    .repair = 写成 { $full }。
error-name-in-a-comprehension = { $name } 只存在于推导式内
    .cause = 第 { $where } 行的推导式为自己定义了 { $name }；在推导式之外没有这个名字。
    .repair = 如果之后还要用 { $name }，改用 for 循环。
error-name-misspelt = { $name } 可能拼错了
    .cause = { $name } 没有定义过。{ $where ->
        [0] 有一个相近的名字：{ $meant }。
       *[other] { $cell ->
            [0] 第 { $where } 行
           *[other] 单元格 { $cell } 的第 { $where } 行
        }定义了相近的名字：{ $meant }。
    }
    .repair = 写成 { $meant }。
error-local-hides-outer = { $name } 是 { $function } 的局部变量
    .cause = 第 { $where } 行在 { $function } 中给 { $name } 赋值，{ $name } 因此成为局部变量，这时还没有值；外面的 { $name } 不会被使用。
    .repair = { $word ->
        [none] 在 { $function } 中换一个名字。
       *[other] 把 { $name } 作为参数传给 { $function } 并返回新值，或在 { $function } 开头写 { $word } { $name }。
    }
error-package-missing = 这里没有 { $name }
    .cause = 运行这个程序的 Python 找不到名为 { $name } 的包或文件。
    .repair = 在这个 Python 中安装它（pip install { $name ->
        [sklearn] scikit-learn
        [skimage] scikit-image
        [cv2] opencv-python
        [PIL] pillow
        [yaml] pyyaml
       *[other] { $name }
    }）；如果是自己的文件，在“文件 > 文件”中添加 { $name }.py。
error-attribute-misspelt = { $name } 不存在
    .cause = { $base } 没有 { $name }；有一个相近的名字：{ $right }。
    .repair = 写成 { $right }。
error-module-for-optimizer = 用模块代替了优化器
    .cause = { $base } 是模块 { $module }，其中只有各种类；程序创建的优化器是 { $own }。
    .repair = 写成 { $own }.{ $name }。
error-keyword-unknown = { $function } 没有参数 { $name }
    .cause = { $function } 不接受 { $name }{ $right ->
        [none] 。
       *[other] ，它的参数叫 { $right }。
    }
    .repair = { $right ->
        [none] 它的参数是 { $names }。
       *[other] 写成 { $right }=。
    }
error-method-without-self = 方法缺少 self
    .cause = Python 把对象作为方法的第一个参数传入，而 { $class } 的 { $method }（第 { $where } 行）没有接收它的参数。
    .repair = 把 self 加为第一个参数。
error-batch-of-fewer = 批量的组成部分较少
    .cause = { $name } 的一个批量有 { $given } 个部分，而第 { $line } 行要拆成 { $wanted } 个。
    .repair = 批量有几个部分就写几个名字。只有一个部分时：for (x,) in { $name }。
error-key-as-attribute = { $name } 是字典的键
    .cause = { $base } 是字典：键要用方括号读取，只有方法才是属性。
    .repair = 改成 { $base }["{ $name }"]。
error-lstm-gives-a-pair = LSTM 的状态是一对张量
    .cause = { $layer } 返回两个结果：各时间步的输出，以及最后状态组成的元组 (h, c)。
    .repair = 把这一对也放进括号里：out, (h, c) = { $layer }(x)。
error-none-by-default = 没有传入 { $name }
    .cause = { $name } 是 None：这是它在 { $function }（第 { $where } 行）中的默认值，调用时没有给它别的值。
    .repair = 调用 { $function } 时传入 { $name }。
