"""What a report says, apart from how it looks: sections, sentences, tables, pictures, facts."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from optimargin.experiments.figures import Picture
from optimargin.experiments.tables import Table


@dataclass(frozen=True)
class Section:
    """The start of a section."""

    title: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; a lead stands out."""

    text: str
    lead: bool = False


@dataclass(frozen=True)
class Facts:
    """Names and values, such as settings and versions."""

    entries: Mapping[str, str]


Block = Section | Paragraph | Facts | Table | Picture


class Document:
    """A title and blocks in order; written as a web page or as Markdown.

    Examples
    --------
    >>> from optimargin.experiments.document import Document
    >>> document = Document("A title")
    >>> document.lead("What was found.")
    >>> "<h1>A title</h1>" in document.to_html()
    True
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.blocks: list[Block] = []

    def add(self, *blocks: Block) -> None:
        """Add blocks as they are."""
        self.blocks.extend(blocks)

    def section(self, title: str) -> None:
        """Start a section."""
        self.add(Section(title))

    def lead(self, text: str) -> None:
        """Add a paragraph that stands out."""
        self.add(Paragraph(text, lead=True))

    def text(self, text: str) -> None:
        """Add a paragraph."""
        self.add(Paragraph(text))

    def facts(self, entries: Mapping[str, str]) -> None:
        """Add names with values."""
        self.add(Facts(dict(entries)))

    def to_html(self) -> str:
        """One self-contained page."""
        from optimargin.experiments.html import page

        return page(self)

    def to_markdown(self, picture_folder: str) -> str:
        """Markdown that refers to the pictures as files in a folder beside it."""
        parts = [f"# {self.title}"]
        for block in self.blocks:
            match block:
                case Section(title):
                    parts.append(f"## {title}")
                case Paragraph(text, lead):
                    parts.append(f"> {text}" if lead else text)
                case Facts(entries):
                    parts.append("\n".join(f"- {name}: {text}" for name, text in entries.items()))
                case Table():
                    parts.append(block.to_markdown())
                case Picture(name, caption):
                    parts.append(f"![{caption}]({picture_folder}/{name}.svg)\n\n*{caption}*")
        return "\n\n".join(parts) + "\n"

    def write_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the page, whole or not at all."""
        return _write(Path(path), self.to_html())

    def write_markdown(self, path: str | os.PathLike[str]) -> Path:
        """Write the Markdown, and its pictures into a folder of the same name."""
        target = Path(path)
        folder = target.with_suffix("")
        folder.mkdir(parents=True, exist_ok=True)
        for block in self.blocks:
            if isinstance(block, Picture):
                _write(folder / f"{block.name}.svg", block.svg)
        return _write(target, self.to_markdown(folder.name))


def _write(target: Path, text: str) -> Path:
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_text(text, encoding="utf-8")
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return target
