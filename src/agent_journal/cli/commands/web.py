"""`aj web`: the journal in a browser."""

from __future__ import annotations

import click

from agent_journal.cli.options import Number
from agent_journal.cli.output import echo, note


@click.command()
@click.option(
    "--port",
    type=Number(1, 65_535),
    metavar="N",
    default=8480,
    show_default=True,
    help="The port of the page; if it is taken, the next free one.",
)
@click.option("--no-open", "is_quiet", is_flag=True, help="Only print the address.")
def web(port: int, is_quiet: bool) -> None:
    """Show the journal in a browser, until Ctrl-C.

    The page is only served to this machine, and only to browsers that were opened with the address
    that is printed, which works once. From another machine, use 'ssh -L'.

    \b
    Examples:
      aj web
      aj web --no-open
      aj web --port 9000
    """
    from agent_journal.config.loading import load
    from agent_journal.web.server import find_running, listen, serve

    home = load().home
    running = find_running(home)
    if running is not None:
        note(f"aj web already runs at port {running.port}")
        _show(running.address, is_quiet)
        return
    listener = listen(port)
    taken = listener.getsockname()[1]
    if taken != port:
        note(f"port {port} is taken; using {taken}")
    serve(home, listener, lambda address: _show(address, is_quiet))


def _show(address: str, is_quiet: bool) -> None:
    echo(address)
    note("the address works once, within a minute; Ctrl-C ends the server")
    if not is_quiet:
        import webbrowser
        from threading import Thread

        # In a thread: a browser in the terminal would hold up the server
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()
