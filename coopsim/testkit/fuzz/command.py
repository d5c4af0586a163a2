"""`coopsim fuzz`: feed mutants to the readers of foreign bytes for some time."""

import hashlib
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from coopsim.testkit.fuzz.handshakes import CARRIERS, listening
from coopsim.testkit.fuzz.loop import Fuzzer
from coopsim.testkit.fuzz.targets import TARGETS
from coopsim.testkit.hostile.handshake_seeds import SEEDS, handshake_mutant

_RECORDINGS = "recordings"


@click.command(short_help="Feed mutants to what reads foreign bytes.")
@click.argument("targets", nargs=-1, type=click.Choice([*TARGETS, *CARRIERS, _RECORDINGS]))
@click.option("--seconds", default=10.0, show_default=True, help="Time for each target.")
@click.option("--count", type=click.IntRange(1), help="Number of inputs for each target, without a time limit.")
@click.option("--seed", default=1, show_default=True, help="The same seed feeds the same mutants.")
@click.option(
    "--corpus",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with a folder of inputs for each target.",
)
@click.option(
    "--keep",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("fuzzed"),
    show_default=True,
    help="Where inputs are written that a reader did not survive.",
)
def fuzz(
    targets: tuple[str, ...], seconds: float, count: int | None, seed: int, corpus: Path | None, keep: Path
) -> None:
    """Feed mutants to TARGETS (default: all). Exit code 1 when one did not survive.

    Carriers (`websocket`, `tls`, `zmtp`, `framing`, `curve`) are real listeners, fed from the first byte of a
    connection on. The mutants of `recordings` have right check sums and wrong contents.
    """
    code = 0
    for name in targets or [*TARGETS, *CARRIERS, _RECORDINGS]:
        began, cpu = time.monotonic(), time.process_time()
        with _fuzzing(name, corpus, seed) as fuzzer:
            while _is_on(fuzzer, count, time.monotonic() - began, seconds):
                fuzzer.turn()
        fed = sum(fuzzer.kinds.values())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        click.echo(
            f"{name}: {fed} inputs, {len(fuzzer.kinds)} kinds of answers, {len(fuzzer.findings)} findings; "
            f"{time.process_time() - cpu:.0f} s of CPU, at most {memory:.0f} MB"
        )
        for finding in fuzzer.findings:
            code = 1
            click.echo(f"  {finding.what}\n  kept as {_write(keep / name, finding.raw)}")
    sys.exit(code)


@contextmanager
def _fuzzing(name: str, corpus: Path | None, seed: int) -> Iterator[Fuzzer]:
    if name in CARRIERS:
        with listening(name) as target:
            yield Fuzzer(target, _inputs(corpus, name) or SEEDS[name], seed, mutate=handshake_mutant)
    else:
        yield _fuzzer(name, corpus, seed)


def _fuzzer(name: str, corpus: Path | None, seed: int) -> Fuzzer:
    if name == _RECORDINGS:
        from coopsim.testkit.fuzz.recordings import mutant, recording, sample

        return Fuzzer(recording, [sample()], seed, mutate=mutant)
    return Fuzzer(TARGETS[name], _inputs(corpus, name), seed)


def _is_on(fuzzer: Fuzzer, count: int | None, took: float, seconds: float) -> bool:
    return took < seconds if count is None else sum(fuzzer.kinds.values()) < count


def _inputs(corpus: Path | None, name: str) -> list[bytes]:
    folder = corpus / name if corpus else None
    return [file.read_bytes() for file in sorted(folder.iterdir())] if folder and folder.is_dir() else []


def _write(folder: Path, raw: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / hashlib.sha256(raw).hexdigest()[:16]
    file.write_bytes(raw)
    return file
