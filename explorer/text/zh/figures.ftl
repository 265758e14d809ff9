# 程序绘制的图。

figure-alt = 图：{ $words }
figure-alt-none = 没有标题和标签的图
figure-of-old-run = 这次运行由较早的版本保存，其中没有图的画面。重新运行程序即可看到图。
