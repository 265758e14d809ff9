# 程序绘制的图。

figure-alt = 图：{ $words }
figure-alt-graph = 图结构
figure-alt-none = 没有标题和标签的图
figure-graph-undrawn = Graphviz 无法画出这个图：DOT 有语法错误，或者图太大。下面是它的 DOT：
figure-of-old-run = 这次运行由较早的版本保存，其中没有保存图像。重新运行程序即可看到图。
