"""`python -m coopsim.testing.fuzz`: feed mutants to the readers of foreign bytes for some time."""

import hashlib
import sys
import time
from pathlib import Path

import click

from coopsim.testing.fuzz.loop import Fuzzer
from coopsim.testing.fuzz.targets import TARGETS

_AT_ONCE = 50


@click.command()
@click.argument("targets", nargs=-1, type=click.Choice(list(TARGETS)))
@click.option("--seconds", default=10.0, show_default=True, help="Time for each target.")
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
def main(targets: tuple[str, ...], seconds: float, seed: int, corpus: Path | None, keep: Path) -> None:
    """Feed mutants to TARGETS (default: all). Exit code 1 when one did not survive."""
    code = 0
    for name in targets or TARGETS:
        fuzzer = Fuzzer(TARGETS[name], _inputs(corpus, name), seed)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for _ in range(_AT_ONCE):
                fuzzer.turn()
        fed = sum(fuzzer.kinds.values())
        click.echo(f"{name}: {fed} inputs, {len(fuzzer.kinds)} kinds of answers, {len(fuzzer.findings)} findings")
        for finding in fuzzer.findings:
            code = 1
            click.echo(f"  {finding.what}\n  kept as {_write(keep / name, finding.raw)}")
    sys.exit(code)


def _inputs(corpus: Path | None, name: str) -> list[bytes]:
    folder = corpus / name if corpus else None
    return [file.read_bytes() for file in sorted(folder.iterdir())] if folder and folder.is_dir() else []


def _write(folder: Path, raw: bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / hashlib.sha256(raw).hexdigest()[:16]
    file.write_bytes(raw)
    return file


if __name__ == "__main__":
    main()
