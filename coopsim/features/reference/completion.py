"""`coopsim completion`."""

import click
from click.shell_completion import get_completion_class

from coopsim.app import talk

_VARIABLE = "_COOPSIM_COMPLETE"
_HINTS = {
    "bash": 'add this line to ~/.bashrc: eval "$(coopsim completion bash)"',
    "zsh": 'add this line to ~/.zshrc: eval "$(coopsim completion zsh)"',
    "fish": "coopsim completion fish > ~/.config/fish/completions/coopsim.fish",
}

_BASH_FILES = """            COMPREPLY=()
            compopt -o default
"""
_BASH_FILES_TOO = """            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$value")
            compopt -o filenames
"""
"""For click files are all that a word can be completed with; ours may be the name of a scene, too."""


@click.command(short_help="Print what makes a shell complete our commands.")
@click.argument("shell", type=click.Choice(list(_HINTS)))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print what makes SHELL complete what belongs to coopsim: commands, options, files.

    Also names of scenes, of devices, numbers of errors, and modules and commands of the simulation that runs.

    \b
    eval "$(coopsim completion bash)"     in ~/.bashrc
    eval "$(coopsim completion zsh)"      in ~/.zshrc
    coopsim completion fish > ~/.config/fish/completions/coopsim.fish
    """  # noqa: D301 - click's mark for lines it must not wrap
    completer = get_completion_class(shell)
    assert completer is not None  # noqa: S101 - one of those that click knows
    root = context.find_root().command
    text = completer.source_template % completer(root, {}, "coopsim", _VARIABLE).source_vars()
    if shell == "bash":
        text = text.replace(_BASH_FILES, _BASH_FILES_TOO)
    talk.note(f"# {_HINTS[shell]}")
    talk.data(text)
