"""A table as a small record, and its forms: plain text, Markdown, HTML, CSV."""

import csv
import html
import io
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """What a table shows in one place, and the number by which it sorts."""

    text: str
    value: float | None = None
    strong: bool = False


@dataclass(frozen=True)
class Table:
    """Columns, rows and remarks; the first column names the row."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self) -> str:
        """Aligned columns for a terminal."""
        cells = [list(self.columns), *([entry.text for entry in row] for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        lines = [self.title, ""]
        for number, row in enumerate(cells):
            padded = [row[0].ljust(widths[0])]
            padded += [text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True)]
            lines.append("  ".join(padded).rstrip())
            if number == 0:
                lines.append("  ".join("-" * width for width in widths))
        return "\n".join([*lines, *self._remarks("")])

    def to_markdown(self) -> str:
        """A pipe table under a bold title."""
        lines = [f"**{self.title}**", ""]
        lines.append("| " + " | ".join(_escaped(name) for name in self.columns) + " |")
        marks = ["---" if words else "---:" for words in self._of_words()]
        lines.append("| " + " | ".join(marks) + " |")
        for row in self.rows:
            texts = [
                f"**{_escaped(entry.text)}**" if entry.strong else _escaped(entry.text)
                for entry in row
            ]
            lines.append("| " + " | ".join(texts) + " |")
        return "\n".join([*lines, *self._remarks("- ")])

    def to_html(self) -> str:
        """A table that sorts by a click on a heading, and stacks on a narrow screen."""
        words = self._of_words()
        heads = "".join(
            f'<th scope="col"{_KIND[is_words]}>'
            f'<button type="button">{html.escape(name)}</button></th>'
            for name, is_words in zip(self.columns, words, strict=True)
        )
        body = "".join(f"<tr>{self._html_row(row, words)}</tr>\n" for row in self.rows)
        notes = "".join(f"<p class=note>{html.escape(note)}</p>" for note in self.notes)
        kind = "sortable wide" if len(self.columns) > _WIDE else "sortable"
        table = (
            f'<table class="{kind}"><thead><tr>{heads}</tr></thead>\n'
            f"<tbody>{body}</tbody></table>{notes}"
        )
        title = html.escape(self.title)
        if len(self.rows) * len(self.columns) > _LARGE:
            # Stacked on a phone it would take many screens: there it is opened on demand.
            return f"<details class=table open><summary>{title}</summary>{table}</details>"
        return f"<figure class=table><figcaption>{title}</figcaption>{table}</figure>"

    def to_csv(self) -> str:
        """Texts as they are shown."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([entry.text for entry in row] for row in self.rows)
        return out.getvalue()

    def _of_words(self) -> list[bool]:
        """Which columns hold words: nothing in them is a number."""
        return [
            number == 0 or all(row[number].value is None for row in self.rows)
            for number in range(len(self.columns))
        ]

    def _html_row(self, row: Sequence[Entry], words: Sequence[bool]) -> str:
        parts = []
        for number, (name, entry) in enumerate(zip(self.columns, row, strict=True)):
            tag = 'th scope="row"' if number == 0 else "td"
            sort = "" if entry.value is None else f' data-value="{entry.value!r}"'
            classes = ["best"] * entry.strong + ["words"] * words[number]
            kind = f' class="{" ".join(classes)}"' if classes else ""
            label = f' data-label="{html.escape(name, quote=True)}"'
            parts.append(f"<{tag}{kind}{sort}{label}>{html.escape(entry.text)}</{tag[:2]}>")
        return "".join(parts)

    def _remarks(self, mark: str) -> list[str]:
        return ["", *(f"{mark}{note}" for note in self.notes)] if self.notes else []


_LARGE = 100
_WIDE = 10
_KIND = {True: " class=words", False: ""}


def percent(value: float, digits: int = 1) -> str:
    """A share as a percentage without its sign, a dash when there is none."""
    return "-" if value != value else f"{100 * value:.{digits}f}"


def points(value: float, digits: int = 1) -> str:
    """A difference of shares in percentage points, with its sign."""
    if value != value:
        return "-"
    text = f"{100 * value:+.{digits}f}"
    return text[1:] if float(text) == 0 else text


def seconds(value: float) -> str:
    """A duration with a unit that fits."""
    if value != value:
        return "-"
    if value < 0.0995:
        return f"{1000 * value:.2g} ms" if value < 0.00995 else f"{1000 * value:.0f} ms"
    return f"{value:.2g} s" if value < 9.95 else f"{value:.0f} s"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")
