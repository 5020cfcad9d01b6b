"""Tables in their forms, documents as web page and Markdown."""

import csv
import io
from html.parser import HTMLParser

import pytest

from optimargin.experiments.document import Document
from optimargin.experiments.figures import Picture
from optimargin.experiments.tables import Entry, Table, percent, points, seconds

NAN = float("nan")


@pytest.fixture
def table():
    rows = (
        (Entry("a|b"), Entry("1.5*", 1.5, True), Entry("good <b>")),
        (Entry("longer name"), Entry("-"), Entry("bad")),
    )
    return Table("A title", ("method", "score", "remark"), rows, ("A note & more.",))


def test_text_is_aligned(table):
    assert str(table).splitlines() == [
        "A title",
        "",
        "method       score    remark",
        "-----------  -----  --------",
        "a|b           1.5*  good <b>",
        "longer name      -       bad",
        "",
        "A note & more.",
    ]


def test_markdown(table):
    lines = table.to_markdown().splitlines()
    assert lines[3] == "| --- | ---: | --- |"
    assert lines[4] == r"| a\|b | **1.5\*** | good <b> |"
    assert lines[-1] == "- A note & more."


def test_csv_is_read_back(table):
    found = list(csv.reader(io.StringIO(table.to_csv())))
    assert found == [["method", "score", "remark"], ["a|b", "1.5*", "good <b>"],
                     ["longer name", "-", "bad"]]  # fmt: skip


def test_html_is_well_formed_and_escaped(table):
    text = table.to_html()
    assert "good &lt;b&gt;" in text
    assert 'data-value="1.5"' in text
    assert 'data-label="score"' in text
    assert well_formed(text)


@pytest.mark.parametrize(
    ("value", "percents", "difference", "duration"),
    [
        (NAN, "-", "-", "-"),
        (0.98765, "98.8", "+98.8", "0.99 s"),
        (0.0004, "0.0", "0.0", "0.4 ms"),
        (-0.0004, "-0.0", "0.0", None),
        (0.0123, "1.2", "+1.2", "12 ms"),
        (25.2, "2520.0", "+2520.0", "25 s"),
    ],
)
def test_numbers_as_they_are_shown(value, percents, difference, duration):
    assert percent(value) == percents
    assert points(value) == difference
    if duration is not None:
        assert seconds(value) == duration


def test_document_as_page_and_as_markdown(tmp_path, table):
    document = Document("Title <1>")
    document.section("First")
    document.lead("What was found.")
    document.text("And more.")
    document.facts({"Splits": "3"})
    svg = '<svg><defs><path id="p"/></defs><use xlink:href="#p"/></svg>'
    document.add(table, Picture("one", "A caption", svg), Picture("two", "Another", svg))
    page = document.write_html(tmp_path / "report.html").read_text()
    assert "<h1>Title &lt;1&gt;</h1>" in page
    assert well_formed(page)
    # Two figures on one page: the parts of one are not those of the other.
    assert page.count(' id="p"') == 0
    assert page.count('-p"/>') == 4
    text = document.write_markdown(tmp_path / "results.md").read_text()
    assert text.startswith(
        "# Title <1>\n\n## First\n\n> What was found.\n\nAnd more.\n\n- Splits: 3"
    )
    assert "![A caption](results/one.svg)" in text
    assert (tmp_path / "results" / "two.svg").read_text() == svg
    assert not list(tmp_path.glob(".*"))


class Balance(HTMLParser):
    """Do tags open and close in order?"""

    void = ("meta", "link", "path", "use", "br", "img", "rect")

    def __init__(self):
        super().__init__()
        self.open = []
        self.good = True

    def handle_starttag(self, tag, attributes):
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if tag not in self.void:
            self.good &= bool(self.open) and self.open.pop() == tag


def well_formed(text):
    parser = Balance()
    parser.feed(text)
    return parser.good and not parser.open
