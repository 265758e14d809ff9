"""Fonts that a confined child can open, with a Chinese font as fallback."""

import logging
import os

from matplotlib import font_manager
from matplotlib._mathtext import UnicodeFonts

from explorer.paths import FONT_FOLDERS

_FIRST_CHINESE = "\u2e80"
# Font families with Chinese characters. The first installed family is the fallback of all fonts.
_CHINESE = (
    *("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei"),
    *("Microsoft YaHei", "SimHei", "PingFang SC", "Hiragino Sans GB", "Heiti SC"),  # on Windows and macOS
)
# Chinese font families of other systems that programs ask for.
_ELSEWHERE = (
    *("SimHei", "SimSun", "KaiTi", "FangSong", "Microsoft YaHei", "DengXian", "PingFang SC", "PingFang HK"),
    *("Heiti SC", "Heiti TC", "STHeiti", "Songti SC", "STSong", "STKaiti", "Hiragino Sans GB", "Arial Unicode MS"),
    *("Noto Sans CJK JP", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Source Han Sans CN"),
)


def prepare_fonts() -> None:
    """Find the fonts, once in a parent for all its children."""
    own = os.path.dirname(os.path.dirname(font_manager.__file__))
    folders = tuple(map(os.path.normcase, (own, *FONT_FOLDERS)))
    fonts = font_manager.fontManager
    fonts.ttflist = [font for font in fonts.ttflist if os.path.normcase(font.fname).startswith(folders)]
    regular = {font.name: font for font in reversed(fonts.ttflist) if font.weight == 400 and font.style == "normal"}
    chosen = next((regular[name] for name in _CHINESE if name in regular), None)
    if chosen is not None:
        _complete(chosen)
        names = {font.name for font in fonts.ttflist}
        look = (chosen.style, chosen.variant, chosen.weight, chosen.stretch, chosen.size)
        missing = [name for name in _ELSEWHERE if name not in names]
        fonts.ttflist += [font_manager.FontEntry(chosen.fname, chosen.index, name, *look) for name in missing]
    for name in ("matplotlib.font_manager", "matplotlib.mathtext"):
        logging.getLogger(name).addFilter(_once())


def _complete(chosen: font_manager.FontEntry) -> None:
    """Make this font the fallback for missing characters, also in formulas."""
    fonts = font_manager.fontManager
    completing, find, glyph = font_manager.FontPath(chosen.fname, chosen.index), fonts._find_fonts_by_props, _glyph

    def completed(*arguments, **options):
        paths = find(*arguments, **options)
        return paths if completing in paths else [*paths, completing]

    def completed_glyph(self, fontname: str, font_class: str, sym: str):
        if len(sym) == 1 and sym >= _FIRST_CHINESE:
            return font_manager.get_font(completing), ord(sym), False
        return glyph(self, fontname, font_class, sym)

    fonts._find_fonts_by_props = completed
    UnicodeFonts._get_glyph = completed_glyph  # type: ignore[method-assign]


_glyph = UnicodeFonts._get_glyph


def _once():
    """Create a log filter that passes each message once.

    matplotlib repeats that a font is missing for every text.
    """
    seen: set[str] = set()

    def new(record: logging.LogRecord) -> bool:
        message = record.getMessage()
        first = message not in seen
        seen.add(message)
        return first

    return new
