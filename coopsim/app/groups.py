"""Commands and options in groups, with suggestions for what is mistyped."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import click

from coopsim.app import usage

_WHOLE = 1000  # letters: click would cut a summary that is longer than a line


class Suggesting(click.Group):
    """A group that says which command was probably meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names.

        Raises:
            UsageError: There is none.
        """
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise usage.no_such_command(self, ctx, args[0])
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their whole first sentence."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, command.get_short_help_str(_WHOLE)) for name, command in commands if command is not None]
            )


class Grouped(click.Command):
    """A command whose help lists its options in groups.

    Args:
        groups: Names of options by the title of their group, in the order of the help; all others come last.
    """

    REST: ClassVar[str] = "Other options"

    def __init__(self, *arguments: Any, groups: Mapping[str, Sequence[str]], **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.groups = dict(groups)

    def grouped(self) -> dict[str, list[click.Option]]:
        """Return the options that are shown, by the title of their group."""
        titles = {name: title for title, names in self.groups.items() for name in names}
        by_title: dict[str, list[click.Option]] = {title: [] for title in (*self.groups, self.REST)}
        for option in self.params:
            if isinstance(option, click.Option) and not option.hidden:
                by_title[titles.get(str(option.name), self.REST)].append(option)
        return {title: options for title, options in by_title.items() if options}

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, a section for each group."""
        sections = self.grouped()
        sections.setdefault(self.REST, [])
        for title, options in sections.items():
            records = [option.get_help_record(ctx) for option in options]
            if title == self.REST and (helping := self.get_help_option(ctx)) is not None:
                records.append(helping.get_help_record(ctx))
            with formatter.section(title):
                formatter.write_dl([record for record in records if record is not None])
