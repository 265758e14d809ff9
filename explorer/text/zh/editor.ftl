# 编辑器、单元，以及上下方的文字。

status-not-run = 尚未运行
status-typing = 正在输入
status-cells = { $count ->
   *[other] { $count } 个单元停止，首先是单元 { $cell }
}
page-not-run = 这个程序来自文件。请先阅读，再按“运行”。
place = 单元 { $cell } 第 { $line } 行
cell = 单元
cell-ok = 已运行
cell-error = 已停止
cell-refused = 被拒绝
cell-limited = 因限制而停止
cell-unrun = 未运行
run-cell = 运行
run-cell-hint = 从头运行到这个单元
add-cell = 在下方新建单元
fold = 折叠这个单元
more = 全部显示
less = 收起
file = 文件
open = 打开 .py、.ipynb 或 .md 文件，不超过 { $file } MB
upload-choose = 选择文件
upload-drop = 或拖到这里
files = 数据文件
files-hint = 程序按文件名打开它们，不论写的是哪个文件夹：open("names.txt")、pd.read_csv("data/iris.csv")。文件只留在本次会话中。
files-drop = 把程序要读的文件拖到这里：最多 { $count } 个，每个 { $file } MB，合计 { $all } MB
files-remove = 移除 { $name }
files-file = { $name } 有 { $size }，单个文件最多 { $most }。请截取一部分。
files-all = 加上 { $name } 后共 { $size }，合计最多 { $most }。请先移除其他文件。
files-count = 放不下 { $name }：已有 { $most } 个文件。请先移除一个。
undo = 撤销
mend-all = 全部修正（{ $count } 处）
mark-cell = 单元 { $cell }：
backwards = 程序中的反向传播调用
panel = 程序的结果
no-problems = 没有问题。
repair = 应用
repair-hint = 把这处改动写进程序并运行
problem-stopped-cell = 单元 { $cell } 停止了。
problem-stopped-in = 单元 { $cell } 停在第 { $line } 行。
problem-not-python-in = 单元 { $cell } 第 { $line } 行不是 Python。
tensors-made = 单元 { $cell } 的张量。自动求导没有参与。
tensor-name = 名称
tensor-type = 类型
editor-number = 第 { $line } 行的数。可拖动数值，或使用方向键
editor-unknown-call = 没有关于 { $name } 的说明。
