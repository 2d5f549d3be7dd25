"""`aj completion`: the script that lets a shell complete commands, options and session ids."""

from __future__ import annotations

import click

from agent_journal.cli.output import echo

_SHELLS = ("bash", "fish", "zsh")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      eval "$(aj completion bash)"     in ~/.bashrc
      eval "$(aj completion zsh)"      in ~/.zshrc
      aj completion fish > ~/.config/fish/completions/aj.fish
    """
    from click.shell_completion import get_completion_class

    from agent_journal.cli.group import aj

    script = get_completion_class(shell)
    assert script is not None
    echo(script(aj, {}, "aj", "_AJ_COMPLETE").source())
