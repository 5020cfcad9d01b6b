"""A document as one self-contained web page: tables that sort, no network, any width, prints."""

import html
from typing import TYPE_CHECKING

from optimargin.experiments.document import Block, Facts, Paragraph, Section
from optimargin.experiments.figures import Picture
from optimargin.experiments.tables import Table

if TYPE_CHECKING:
    from optimargin.experiments.document import Document


def page(document: "Document") -> str:
    """The whole page."""
    sections = [
        (f"b{number}", block.title)
        for number, block in enumerate(document.blocks)
        if isinstance(block, Section)
    ]
    contents = "".join(
        f'<li><a href="#{anchor}">{html.escape(title)}</a></li>' for anchor, title in sections
    )
    navigation = f"<nav><ul>{contents}</ul></nav>" if len(sections) > 2 else ""
    body = "\n".join(_part(block, f"b{number}") for number, block in enumerate(document.blocks))
    title = html.escape(document.title)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        # An empty icon: a browser would ask for one otherwise.
        f'<link rel="icon" href="data:,"><title>{title}</title><style>{_STYLE}</style></head>'
        f"<body><main><h1>{title}</h1>\n{navigation}\n{body}\n</main>"
        f"<script>{_SCRIPT}</script></body></html>\n"
    )


def _part(block: Block, anchor: str) -> str:
    match block:
        case Section(title):
            return f'<h2 id="{anchor}">{html.escape(title)}</h2>'
        case Paragraph(text, lead):
            return f"<p{' class=lead' if lead else ''}>{html.escape(text)}</p>"
        case Facts(entries):
            rows = "".join(
                f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>"
                for name, value in entries.items()
            )
            return f"<dl>{rows}</dl>"
        case Table():
            return block.to_html()
        case Picture(_, caption, svg):
            return (
                f'<figure class=picture><div role="img" aria-label="{html.escape(caption)}">'
                # Ids are unique inside a figure only; on one page they would get mixed up.
                f"{_own_ids(svg, f'{anchor}-')}</div>"
                f"<figcaption>{html.escape(caption)}</figcaption></figure>"
            )


def _own_ids(svg: str, prefix: str) -> str:
    for before in (' id="', 'xlink:href="#', "url(#"):
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
figure,details{margin:1.5rem 0}figcaption,summary{font-weight:600;margin-bottom:.4rem}
summary{cursor:pointer}
.picture figcaption,.note{font-weight:400;color:#444;font-size:.9rem}
.picture svg{width:100%;height:auto;max-width:46rem;display:block}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:.92rem}
th,td{padding:.25rem .5rem;border-bottom:1px solid var(--line);text-align:right}
td:not(.words){white-space:nowrap}td.words{overflow-wrap:anywhere;min-width:6rem}
.wide th,.wide td{padding:.2rem .3rem;font-size:.84rem;overflow-wrap:anywhere}
th.words,td.words{text-align:left}tbody th{font-weight:500}
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
tbody th,tbody td{overflow-wrap:anywhere}
tbody th,tbody td{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.1rem 0}
tbody th::before,tbody td::before{content:attr(data-label);font-weight:400;color:#555}
tbody th{font-weight:700}
dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}
.picture figcaption::after{content:" (Tap the figure to enlarge it.)"}
.picture div{overflow-x:auto}.picture.large svg{width:46rem;max-width:none}
}
@page{margin:12mm}
@media print{main{max-width:none;padding:0}nav{display:none}tr,figure.picture{break-inside:avoid}
h2,figcaption,summary{break-after:avoid}.picture svg{max-width:28rem}
body{font-size:9pt}table{font-size:8pt}th,td,.wide th,.wide td{padding:.08rem .2rem;font-size:8pt}
.wide th,.wide td{font-size:7pt}.picture figcaption,.note,dl{font-size:8pt}.note{margin:.2rem 0}
a{color:inherit}}
""".strip()

_SCRIPT = """
var large=document.querySelectorAll("details.table");
if(window.matchMedia("(max-width:48rem)").matches){large.forEach(function(one){one.open=false})}
window.addEventListener("beforeprint",function(){large.forEach(function(one){one.open=true})});
document.querySelectorAll("figure.picture").forEach(function(one){
one.firstElementChild.addEventListener("click",function(){one.classList.toggle("large")})});
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
