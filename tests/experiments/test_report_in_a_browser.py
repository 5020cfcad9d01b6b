"""The report in a real browser: no errors, no network, sorts, fits a phone, prints."""

import shutil

import pytest

from optimargin.experiments.document import Document
from optimargin.experiments.paper import figures
from optimargin.experiments.tables import Entry, Table


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if found is None:
        pytest.skip("no chromium on this machine: `make browser` installs it where apt-get can")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    document = Document("A report")
    for number in range(3):
        document.section(f"Section {number}")
        document.lead("A sentence that is long enough to be wrapped on the screen of a phone.")
    rows = [("b", 10.0, "words"), ("a", 9.5, "other"), ("c", None, "more"), ("d", 110.0, "last")]
    entries = tuple(
        (Entry(name), Entry("-" if value is None else f"{value}", value), Entry(text),
         *(Entry(f"{column}.5", column) for column in range(12)))
        for name, value, text in rows
    )  # fmt: skip
    columns = ("method", "score", "remark", *(f"column {i}" for i in range(12)))
    document.add(Table("Scores", columns, entries, ("A note.",)))
    document.add(figures.losses(), figures.scores_over_thresholds())
    identity = '{"settings": {"estimator__with_a_very_long_name_without_any_space": 1}}' * 3
    document.facts({"Method": identity})
    return document.write_html(tmp_path_factory.mktemp("report") / "report.html")


@pytest.fixture
def visit(browser, report):
    """Open the report; what it says on the console or asks of the network is an error."""
    pages = []

    def open_page(width=1100):
        page = browser.new_page(viewport={"width": width, "height": 800})
        page.complaints = []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda one: one.url == report.as_uri() or one.url.startswith("data:")
                or page.complaints.append(one.url))  # fmt: skip
        page.goto(report.as_uri())
        pages.append(page)
        return page

    yield open_page
    complaints = [text for page in pages for text in page.complaints]
    for page in pages:
        page.close()
    assert complaints == []


def column(page, number):
    return page.eval_on_selector_all(
        "table.sortable tbody tr", f"rows => rows.map(row => row.cells[{number}].textContent)"
    )


def test_loads_and_shows_figures(visit):
    page = visit()
    assert page.title() == "A report"
    sizes = page.eval_on_selector_all("svg", "all => all.map(s => s.getBoundingClientRect().width)")
    assert len(sizes) == 2
    assert min(sizes) > 300
    assert page.locator("nav a").count() == 3


def test_tables_sort_by_number_and_by_word(visit):
    page = visit()
    score = page.locator("thead th", has_text="score").locator("button")
    score.click()
    assert column(page, 0) == ["d", "b", "a", "c"]
    assert page.get_attribute("thead th:nth-child(2)", "aria-sort") == "descending"
    score.click()
    assert column(page, 0)[:3] == ["a", "b", "d"]
    page.locator("thead th", has_text="method").locator("button").focus()
    page.keyboard.press("Enter")
    assert column(page, 0) == ["d", "c", "b", "a"]
    assert page.get_attribute("thead th:nth-child(2)", "aria-sort") is None


@pytest.mark.parametrize("width", [360, 768, 1100])
def test_nothing_sticks_out_at_any_width(visit, width):
    page = visit(width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    rights = page.evaluate(
        "[...document.querySelectorAll('main *')].filter(e => !e.closest('thead'))"
        ".map(e => e.getBoundingClientRect().right)"
    )
    assert max(rights) <= width


def test_a_phone_shows_the_names_of_columns(visit):
    page = visit(360)
    content = page.evaluate(
        "getComputedStyle(document.querySelector('tbody td'), '::before').content"
    )
    assert content == '"score"'


def test_a_tap_enlarges_a_figure_without_widening_the_page(visit):
    page = visit(360)
    width = "document.querySelector('figure.picture svg').getBoundingClientRect().width"
    before = page.evaluate(width)
    page.locator("figure.picture svg").first.click()
    assert page.evaluate(width) > 1.8 * before
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.locator("figure.picture svg").first.click()
    assert page.evaluate(width) == before


def test_prints_on_few_pages(visit):
    printed = visit().pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert 1 <= printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") <= 6
