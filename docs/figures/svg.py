"""A small SVG writer and the axes the figures need; Python's standard library only.

Pictures are measured in pixels, x to the right and y down. Every number is written with a fixed number of digits, so
the same data give the same bytes.
"""

import math
from xml.sax.saxutils import escape

FONT = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
INK = "#222222"     # text and axes
SOFT = "#6b6b6b"    # secondary text
GRID = "#e4e4e4"
WHITE = "#ffffff"

SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(x):
    """A coordinate: two decimals, without trailing zeros and without -0."""
    s = f"{x:.2f}".rstrip("0").rstrip(".")
    return "0" if s in ("-0", "") else s


def scientific(x):
    """6.65 × 10⁻¹⁵, or 0."""
    if x == 0:
        return "0"
    mantissa, exponent = f"{x:.2e}".split("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(SUPERSCRIPTS)}"


def mix(a, b, weight):
    """The colour between a (weight 0) and b (weight 1), each as #rrggbb."""
    channels = (round(int(a[i:i + 2], 16) * (1 - weight) + int(b[i:i + 2], 16) * weight) for i in (1, 3, 5))
    return "#" + "".join(f"{c:02x}" for c in channels)


def nice_ticks(low, high, count):
    """About `count` round numbers, 1, 2 or 5 times a power of ten apart, within [low, high]; and their decimals."""
    raw = (high - low) / count
    power = math.floor(math.log10(raw))
    factor = next(f for f in (1, 2, 5, 10) if f * 10**power >= raw * 0.999)
    step = factor * 10**power
    decimals = max(0, -power - (factor == 10))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [i * step for i in range(first, last + 1)], decimals


def tick_label(value, decimals):
    return f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", "−")


class Picture:
    """Elements in drawing order on a white rounded sheet, so that it reads on light and on dark pages."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.defs, self.body = [], []
        self.rect(0.5, 0.5, width - 1, height - 1, fill=WHITE, stroke="#d8d8d8", rx=10)

    def add(self, tag, content=None, **attributes):
        """One element; None attributes are left out, '_' in a name stands for '-'."""
        written = "".join(f' {name.rstrip("_").replace("_", "-")}="{number(v) if isinstance(v, (int, float)) else v}"'
                          for name, v in attributes.items() if v is not None)
        self.body.append(f"<{tag}{written}/>" if content is None else f"<{tag}{written}>{content}</{tag}>")

    def rect(self, x, y, width, height, fill="none", stroke=None, rx=None, **more):
        self.add("rect", x=x, y=y, width=width, height=height, fill=fill, stroke=stroke, rx=rx, **more)

    def circle(self, x, y, r, fill="none", stroke=None, **more):
        self.add("circle", cx=x, cy=y, r=r, fill=fill, stroke=stroke, **more)

    def line(self, x1, y1, x2, y2, stroke=INK, width=1, **more):
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width, **more)

    def polyline(self, points, stroke=INK, width=1.5, fill="none", **more):
        """A curve through points; those that the rounding of coordinates makes equal are written once."""
        written = [f"{number(x)},{number(y)}" for x, y in points]
        kept = [p for i, p in enumerate(written) if i == 0 or p != written[i - 1]]
        self.add("polyline", points=" ".join(kept), fill=fill, stroke=stroke, stroke_width=width,
                 stroke_linejoin="round", stroke_linecap="round", **more)

    def text(self, x, y, words, size=12, fill=INK, anchor="start", bold=False, halo=False, **more):
        """A line of text. anchor: start, middle, end. halo: a white rim that keeps it legible over lines."""
        rim = {"stroke": WHITE, "stroke_width": 3, "stroke_linejoin": "round", "paint_order": "stroke"} if halo else {}
        self.add("text", escape(words), x=x, y=y, font_size=size, fill=fill,
                 text_anchor=None if anchor == "start" else anchor, font_weight="bold" if bold else None, **rim, **more)

    def arrow(self, x, y, dx, dy, stroke=INK, width=2, head=8):
        """An arrow from (x, y) to (x + dx, y + dy); the head shrinks with a short arrow."""
        length = math.hypot(dx, dy)
        if length < 0.5:
            return
        ux, uy = dx / length, dy / length
        head = min(head, 0.75 * length)
        bx, by = x + dx - head * ux, y + dy - head * uy
        self.line(x, y, bx + 0.3 * head * ux, by + 0.3 * head * uy, stroke, min(width, 0.5 * head))
        corners = ((x + dx, y + dy), (bx - 0.45 * head * uy, by + 0.45 * head * ux),
                   (bx + 0.45 * head * uy, by - 0.45 * head * ux))
        self.add("polygon", points=" ".join(f"{number(a)},{number(b)}" for a, b in corners), fill=stroke)

    def shade(self, colour):
        """The fill of a ball of this colour, lit from the upper left."""
        name = "ball-" + colour[1:]
        stops = ((0, mix(colour, WHITE, 0.62)), (0.45, colour), (1, mix(colour, "#000000", 0.22)))
        gradient = (f'<radialGradient id="{name}" cx="0.5" cy="0.5" r="0.62" fx="0.33" fy="0.3">'
                    + "".join(f'<stop offset="{at}" stop-color="{c}"/>' for at, c in stops) + "</radialGradient>")
        if gradient not in self.defs:
            self.defs.append(gradient)
        return f"url(#{name})"

    def clip(self, x, y, width, height):
        """The reference to a rectangle, for clip_path."""
        name = f"clip-{number(x)}-{number(y)}-{number(width)}-{number(height)}".replace(".", "_")
        path = (f'<clipPath id="{name}"><rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
                f'height="{number(height)}"/></clipPath>')
        if path not in self.defs:
            self.defs.append(path)
        return f"url(#{name})"

    def write(self, path):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(self.width)} {number(self.height)}" '
                f'width="{number(self.width)}" height="{number(self.height)}" font-family="{FONT}" role="img">')
        lines = [head, f"<title>{escape(self.title)}</title>"]
        if self.defs:
            lines += ["<defs>", *self.defs, "</defs>"]
        path.write_text("\n".join([*lines, *self.body, "</svg>", ""]), encoding="utf-8")


class Axes:
    """A rectangle of a picture that shows the data range [x0, x1] × [y0, y1], y up."""

    def __init__(self, picture, left, top, width, height, x_range, y_range):
        self.picture = picture
        self.left, self.top, self.width, self.height = left, top, width, height
        self.x0, self.x1 = x_range
        self.y0, self.y1 = y_range

    @classmethod
    def equal(cls, picture, left, top, scale, x_range, y_range):
        """Axes with the same scale, in pixels a unit, both ways."""
        return cls(picture, left, top, scale * (x_range[1] - x_range[0]), scale * (y_range[1] - y_range[0]),
                   x_range, y_range)

    @property
    def right(self):
        return self.left + self.width

    @property
    def bottom(self):
        return self.top + self.height

    def x(self, value):
        return self.left + (value - self.x0) / (self.x1 - self.x0) * self.width

    def y(self, value):
        return self.bottom - (value - self.y0) / (self.y1 - self.y0) * self.height

    def at(self, x, y):
        return self.x(x), self.y(y)

    def frame(self, x_label="", y_label="", x_count=8, y_count=6, grid=True, size=12):
        """The box with ticks at round numbers, their labels and the names of the axes."""
        p = self.picture
        xs, x_decimals = nice_ticks(self.x0, self.x1, x_count)
        ys, y_decimals = nice_ticks(self.y0, self.y1, y_count)
        if grid:
            for value in xs:
                p.line(self.x(value), self.top, self.x(value), self.bottom, GRID)
            for value in ys:
                p.line(self.left, self.y(value), self.right, self.y(value), GRID)
        p.rect(self.left, self.top, self.width, self.height, stroke="#9a9a9a")
        for value in xs:
            p.line(self.x(value), self.bottom, self.x(value), self.bottom + 4, "#9a9a9a")
            p.text(self.x(value), self.bottom + 6 + size, tick_label(value, x_decimals), size, anchor="middle")
        widest = 0
        for value in ys:
            label = tick_label(value, y_decimals)
            widest = max(widest, len(label))
            p.line(self.left - 4, self.y(value), self.left, self.y(value), "#9a9a9a")
            p.text(self.left - 8, self.y(value) + 0.36 * size, label, size, anchor="end")
        if x_label:
            p.text(self.left + self.width / 2, self.bottom + 12 + 2.2 * size, x_label, size + 1, anchor="middle")
        if y_label:
            x, y = self.left - 18 - 0.6 * size * widest, self.top + self.height / 2
            p.text(x, y, y_label, size + 1, anchor="middle", transform=f"rotate(-90 {number(x)} {number(y)})")

    def polyline(self, xs, ys, stroke, width=1.5, **more):
        self.picture.polyline([self.at(x, y) for x, y in zip(xs, ys)], stroke, width,
                              clip_path=self.picture.clip(self.left, self.top, self.width, self.height), **more)

    def steps(self, times, values, stroke, width=1.5):
        """A piecewise constant function: values[i] holds from times[i - 1] to times[i], values[0] at times[0] only."""
        xs, ys = [], []
        for before, after, value in zip(times, times[1:], values[1:]):
            xs += [before, after]
            ys += [value, value]
        self.polyline(xs, ys, stroke, width)

    def legend(self, entries, corner="top right", size=12):
        """Lines of (label, colour, width) on a white ground in a corner of the axes."""
        p, row = self.picture, size + 7
        width = 58 + 0.6 * size * max(len(label) for label, _, _ in entries)
        height = row * len(entries) + 9
        x = self.left + 12 if "left" in corner else self.right - 12 - width
        y = self.top + 12
        if "bottom" in corner:
            y = self.bottom - 12 - height
        elif "center" in corner:
            y = self.top + (self.height - height) / 2
        p.rect(x, y, width, height, fill=WHITE, stroke="#c8c8c8", rx=4)
        for i, (label, colour, width) in enumerate(entries):
            middle = y + 4.5 + row * (i + 0.5)
            p.line(x + 10, middle, x + 38, middle, colour, width)
            p.text(x + 46, middle + 0.36 * size, label, size)
