"""One self-contained HTML file: tables that sort, figures, settings; no network, any width."""

import html
import os
from collections.abc import Mapping
from pathlib import Path

from optimargin.experiments.figures import Picture
from optimargin.experiments.tables import Table


class Report:
    """Collects sections, and writes them as one page.

    Examples
    --------
    >>> from optimargin.experiments.report import Report
    >>> page = Report("A title")
    >>> page.lead("What was found.")
    >>> "<h1>A title</h1>" in page.to_html()
    True
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self._parts: list[str] = []
        self._sections: list[tuple[str, str]] = []

    def section(self, title: str) -> None:
        """Start a section."""
        anchor = f"s{len(self._sections) + 1}"
        self._sections.append((anchor, title))
        self._parts.append(f'<h2 id="{anchor}">{html.escape(title)}</h2>')

    def lead(self, text: str) -> None:
        """A sentence that stands out."""
        self._parts.append(f"<p class=lead>{html.escape(text)}</p>")

    def text(self, text: str) -> None:
        """A paragraph."""
        self._parts.append(f"<p>{html.escape(text)}</p>")

    def table(self, table: Table) -> None:
        """A table."""
        self._parts.append(table.to_html())

    def picture(self, picture: Picture) -> None:
        """A figure with its caption."""
        caption = html.escape(picture.caption)
        label = html.escape(picture.caption, quote=True)
        # Ids are unique inside a figure only; on one page they would refer to each other.
        drawing = _own_ids(picture.svg, f"f{len(self._parts)}-")
        self._parts.append(
            f'<figure class=picture><div role="img" aria-label="{label}">{drawing}</div>'
            f"<figcaption>{caption}</figcaption></figure>"
        )

    def facts(self, facts: Mapping[str, str]) -> None:
        """Names and values, such as settings and versions."""
        rows = "".join(
            f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>"
            for name, value in facts.items()
        )
        self._parts.append(f"<dl>{rows}</dl>")

    def to_html(self) -> str:
        """The whole page."""
        contents = "".join(
            f'<li><a href="#{anchor}">{html.escape(title)}</a></li>'
            for anchor, title in self._sections
        )
        navigation = f"<nav><ul>{contents}</ul></nav>" if len(self._sections) > 2 else ""
        body = "\n".join(self._parts)
        title = html.escape(self.title)
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            # An empty icon: a browser would ask for one otherwise.
            f'<link rel="icon" href="data:,"><title>{title}</title><style>{_STYLE}</style></head>'
            f"<body><main><h1>{title}</h1>\n{navigation}\n{body}\n</main>"
            f"<script>{_SCRIPT}</script></body></html>\n"
        )

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page, whole or not at all."""
        target = Path(path)
        partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
        try:
            partial.write_text(self.to_html(), encoding="utf-8")
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)
        return target


def _own_ids(svg: str, prefix: str) -> str:
    for before in ('id="', 'xlink:href="#', 'href="#', "url(#"):
        if before == 'href="#':
            continue  # Part of the one before it.
        svg = svg.replace(before, before + prefix)
    return svg


_STYLE = """
:root{color-scheme:light;--line:#d5d9de;--soft:#f4f6f8;--strong:#08306b}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1b1f24;background:#fff}
main{max-width:70rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem;line-height:1.2}h2{margin-top:2.2rem;border-bottom:1px solid var(--line)}
.lead{font-size:1.05rem;border-left:4px solid var(--strong);padding-left:.8rem}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;list-style:none;padding:0}
figure{margin:1.5rem 0}figcaption{font-weight:600;margin-bottom:.4rem}
.picture figcaption,.note{font-weight:400;color:#444;font-size:.9rem}
.picture svg{width:100%;height:auto;max-width:46rem;display:block}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:.25rem .5rem;border-bottom:1px solid var(--line);text-align:right;
overflow-wrap:anywhere}
th:first-child{text-align:left}tbody th{font-weight:500}
tbody tr:nth-child(even){background:var(--soft)}
.best{font-weight:700;color:var(--strong)}
th button{all:unset;cursor:pointer;font-weight:600}
th button:focus-visible{outline:2px solid var(--strong)}
th[aria-sort=ascending] button::after{content:" \\25B2"}
th[aria-sort=descending] button::after{content:" \\25BC"}
dl{display:grid;grid-template-columns:minmax(7rem,14rem) 1fr;gap:.2rem 1rem;font-size:.9rem}
dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}
@media (max-width:48rem){
table,tbody,tr{display:block}thead{position:absolute;left:-9999px;width:1px;overflow:hidden}
tbody tr{border:1px solid var(--line);border-radius:.4rem;margin:.5rem 0;padding:.3rem .6rem}
tbody th,tbody td{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.1rem 0}
tbody th::before,tbody td::before{content:attr(data-label);font-weight:400;color:#555}
tbody th{font-weight:700}
dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}
}
@media print{main{max-width:none;padding:0}nav{display:none}tr,figure.picture{break-inside:avoid}
body{font-size:10pt}a{color:inherit}}
""".strip()

_SCRIPT = """
document.querySelectorAll("table.sortable").forEach(function(table){
var heads=table.querySelectorAll("thead th"),body=table.tBodies[0];
heads.forEach(function(head,column){head.querySelector("button").addEventListener("click",function(){
var up=head.getAttribute("aria-sort")==="descending";
heads.forEach(function(other){other.removeAttribute("aria-sort")});
head.setAttribute("aria-sort",up?"ascending":"descending");
var rows=Array.prototype.slice.call(body.rows).map(function(row,place){
var cell=row.cells[column],value=cell.getAttribute("data-value");
return{row:row,place:place,number:value===null?null:parseFloat(value),text:cell.textContent}});
var numbers=rows.some(function(entry){return entry.number!==null});
rows.sort(function(a,b){var order;
if(numbers){if(a.number===null||b.number===null){
if(a.number===b.number){return a.place-b.place}return a.number===null?1:-1}
order=a.number-b.number}else{order=a.text.localeCompare(b.text)}
return(up?order:-order)||a.place-b.place});
rows.forEach(function(entry){body.appendChild(entry.row)})})})});
""".strip()
