"""Convert matplotlib's animations to a GIF, which an image plays without scripts."""

import io
from base64 import b64encode
from typing import Any

from explorer.trace.outputs import FIGURE_BYTES, FRAME_PIXELS

MOST_FRAMES = 60  # frames that are kept; the program's function is called for all
_DPI = 72


def animation_html(animation: Any, *args, **options) -> str:
    """Replaces `Animation.to_jshtml`: an image that plays the frames in a loop."""
    gif = b64encode(animation_gif(animation)).decode()
    return f'<img src="data:image/gif;base64,{gif}" alt="animation">'


def animation_gif(animation: Any) -> bytes:
    """The frames of an animation, at most MOST_FRAMES of them evenly chosen."""
    frames = _frames(animation)
    pause = max(20, animation._interval)  # ms
    while True:
        file = io.BytesIO()
        first, *others = [frame.quantize(64) for frame in frames]
        first.save(file, "GIF", save_all=True, append_images=others, duration=pause, loop=0)
        if len(file.getvalue()) <= FIGURE_BYTES or len(frames) == 1:
            return file.getvalue()
        frames, pause = frames[::2], pause * 2


def _frames(animation: Any) -> list:
    figure = animation._fig
    across, down = figure.get_size_inches()
    dpi = min(_DPI, 0.99 * (FRAME_PIXELS / (across * down)) ** 0.5)
    frames, every = [], 1
    animation._init_draw()
    for number, data in enumerate(animation.new_saved_frame_seq()):
        animation._draw_next_frame(data, blit=False)
        if number % every == 0:
            frames.append(_frame(figure, dpi))
        if len(frames) > MOST_FRAMES:
            frames, every = frames[::2], every * 2
    return frames or [_frame(figure, dpi)]


def _frame(figure: Any, dpi: float) -> Any:
    from PIL import Image

    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    return Image.open(file).convert("RGB")
