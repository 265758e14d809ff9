# 编辑器、单元格，以及上下方的文字。

status-not-run = 尚未运行
status-typing = 正在输入
status-cells = { $count ->
    [1] 单元格 { $cell } 没有运行完
   *[other] { $count } 个单元格没有运行完，首先是单元格 { $cell }
}
page-not-run = 这个程序来自文件。请先阅读，再按“运行”。
place = 单元格 { $cell } 第 { $line } 行
cell = 单元格
    .ok = 已运行
    .error = 已停止
    .refused = 不允许
    .limited = 因限制而停止
    .unrun = 未运行
run-cell = 运行
run-cell-hint = 从头运行到这个单元格
add-cell = 在下方新建单元格
fold = 折叠这个单元格
more = 全部显示
less = 收起
file = 文件
open = 打开 .py、.ipynb、.md 或 .trace 文件，不超过 { $file } MB
upload =
    .choose = 选择文件
    .drop = 或拖到这里
    .open = 打开…
    .add = 添加文件…
    .over = 松开鼠标：打开程序，或为程序添加数据文件
files = 数据文件…
files-hint = 程序按文件名打开这些文件，不管写的是哪个文件夹：open("names.txt")、pd.read_csv("data/iris.csv")。文件只在本次会话中保留。
files-missing = 将 { $name } 拖到这里（不超过 { $file } MB）
files-drop = 添加程序要读的文件：最多 { $count } 个，每个 { $file } MB，合计 { $all } MB
files-remove = 移除 { $name }
files-refused = { $why ->
        [file] { $name } 太大：单个文件最多 { $most }。请截取一部分。
        [all] 加上 { $name } 后共 { $size }，合计最多 { $most }。
       *[count] 放不下 { $name }：最多 { $most } 个文件。
    }{ $why ->
        [file] {""}
       *[other] { $where ->
            [data] 请先在“程序”页的“文件”菜单中移除一个。
            [command] {""}
           *[menu] 请先移除一个。
        }
    }
undo = 撤销
mark-cell = 单元格 { $cell }：
backwards = 程序中的反向传播调用
panel = 输出和问题
no-problems = 没有问题。
repair = 应用
repair-hint = 把这处改动写进程序并运行
repair-goes-on = 这样修改后可继续运行；之后第 { $line } 行因其他原因停止
repair-runs = 这样修改后可运行{ $fact ->
        [none] 。
       *[other] ：{ $fact }
    }
repair-tried = 正在试运行一处修改……
problem-stopped-cell = 单元格 { $cell } 停止了。
problem-stopped-in = 单元格 { $cell } 停在第 { $line } 行。
problem-not-python-in = 单元格 { $cell } 第 { $line } 行不符合 Python 语法。
seen = 视图
seen-graph = 计算图
seen-values = 数值
seen-memory = 内存
seen-influence = 影响
line-empty = 程序是空的。
line-variables = 变量
line-first = 要画出计算图，需要一个 requires_grad=True 的张量，以及用它算出的结果。例如：
line-add = 加入这几行
line-none = { $cell ->
    [0] 程序中没有张量。
   *[other] 单元格 { $cell } 中没有张量。
}
editor-number = 第 { $line } 行的数。可拖动数值，或使用方向键
editor-leave = Tab 键用于缩进。要离开编辑区，请先按 Esc，再按 Tab。
editor-unknown-call = 没有关于 { $name } 的说明。
