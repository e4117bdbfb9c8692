#!/usr/bin/env python3
"""Prepares the pages of docs/ for mdBook, which calls this by book.toml.

The book has docs/ only. So pages beside that folder become chapters at its end, and
links from one page to another lead there; of other links that leave docs/, such as those to
source files, the text remains.
"""

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Pages outside of docs/ that become chapters: their names in the book, and titles.
OUTSIDE = {
    "README.md": ("overview.md", "Overview"),
    "BENCHMARKS.md": ("benchmarks.md", "Benchmarks"),
    "CHANGELOG.md": ("changes.md", "Changes"),
    "ARCHITECTURE.md": ("architecture.md", "Architecture"),
    "CONTRIBUTING.md": ("contributing.md", "Contributing"),
    "SECURITY.md": ("security.md", "Security"),
}

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def inside(text, folder):
    """Text of a page in folder (docs or the root), with links as the book has them."""

    def replaced(link):
        mark, shown, target = link.groups()
        if target.startswith(("https:", "http:", "#")):
            return link.group()
        name, hash_, anchor = target.partition("#")
        path = (folder / name).resolve().relative_to(ROOT)
        if str(path) in OUTSIDE:
            name = OUTSIDE[str(path)][0]
        elif str(path) == "docs/README.md":
            name = "index.md"
        elif path.parent.name == "docs":
            name = path.name
        else:
            return shown
        return f"{mark}[{shown}]({name}{hash_}{anchor})"

    # Code is left alone: every other part between fences.
    parts = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    return "".join(p if p.startswith("```") else LINK.sub(replaced, p) for p in parts)


def chapters(items):
    """All chapters, those below others too."""
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def outside_chapter(file, name, title):
    return {
        "Chapter": {
            "name": title,
            "content": inside((ROOT / file).read_text(), ROOT),
            "number": None,
            "sub_items": [],
            "path": name,
            "source_path": name,
            "parent_names": [],
        }
    }


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    _, book = json.load(sys.stdin)
    items = book["items"] if "items" in book else book["sections"]
    for chapter in chapters(items):
        chapter["content"] = inside(chapter["content"], ROOT / "docs")
    items.append({"PartTitle": "The project"})
    items += [outside_chapter(file, *names) for file, names in OUTSIDE.items()]
    json.dump(book, sys.stdout)


main()
