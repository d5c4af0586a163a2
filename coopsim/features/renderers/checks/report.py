"""Report of the pixel checks of a renderer."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from coopsim.features.desktop.mesh_source import MeshSource
from coopsim.features.desktop.rendering import SceneRenderer

OpenNew: TypeAlias = Callable[[Callable[[str], object], MeshSource | None], SceneRenderer]
KEPT, BROKEN, LEFT_OUT = "passed", "failed", "not offered"


class PixelFinding(NamedTuple):
    """Finding of one check.

    Attributes:
        result: "passed", "failed" or "not offered".
        numbers: What was measured and what was expected.
        name: The promise, as a sentence.
    """

    result: str
    numbers: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.result:12}{self.name}" + (f": {self.numbers}" if self.numbers else "")


class PixelCheck(NamedTuple):
    """A promise of the contract of renderers.

    Attributes:
        name: The promise, as a sentence.
        run: Draws with a renderer that is closed afterwards, and measures.
        needs: The ability without which it may be left out, "" = every renderer keeps it.
    """

    name: str
    run: Callable[[SceneRenderer], PixelFinding]
    needs: str = ""


class LifeCheck(NamedTuple):
    """A promise about opening and closing; fields as those of `PixelCheck`.

    Attributes:
        run: Opens renderers itself, and closes them.
    """

    name: str
    run: Callable[[OpenNew], PixelFinding]
    needs: str = ""


class PixelReport(NamedTuple):
    """Findings of all checks of a renderer; printed, one line for each."""

    renderer: str
    findings: tuple[PixelFinding, ...]

    @property
    def failures(self) -> tuple[PixelFinding, ...]:
        """Promises that the renderer does not keep."""
        return tuple(finding for finding in self.findings if finding.result == BROKEN)

    def __str__(self) -> str:
        results = [finding.result for finding in self.findings]
        counts = ", ".join(f"{results.count(result)} {result}" for result in (KEPT, BROKEN, LEFT_OUT))
        return "\n".join([f"{self.renderer}: {counts}", *(f"  {finding}" for finding in self.findings)])


def finding(is_kept: bool, numbers: str) -> PixelFinding:
    """Return what a check measured."""
    return PixelFinding(KEPT if is_kept else BROKEN, numbers)


def all_of(*findings: PixelFinding) -> PixelFinding:
    """Return the failed ones of several findings, or all of them where none failed."""
    broken = [part for part in findings if part.result == BROKEN]
    return PixelFinding(BROKEN if broken else KEPT, "; ".join(part.numbers for part in broken or findings))
