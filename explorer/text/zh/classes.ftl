# 班级页面 /class：一个链接，打开一份链接列表。

nav-classes = 班级链接
class-heading = 给全班的一个链接
class-lede = 写下全班要打开的内容：课程，以及“分享”复制的链接。列表就在链接里，服务器不保存任何内容。
class-title = 标题
class-lessons = 课程
class-choose = 选择课程
class-add = 添加
class-list = 链接，每行一个
class-example = 热身 | https://…
class-help = 写成“名称 | 地址”，也可以只写地址，或课程编号（例如 autograd/leaf）。地址须是本应用的，即“分享”复制的链接。
class-link = 给全班的链接
class-copy = 复制
class-copied = 已复制。
class-seen = 学生看到的页面：
class-untitled = 课堂练习
class-empty = 这份列表里没有链接。
class-change = 照此制作一份列表
class-large = 这份列表的链接有 { $size } 个字符，最多 { $most } 个。请减少程序或缩短程序。
class-wrong-other = 第 { $line } 行指向其他网站：“{ $text }”。列表里只能放本应用的链接。
class-wrong-page = 第 { $line } 行不是本应用的页面：“{ $text }”。
class-wrong-large = 第 { $line } 行太长，放不进链接：“{ $text }”。
class-wrong-unread = 第 { $line } 行既不是本应用的链接，也不是课程编号：“{ $text }”。请用“分享”复制链接，或在上面选择课程。
class-wrong-many = 从第 { $line } 行起超过 60 个链接：“{ $text }”及以后的行没有放进列表。
