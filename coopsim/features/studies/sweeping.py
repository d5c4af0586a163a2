"""Studies in Python."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from coopsim.features.studies.given_law import give
from coopsim.features.studies.job import Jitter, Row
from coopsim.features.studies.results import StudyFolder
from coopsim.features.studies.study import LIMIT, Study, StudyOptions, local, plan, rows_of


def sweep(
    file: str | Path,
    settings: Sequence[str] = (),
    *,
    law: Callable[..., Any] | None = None,
    seeds: int | Sequence[int] = 1,
    workers: int | None = None,
    out: str | Path | None = None,
    **more: Any,
) -> Iterator[Row]:
    """Yield the rows of a study as its runs end: `values`, `seed`, `success`, `goals`, `metrics`.

    Args:
        file: A scenario.
        settings: What is varied: `NAME=A:B:STEP` or `NAME=v1,v2`; () = nothing but the seeds.
        law: A function of readings, `def lloyd(seen, gain=0.3)`, or a class whose objects are such functions; one is
            made for each run. It takes the place of the scenario's controller, or drives all robots where there is
            none; `gain` is varied as `lloyd.gain`. It stands at the top of a file, which the processes of the runs read
            again: a program that calls `sweep` does so under `if __name__ == "__main__":`.
        seeds: How many, from 0, or which.
        workers: How many processes; None = one for each core.
        out: Folder in which the study is kept; what is there already is not run again. None = it is not kept.
        more: `jitter`, how far robots may begin from where the file puts them [m]; `limit`, the real time that a run
            may take [s]; other members of `StudyOptions`.

    Raises:
        CoopsimError: Before the first run: something about the study is wrong.
    """
    limit, jitter = more.pop("limit", LIMIT), Jitter(more.pop("jitter", 0.0))
    # `limit` is of the pool, and `jitter` of each run: neither is an option of the study itself
    which = tuple(range(seeds)) if isinstance(seeds, int) else tuple(seeds)
    name = "" if law is None else give(law)
    options = StudyOptions(seeds=which, jitter=jitter, law=name, **more)
    folder = None if out is None else Path(out)
    study = plan(file, settings, options, folder)
    return _rows(study, workers, limit, folder)


def _rows(study: Study, workers: int | None, limit: float, folder: Path | None) -> Iterator[Row]:
    pool = local(study, workers, limit)  # before a file is open: then its processes can be forked
    if folder is None:
        yield from rows_of(study, pool)
        return
    # rows that the folder holds already come first: whoever goes on sees the whole study
    with StudyFolder(folder, study.asked, resume=True) as kept:
        yield from list(kept.rows.values())
        yield from rows_of(study, pool, kept)
        kept.finish()
