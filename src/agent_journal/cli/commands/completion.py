"""`aj completion`: the script that lets a shell complete commands, options and session ids."""

from __future__ import annotations

import click

from agent_journal.cli.output import echo

_SHELLS = ("bash", "fish", "zsh")
# The id of the chosen session is inserted at the cursor.
_WIDGETS = {
    "bash": """\
__aj_widget() {
  local chosen
  chosen=$(aj tui --print </dev/tty) || return
  READLINE_LINE=${READLINE_LINE:0:READLINE_POINT}$chosen${READLINE_LINE:READLINE_POINT}
  READLINE_POINT=$((READLINE_POINT + ${#chosen}))
}
bind -x '"\\C-xj": __aj_widget'""",
    "fish": """\
function __aj_widget
  set -l chosen (aj tui --print </dev/tty)
  and commandline --insert -- $chosen
  commandline --function repaint
end
bind \\cxj __aj_widget""",
    "zsh": """\
__aj_widget() {
  local chosen
  chosen=$(aj tui --print </dev/tty)
  if [[ -n $chosen ]]; then LBUFFER+=$chosen; fi
  zle reset-prompt
}
zle -N __aj_widget
bindkey '^Xj' __aj_widget""",
}


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@click.option(
    "--widget",
    is_flag=True,
    help="Print a key binding instead: Ctrl-X j finds a session in the terminal UI and puts its id "
    "into the command line.",
)
def completion(shell: str, widget: bool) -> None:
    """Print the completion script for a shell.

    \b
    Examples:
      eval "$(aj completion zsh --widget)"   the key binding, in ~/.zshrc
      eval "$(aj completion bash)"     in ~/.bashrc
      eval "$(aj completion zsh)"      in ~/.zshrc
      aj completion fish > ~/.config/fish/completions/aj.fish
    """
    if widget:
        echo(_WIDGETS[shell])
        return
    from click.shell_completion import get_completion_class

    from agent_journal.cli.group import aj

    script = get_completion_class(shell)
    assert script is not None
    echo(script(aj, {}, "aj", "_AJ_COMPLETE").source())
