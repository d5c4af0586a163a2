"""Commands in groups, with suggestions for those that are mistyped."""

import click

from coopsim.app import usage


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
