"""Worlds and scenarios on disk, as far as clients may reach them by message."""

import errno
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from coopsim import plugins
from coopsim.errors import BadFile, CannotSave, ForbiddenFile, NoSuchFile
from coopsim.robots import RunSpec, Sources, compose, find_file, is_built_in, load
from coopsim.robots.saving import RunChoices
from coopsim.scene import Scenario
from coopsim.scene.replacing import replace_file
from coopsim.scene.textures import is_pattern

SUFFIXES = (".scenario", ".world")
_LONGEST, _LONGEST_PART = 1000, 200  # letters; file systems allow 255 bytes in a part
_TEXTURE = re.compile(r"^[ \t]*texture[ \t]+(/.*?)[ \t\r]*$", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True)
class Loaded:
    """Scene that was read.

    Attributes:
        files: Its texts by path, robot types included.
    """

    path: Path
    spec: RunSpec
    files: Mapping[str, str] = field(repr=False)


class SceneFiles:
    """Reads scenes and writes them, inside the allowed folders: the working folder and that of the scenario.

    A file is replaced only while it still is what was read from it, or written to it, here.

    Args:
        scenario: The `.scenario` or `.world` file that the run began with, "" = none.
        world: The `.world` file of that, "" = none.
        is_read: Whether they are what the run was made of; False = they may have changed since.
        folder: The working folder.
    """

    def __init__(self, scenario: str, world: str, folder: Path, *, is_read: bool = True) -> None:
        self._folder = folder
        self._read: dict[Path, bytes] = {}
        self._written: dict[Path, bytes] = {}
        own = Path(scenario).parent if scenario and not is_built_in(Path(scenario)) else folder
        self._folders = tuple(dict.fromkeys((folder.resolve(), own.resolve())))
        self._sources = self._remembered(Path(scenario) if scenario else None, Path(world) if world else None)
        self._loaded = self._sources.scenario
        if not is_read:
            self._read.clear()

    def find(self, name: str) -> Path:
        """Return the file that a client means: in the working folder, beside the scenario, or built in.

        Raises:
            ForbiddenFile: It lies elsewhere.
            NoSuchFile: There is none.
        """
        _check_name(name)
        paths = [folder / name for folder in self._folders]
        inside = [path for path in paths if self._is_allowed(path)]
        file = next((path for path in inside if path.is_file()), None)
        if file is not None:
            return file
        if not inside or any(path.is_symlink() for path in paths):
            raise ForbiddenFile(f"{name!r} lies outside of {self._shown}")
        if Path(name).name != name:
            raise NoSuchFile(f"{name}: there is no such file in {self._shown}")
        built_in = find_file(name, SUFFIXES)
        if not is_built_in(built_in):
            raise ForbiddenFile(f"{name!r} lies outside of {self._shown}")
        return built_in

    def read(self, name: str) -> Loaded:
        """Return what a file says.

        Raises:
            ForbiddenFile: It, or a file that it names, lies outside of the allowed folders.
            NoSuchFile: There is no such file.
            BadFile: It has mistakes.
        """
        path = self.find(name)
        try:
            spec = load(path)
        except BadFile as problem:
            self._check_places(problem.span.file for problem in problem.problems)
            raise
        scenario = spec.scenario
        world = scenario.world
        textures = [
            world.floor.texture,
            *(file for entity in world.objects for file in (entity.texture, entity.mesh)),
            *world.images,
        ]
        own = [name for name in spec.types if name not in plugins.registered("robots")]
        files = [str(path), world.file, *(spec.types[name].span.file for name in own)]
        looks = [file for name in own for visual in spec.types[name].visuals for file in (visual.texture, visual.mesh)]
        self._check_places([*files, *textures, *looks])
        return Loaded(path, spec, {file: _text(Path(file)) or "" for file in dict.fromkeys(files) if file})

    def adopt(self, loaded: Loaded) -> None:
        """Go on from what was loaded."""
        world = loaded.spec.scenario.world.file
        self._sources = self._remembered(loaded.path, Path(world) if world else None)
        self._loaded = self._sources.scenario

    def write(
        self, scene: Scenario, name: str = "", *, overwrite: bool = False, chosen: RunChoices | None = None
    ) -> tuple[str, ...]:
        """Write a scene; return the files that were written, the one asked for last, without those that stay the same.

        Args:
            scene: Floor, objects, targets and robots.
            name: `.scenario` or `.world`; "" = where it came from, or was written to last.
            overwrite: Replace whatever is there.
            chosen: What people chose besides, while the scene ran.

        Raises:
            ForbiddenFile: It lies outside of the allowed folders, or belongs to the program.
            CannotSave: Another program changed the file, it cannot be written, or its format cannot hold the scene.
        """
        path = self._target(name)
        texts = compose(scene, self._sources, path, self._writable(path), chosen)
        changed = {file: text for file, text in texts.items() if self._must_be_written(file, text, overwrite=overwrite)}
        for file, text in changed.items():
            _replace(file, text.encode())
            self._written[_key(file)] = text.encode()
        self._follow(path, texts)
        return tuple(str(file) for file in changed)

    def is_scenario(self, name: str) -> bool:
        """Return whether a name to save under is that of a scenario; "" = where the scene came from."""
        return Path(name).suffix == ".scenario" if name else self._sources.scenario is not None

    def _writable(self, path: Path) -> set[Path]:
        """Return the worlds that may be written in place: not one that only the scenario it came with may change."""
        world = self._sources.world
        if world is None or not self._is_allowed(world) or is_built_in(world):
            return set()
        return {world} if path == self._loaded or _key(world) in self._written else set()

    def _follow(self, path: Path, texts: Mapping[Path, str]) -> None:
        """Go on from what was written; a world that was written by itself is a copy."""
        sources = self._sources
        if path.suffix == ".world" and sources.scenario is not None:
            return
        world = next((file for file in texts if file.suffix == ".world"), sources.world)
        scenario = path if path.suffix == ".scenario" else sources.scenario
        self._sources = Sources(scenario, world, {**sources.texts, **texts})

    def _target(self, name: str) -> Path:
        if not name:
            path = self._sources.scenario or self._sources.world
            if path is None:
                raise CannotSave("this run came from no file; say a name")
        else:
            _check_name(name)
            path = self._folder / name
        if path.suffix not in SUFFIXES:
            raise CannotSave(f"{path.name}: expected a name that ends with {' or '.join(SUFFIXES)}")
        if is_built_in(_key(path)):
            raise ForbiddenFile(f"{path.name} is built in and stays as it is; say another name")
        if not self._is_allowed(path):
            raise ForbiddenFile(f"{str(path)!r} lies outside of {self._shown}")
        return self._same(path)

    def _same(self, path: Path) -> Path:
        """Return a path as it is known here where it is another way to say the same."""
        files_known = (self._sources.scenario, self._sources.world)
        return next((file for file in files_known if file is not None and _key(file) == _key(path)), path)

    def _must_be_written(self, path: Path, text: str, *, overwrite: bool) -> bool:
        if path.exists() and not path.is_file():
            raise CannotSave(f"{path} is there already, and no file")
        try:
            content_now = _read(path) if path.exists() else None
        except OSError as problem:
            raise CannotSave(f"{path}: {problem.strerror}") from None
        if content_now == text.encode():
            return False
        content_known = {**self._read, **self._written}.get(_key(path))
        if content_now is not None and not overwrite and content_known != content_now:
            what = "exists already" if content_known is None else "was changed by somebody else since"
            raise CannotSave(f"{path} {what}; say overwrite=1 to replace it")
        return True

    def _is_allowed(self, path: Path) -> bool:
        real = _key(path)
        return any(real.is_relative_to(folder) for folder in self._folders)

    def pictures(self, text: str) -> tuple[str, ...]:
        """Return the pictures that sections, or keys, in a message name by their whole paths.

        Raises:
            ForbiddenFile: One lies outside of the allowed folders.
        """
        textures: list[str] = _TEXTURE.findall(text)
        self._check_places(textures)
        return tuple(textures)

    def is_within(self, file: str) -> bool:
        """Return whether a file lies in the allowed folders, or is built in."""
        return self._is_allowed(Path(file)) or is_built_in(Path(file))

    def _check_places(self, files: Iterable[str]) -> None:
        for file in files:
            if file and not is_pattern(file) and not self.is_within(file):
                raise ForbiddenFile(f"it names {file}, which lies outside of {self._shown}")

    @property
    def _shown(self) -> str:
        return " and ".join(map(str, self._folders))

    def _remembered(self, scenario: Path | None, world: Path | None) -> Sources:
        """Return these files as sources, and remember what they hold."""
        texts = {}
        self._read = {}
        for path in (scenario, world):
            text = _text(path) if path is not None else None
            if path is not None and text is not None:
                texts[path] = text
                self._read[_key(path)] = text.encode()
                self._written.pop(_key(path), None)
        is_world = scenario is not None and scenario.suffix == ".world"
        return Sources(None if is_world else scenario, world, texts)


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole.

    Raises:
        CannotSave: It cannot be written; what was there stays.
        ForbiddenFile: The path leads nowhere.
    """
    try:
        replace_file(_key(path), content)
    except OSError as problem:
        raise CannotSave(f"{path}: {problem.strerror}") from None


def _key(path: Path) -> Path:
    """Return where a path leads.

    Raises:
        ForbiddenFile: Nowhere, since its links lead back to themselves.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # the second one in a circle of links
        raise ForbiddenFile(f"{path}: its links lead nowhere") from None


def _read(path: Path) -> bytes:
    """Return what is in a file; a pipe of that name is never waited for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no file")
        return file.read()


def _text(path: Path) -> str | None:
    try:
        return _read(path).decode() if path.is_file() else None
    except (OSError, UnicodeDecodeError):
        return None


def _check_name(name: str) -> None:
    is_long = len(name) > _LONGEST or any(len(part.encode()) > _LONGEST_PART for part in Path(name).parts)
    if not name.isprintable() or is_long or not Path(name).name:
        raise ForbiddenFile(f"{name[:_LONGEST]!r} is no name of a file")
