"""`coopsim check`."""

import click


@click.command(short_help="Print the mistakes in files.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
def check(files: tuple[str, ...]) -> int:
    """Print every mistake in world, scenario and robot files; exit code 1 if there is one."""
    from coopsim.errors import CoopsimError
    from coopsim.robots import check as problems_of

    found = 0
    for file in files:
        try:
            problems = [str(problem) for problem in problems_of(file)]
        except CoopsimError as problem:
            problems = [str(problem)]
        for line in problems:
            click.echo(line)
        if not problems:
            click.echo(f"{file}: ok", err=True)
        found += len(problems)
    return 1 if found else 0
