"""`aj web`: the journal in a browser."""

from __future__ import annotations

import os
import sys

import click

from agent_journal.cli.options import Number
from agent_journal.cli.output import echo, note
from agent_journal.errors import UsageError

_LOOPBACK = ("127.0.0.1", "localhost")
_NOTE = "the address works once, within a minute; Ctrl-C ends the server"


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
@click.option(
    "--read-only-demo",
    "is_demo",
    is_flag=True,
    help="Show made-up sessions in a temporary folder; nothing of yours is read or written.",
)
@click.option("--host", hidden=True)
def web(port: int, is_quiet: bool, is_demo: bool, host: str | None) -> None:
    """Show the journal in a browser, until Ctrl-C.

    The page is only served to this machine, and only to browsers that were opened with the address
    that is printed, which works once. From another machine, use 'ssh -L'. If aj web already runs
    for this journal, its page is opened.

    Add ?mask=1 to an address to take secrets and home folders out of every page, for a screen that
    others see; ?mask=0 shows them again. Programs ask /api/1 (docs/web.md).

    \b
    Examples:
      aj web
      aj web --no-open
      aj web --port 9000
      aj web --read-only-demo
      ssh -L 8480:127.0.0.1:8480 HOST aj web --no-open
    """
    if host is not None and host not in _LOOPBACK:
        raise UsageError(
            "aj web is served to this machine only",
            f"from another one: ssh -L {port}:127.0.0.1:{port} HOST aj web --no-open",
        )
    if is_demo:
        _serve_demo(port, is_quiet)
    else:
        _serve_journal(port, is_quiet)


def _serve_journal(port: int, is_quiet: bool) -> None:
    from agent_journal.config.loading import load
    from agent_journal.web.server import find_running

    home = load().home
    running = find_running(home)
    if running is not None:
        note(f"aj web already runs at port {running.port}; Ctrl-C ends it where it was started")
        _show(running.address, "the address works once, within a minute", is_quiet)
        return
    _serve(home, port, is_quiet)
    _end()


def _serve_demo(port: int, is_quiet: bool) -> None:
    """Serve a journal that nobody else has, and remove it afterwards."""
    from tempfile import TemporaryDirectory

    from agent_journal.cli.demo_journal import demo_environment, write_demo
    from agent_journal.journal import Journal

    with TemporaryDirectory(prefix="aj-demo-", ignore_cleanup_errors=True) as base:
        demo = write_demo(base)
        with demo_environment(demo):
            with Journal.open() as journal:
                journal.sync()
            _serve(demo.journal, port, is_quiet, is_demo=True)
    _end()


def _serve(home: str, port: int, is_quiet: bool, *, is_demo: bool = False) -> None:
    from agent_journal.web.server import listen, serve

    listener = listen(port)
    taken = listener.getsockname()[1]
    if taken != port:
        note(f"port {port} is taken; using {taken}")
    serve(home, listener, lambda address: _show(address, _NOTE, is_quiet), is_demo=is_demo)


def _end() -> None:
    """Leave at once: a search that still runs in a thread is not waited for."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _show(address: str, words: str, is_quiet: bool) -> None:
    echo(address)
    note(words)
    sys.stdout.flush()
    if not is_quiet:
        import webbrowser
        from threading import Thread

        # In a thread: a browser in the terminal would hold up the server
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()
