"""The faults: what is broken on purpose, in one line of coopsim, and the items of the papers that it breaks."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LISTS = Path(__file__).parent / "faults"
WITHOUT = Path(__file__).with_name("without.toml")


@dataclass(frozen=True, slots=True)
class Fault:
    """One line of coopsim, made wrong.

    Attributes:
        name: Unique, in small letters.
        file: Below the root of the project.
        old: The text that is replaced; it occurs once in the file.
        new: What stands in its place.
        breaks: What is wrong then.
        items: The items of the papers that are broken: of each a test that names it fails.
        survives: Why no test can notice it; "" = one has to.
    """

    name: str
    file: str
    old: str
    new: str
    breaks: str
    items: tuple[str, ...]
    survives: str = ""

    def source(self, root: Path = ROOT) -> str:
        """Return the file with the fault in it.

        Raises:
            ValueError: The old text does not occur exactly once.
        """
        text = (root / self.file).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            message = f"fault {self.name}: the old text occurs {text.count(self.old)} times in {self.file}, not once"
            raise ValueError(message)
        return text.replace(self.old, self.new)


def faults(lists: Path = LISTS) -> list[Fault]:
    """Return the faults of all lists, in the order of files and lines."""
    return [fault for path in sorted(lists.glob("*.toml")) for fault in _listed(path)]


def without_fault() -> dict[str, str]:
    """Return the promised items that no line breaks by itself, and why."""
    reasons = tomllib.loads(WITHOUT.read_text(encoding="utf-8"))
    return {item: reason for reason, items in reasons.items() for item in items}


def _listed(path: Path) -> Iterator[Fault]:
    for name, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
        yield Fault(name, **{**entry, "items": tuple(entry["items"])})
