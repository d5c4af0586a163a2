"""A study, or two of them, as one page that any browser opens without a network."""

import html
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from string import Template
from typing import Any

import numpy as np

from coopsim.errors import NoSuchPlugin
from coopsim.features.pictures.html_page import export_page
from coopsim.features.studies.best import best_in_words
from coopsim.features.studies.by_value import HEADS, ValueSummary, reported_metrics, same_samples, summaries
from coopsim.features.studies.comparing import MetricDifference, differences, made_differently
from coopsim.features.studies.results import flat
from coopsim.features.studies.table import StudyTable
from coopsim.interpreter import extra_command
from coopsim.recording import Recording

MOST_ROWS = 2000
"""Of more runs the page shows these, those that failed first."""
_MOST_METRICS = 12  # with a plot each: a page that opens at once
_MOST_REPLAYS = 50  # links of one page
_MOST_REASONS = 5  # the most frequent ones
_MOST_VALUES = 500  # rows of a table in a page; the file has all
_PAGE = Path(__file__).parent / "page" / "report.html"


def report_page(study: StudyTable, folder: Path) -> str:
    """Return the page of a study.

    Args:
        study: What is shown.
        folder: Where it is kept; replay pages of recorded runs are made there.

    Raises:
        NoSuchPlugin: The package that draws is not installed.
    """
    figures = _figures()
    replays = _replays(study, folder)
    groups = {name: figures.groups_of(study, name) for name in study.varied}
    sections, number = [], 0
    for metric in study.changing[:_MOST_METRICS]:
        drawn = [
            *figures.distributions(study, metric, groups),
            *figures.effects(study, metric, groups),
            *figures.heat_maps(study, metric, groups),
        ]
        sections.append(f"<h2>{html.escape(metric)}</h2>{_drawn(drawn, number)}")
        number += len(drawn)
    return _page(study.name, _words(study), "".join(sections), _rows(study, replays))


def comparison_page(first: StudyTable, second: StudyTable) -> str:
    """Return the page of two studies: by how much their metrics differ.

    Raises:
        NoSuchPlugin: The package that draws, or that computes intervals, is not installed.
    """
    _figures()
    gaps = differences(first, second)
    words = "".join(f"<p>{html.escape(line)}</p>" for line in comparison_words(first, second, gaps))
    heads = ("metric", first.name, second.name, "difference, 95 % interval", "effect size")
    lines = [
        (
            difference.name,
            f"{difference.first:.4g}",
            f"{difference.second:.4g}",
            f"{difference.low:.3g} to {difference.high:.3g}",
            f"{difference.effect:.2f}",
        )
        for difference in gaps
    ]
    return _page(f"{first.name} and {second.name}", words + _html_table(heads, lines), "", [])


def comparison_words(first: StudyTable, second: StudyTable, differences: Sequence[MetricDifference]) -> list[str]:
    """Return what two studies say together."""
    clear = [difference for difference in differences if difference.is_clear]
    lines = [
        f"{difference.name}: {difference.first:.4g} in {first.name}, {difference.second:.4g} in {second.name}; "
        f"the difference lies within {difference.low:.3g} and {difference.high:.3g} (95 %), "
        f"effect size {difference.effect:.2f}"
        for difference in clear
    ]
    return made_differently(first, second) + (
        lines or [f"No metric of {first.name} and {second.name} differs by more than chance explains."]
    )


def _figures() -> Any:
    try:
        from coopsim.features.studies import figures
    except ImportError:
        raise NoSuchPlugin("a report needs the package plotly").advise(extra_command("studies")) from None
    return figures


def words_of(study: StudyTable) -> list[str]:
    """Return a study in words."""
    failed = [row for row in study.rows if "error" in row]
    good = int(study.successes().sum())
    lines = [f"{good} of {len(study.rows)} runs succeeded, {len(failed)} failed."]
    if study.varied:
        parts = [f"{name} ({len(set(study.column(name)))} values)" for name in study.varied]
        lines.append(f"Varied: {', '.join(parts)}; seeds: {len({row['seed'] for row in study.rows})}.")
    lines += [f"Goal {name}: met in {met} of {judged} runs." for name, (met, judged) in study.goals.items()]
    reasons = Counter(row["error"] for row in failed)
    lines += [
        f"{count} {'run' if count == 1 else 'runs'} failed: {error}"
        for error, count in reasons.most_common(_MOST_REASONS)
    ]
    for metric in study.changing[:_MOST_METRICS]:
        values = study.metrics[metric]
        lines.append(
            f"{metric}: mean {np.nanmean(values):.4g}, from {np.nanmin(values):.4g} to {np.nanmax(values):.4g}."
        )
    same = same_samples(study.rows)
    return [*lines, *best_in_words(study.best), *([same] if same else [])]


def value_rows(study: StudyTable) -> list[ValueSummary]:
    """Return the metrics of each value that was varied."""
    return summaries(study.rows, reported_metrics(study.rows, [best.by.metric for best in study.best]))


def _words(study: StudyTable) -> str:
    words = "".join(f"<p>{html.escape(line)}</p>" for line in words_of(study))
    lines = [value_row.cells for value_row in value_rows(study)[:_MOST_VALUES]]
    return words + (_html_table(HEADS, lines) if lines else "")


def _drawn(figures: Iterable[Any], first: int) -> str:
    """Return figures as parts of the page, numbered from `first`."""
    return "".join(
        f'<div class="figure"><div id="figure-{number}"></div><script>draw({number}, {_script(figure)})</script></div>'
        for number, figure in enumerate(figures, first)
    )


def _script(value: Any) -> str:
    """Return JSON that may stand in a script of a page."""
    # every `<`: behind `<!--<script>` a page would read on to its end
    return json.dumps(value).replace("<", "\\u003c")


def _rows(study: StudyTable, replays: dict[int, str]) -> list[dict[str, Any]]:
    shown = sorted(study.rows, key=lambda row: (row["success"], row["number"]))[:MOST_ROWS]
    lines = [{**flat(row), "replay": replays.get(row["number"], "")} for row in shown]
    return [{name: value for name, value in line.items() if name != "state_hash"} for line in lines]


def _replays(study: StudyTable, folder: Path) -> dict[int, str]:
    """Make the replay pages of the first recorded runs; return where they lie, seen from the folder."""
    colors: dict[int, str] = {}
    for row in study.rows:
        name = f"run-{row['number']:06d}"
        recording, page = folder / "recordings" / f"{name}.mcap", folder / "replays" / f"{name}.html"
        if len(colors) < _MOST_REPLAYS and recording.exists():
            page.parent.mkdir(exist_ok=True)
            if not page.exists():
                with Recording.open(recording) as opened:
                    export_page(opened, page)
            colors[row["number"]] = f"replays/{name}.html"
    return colors


def _html_table(heads: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(head)}</th>" for head in heads)
    body = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in line)}</tr>" for line in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _page(title: str, words: str, sections: str, rows: Sequence[dict[str, Any]]) -> str:
    plotly, template = "", "{}"
    if sections:
        from plotly.offline import get_plotlyjs

        plotly, template = get_plotlyjs(), _figures().template()
    text = Template(_PAGE.read_text(encoding="utf-8"))
    parts = {"words": words, "sections": sections, "rows": _script(rows), "plotly": plotly, "template": template}
    return text.substitute(title=html.escape(title), **parts)
