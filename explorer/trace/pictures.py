"""Check a figure by its first bytes before a browser gets it; nothing is decoded."""

import struct

from explorer.trace.outputs import Figure

SVG_BYTES = 250_000
DOT_BYTES = 100_000
PIXELS = 12_000_000  # of a PNG
FRAME_PIXELS = 1_000_000  # of each frame of a GIF
ALT_LENGTH = 500  # characters that say what a picture shows
_PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
_GIF = (b"GIF87a", b"GIF89a")


def png_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, None if the bytes are no PNG."""
    size = len(_PNG)
    return struct.unpack_from(">II", data, size) if data.startswith(_PNG) and len(data) >= size + 8 else None


def gif_size(data: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, None if the bytes are no GIF."""
    return struct.unpack_from("<HH", data, 6) if data.startswith(_GIF) and len(data) >= 10 else None


def faulty(figure: Figure) -> str:
    """The fault of a figure; "" if it may be shown."""
    if figure.format in ("svg", "png", "gif") and not (figure.width and figure.height):
        return "a picture without a size"
    match figure.format:
        case "png" | "gif":
            size = png_size(figure.data) if figure.format == "png" else gif_size(figure.data)
            most = PIXELS if figure.format == "png" else FRAME_PIXELS
            if size is None or not 0 < size[0] * size[1] <= most:
                return f"no {figure.format} of at most {most} pixels"
        case "svg" | "dot" | "plotly":
            if len(figure.data) > {"svg": SVG_BYTES, "dot": DOT_BYTES}.get(figure.format, len(figure.data)):
                return f"too much {figure.format}"
            try:
                figure.data.decode()
            except UnicodeDecodeError:
                return f"{figure.format} that is no text"
        case "":
            return "an empty figure with content" if figure.data else ""
    return ""
