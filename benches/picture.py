#!/usr/bin/env python3
"""Draws the first table of BENCHMARKS.md as docs/speed.svg.

Usage: benches/picture.py [--check]

With --check nothing is written; the exit status is 1 if the picture is not
that of the table.
"""

import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PICTURE = ROOT / "docs" / "speed.svg"

# The columns of the table before the times, and the colour of each column of times.
NAMES = 3
COLOURS = ["#0a7d4b", "#c8502d", "#7a4fb5", "#8a8a8a"]

LEFT, RIGHT, TOP, ROW, WIDTH, FOOT = 330, 70, 84, 28, 860, 34
LEAST, MOST = 0.005, 20.0


def table(text):
    """The cells of the first table, without the line below its head."""
    lines = iter(text.splitlines())
    rows = []
    for line in lines:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[0], rows[2:]


def seconds(cell):
    """The time in a cell, None where there is none."""
    return float(cell.split()[0]) if cell.endswith(" s") else None


def place(time):
    """Where a time stands on the axis."""
    share = math.log(time / LEAST) / math.log(MOST / LEAST)
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def text(x, y, words, anchor="start", colour="#222", weight="normal"):
    words = words.replace("&", "&amp;").replace("<", "&lt;").replace("`", "")
    return (
        f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}" '
        f'font-weight="{weight}">{words}</text>'
    )


def dot(x, y, colour, is_ours):
    radius = 6.5 if is_ours else 4.5
    return f'<circle cx="{x:.1f}" cy="{y:.0f}" r="{radius}" fill="{colour}"/>'


def picture(head, rows):
    height = TOP + ROW * len(rows) + FOOT
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        text(16, 26, "Seconds from file to file, on a logarithmic scale: left is faster", weight="bold"),
    ]
    x = 16
    for name, colour in zip(head[NAMES:], COLOURS):
        out.append(dot(x + 6, 48, colour, colour == COLOURS[0]))
        out.append(text(x + 18, 52, name))
        x += 42 + 7.4 * len(name)
    out.append(text(WIDTH - 12, 72, "the next: so much slower", "end", "#666"))
    bottom = TOP + ROW * len(rows)
    for time in (0.01, 0.1, 1, 10):
        at = place(time)
        out.append(f'<path d="M{at:.1f} {TOP - 6}V{bottom}" stroke="#ddd"/>')
        out.append(text(at, bottom + 18, f"{time:g} s", "middle", "#666"))
    for k, row in enumerate(rows):
        y = TOP + ROW * k + ROW / 2
        times = [seconds(cell) for cell in row[NAMES:]]
        known = [time for time in times if time]
        out.append(text(LEFT - 14, y + 4, f"{row[0]}, {row[1]}, {row[2]}", "end"))
        ends = place(min(known)), place(max(known))
        out.append(f'<path d="M{ends[0]:.1f} {y:.0f}H{ends[1]:.1f}" stroke="#bbb" stroke-width="2"/>')
        marks = list(zip(times, COLOURS))
        for time, colour in reversed(marks):
            if time:
                out.append(dot(place(time), y, colour, colour == COLOURS[0]))
        ratio = min(time for time in times[1:] if time) / times[0]
        shown = f"{ratio:.1f}×" if ratio < 10 else f"{ratio:.0f}×"
        out.append(text(WIDTH - 12, y + 4, shown, "end", COLOURS[0], "bold"))
    out.append("</svg>")
    return "\n".join(out) + "\n"


def main():
    made = picture(*table((ROOT / "BENCHMARKS.md").read_text()))
    if sys.argv[1:] == ["--check"]:
        if not PICTURE.exists() or PICTURE.read_text() != made:
            sys.exit("docs/speed.svg is not the picture of BENCHMARKS.md; run benches/picture.py")
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        PICTURE.write_text(made)


if __name__ == "__main__":
    main()
