"""Bounds of the house: each figure counts what it says, and nothing else."""

from pathlib import Path

import pytest
from house import BOUNDS, House
from pages import sentences

SOURCE = {
    "__init__.py": '"""A simulator."""\n',
    "kernels/__init__.py": '"""Kernels."""\n# 3 rounds: the fourth changes no bit\nROUNDS = 3\n',
    "kernels/sums.py": '"""Sums."""\nfrom coopsim.kernels import ROUNDS\nTOTAL = ROUNDS  # noqa: ERA001\n',
    "app/main.py": '"""Commands."""\nfrom coopsim.kernels.sums import TOTAL\nfrom coopsim.kernels import ROUNDS\n',
    "features/games/rules.py": '"""Rules."""\nLIMIT = 1\n',
}


def figures_with(
    folder: Path, path: str = "app/more.py", text: str = '"""More."""\n'
) -> tuple[House, dict[str, float]]:
    for name, content in (SOURCE | {path: text}).items():
        file = folder / "coopsim" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "tests" / "test_sums.py").write_text("\n" * 6)
    house = House(folder / "coopsim", folder / "tests")
    return house, house.figures()


@pytest.mark.parametrize(
    ("name", "text", "figure"),
    [
        ("locals", '"""More."""\nfound = 1\nrows = 2\nit = 3\n', 33.33),
        ("verbs", '"""More."""\ndef take_rows(): ...\ndef taken(): ...\nclass A:\n    def _look(self): ...\n', 2),
        ("smear", '"""More."""\nfrom coopsim.features.games.rules import LIMIT\n', 1),
        (
            "openings",
            '"""What more there is."""\nclass A:\n    """How it is."""\n    def is_on(self):\n        """Whether."""\n',
            2,
        ),
        ("openings", '"""One more."""\n', 1),
        ("docstrings", f'"""More."""\ndef f():\n    """Add {"more " * 26}."""\n', 14.3),
        (
            "wide",
            '"""More."""\ndef f(self, a, b, c, d, e, g, h, *, i): ...\ndef g(self, a, b, c, d, e, f, h): ...\n',
            1,
        ),
        ("longest", '"""More."""\ndef f():\n    """Add."""\n    a = 1\n    b = 2\n    return a + b\n', 3),
        ("large", '"""More."""\n' + "\n" * 394, 1),
    ],
)
def test_a_figure_counts_the_places_of_its_kind(tmp_path: Path, name: str, text: str, figure: float) -> None:
    assert figures_with(tmp_path, text=text)[1][name] == figure


def test_words_of_tests_are_counted_apart(tmp_path: Path) -> None:
    path = tmp_path / "tests" / "test_more.py"
    path.parent.mkdir()
    path.write_text("for each in (1, 2):\n    total = each\ndef look(): ...\n")
    house, figures = figures_with(tmp_path)
    assert (figures["tests_locals"], figures["locals"]) == (50.0, 0.0)
    assert (figures["tests_verbs"], figures["verbs"]) == (1, 0)
    assert house.places["tests_locals"] + house.places["tests_verbs"] == [f"{path}:1: each", f"{path}:3: look"]


def test_sizes_are_those_of_the_core_and_comments_that_say_nothing_to_people_do_not_count(tmp_path: Path) -> None:
    _, figures = figures_with(tmp_path)
    assert (figures["core"], figures["rooms"], figures["tests"]) == (11, 2, 0.46)
    assert (figures["dense"], figures["comments"]) == (16.67, 7.69)


def test_a_small_file_with_one_importer_is_named(tmp_path: Path) -> None:
    house, figures = figures_with(tmp_path)
    assert figures["lone"] == 1
    assert house.places["lone"][0].endswith("kernels/sums.py 3")


def test_a_bound_is_the_largest_or_the_least_value_that_holds() -> None:
    bounds = {bound.name: bound for bound in BOUNDS}
    assert bounds["longest"].holds(45)
    assert not bounds["longest"].holds(46)
    assert bounds["dense"].holds(3.0)
    assert not bounds["dense"].holds(2.99)


PAGE = """# A heading is no sentence, however many words it has
# and however often it has to be read

One two three. Four `five six seven`: Eight
nine [ten](eleven.md) twelve.

* thirteen
* fourteen | fifteen

| sixteen | seventeen eighteen |

```sh
echo code is no sentence
```

<!-- generated: table -->
written by a program
<!-- end -->
nineteen
"""


def test_sentences_of_a_page_are_counted_by_their_words_without_code_and_generated_parts() -> None:
    counted = [(4, 3), (4, 2), (4, 4), (7, 1), (8, 2), (10, 1), (10, 2), (19, 1)]
    assert list(sentences(PAGE)) == counted


def test_a_page_with_long_sentences_is_named_with_the_line(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    page = tmp_path / "page.md"
    page.write_text(f"Short.\n\nThis one has {' '.join(['more'] * 23)}.\n")
    house = House(tmp_path / "coopsim", tmp_path / "tests", [page])
    assert house.figures()["sentences"] == 50.0
    assert house.places["sentences"] == [f"{page}:3: 26 words"]
