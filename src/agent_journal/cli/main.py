"""The entry point of `aj`: streams, exit codes, and how errors are reported."""

from __future__ import annotations

import gc
import io
import os
import sys

from agent_journal.cli.output import note

_INTERRUPTED = 130
_FIRST_COLLECTION = 50_000  # objects; Python's is at 700


def main() -> None:
    """Run the command line and exit with its code."""
    # Python has no stream where it was closed (`aj ls >&-`); printing should not have to check.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that has no ▌ shows ?
    # A command makes thousands of objects at its start that stay: to look through them again and
    # again for what can be freed takes a twentieth of a short one.
    gc.set_threshold(_FIRST_COLLECTION)
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            pass
    # Everything is closed and flushed; an orderly shutdown of the interpreter would take 10 ms.
    os._exit(code)


def run(args: list[str]) -> int:
    """Run a command line and return its exit code."""
    try:
        code = _invoke(args)
        sys.stdout.flush()
        return code
    except (BrokenPipeError, SystemExit):
        # The reader went away (`aj ls | head`), which click turns into an exit. Stay silent, also
        # when stdout is closed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        note("interrupted; the journal is intact; run the command again to continue")
        return _INTERRUPTED
    except Exception as error:
        if _is_debugging(args):
            raise
        from agent_journal.cli.failures import failure_of, report

        failure = failure_of(error)
        try:
            report(failure, as_json="--json" in args)
        except OSError:
            pass  # stderr is closed
        return failure.exit_code


def _invoke(args: list[str]) -> int:
    # Hooks and schedulers run `aj sync`, mostly with nothing to do. It needs no click, whose import
    # would take a third of its time. The same is true of a search with the usual options,
    # and of who wrote a line, for a program.
    if "_AJ_COMPLETE" not in os.environ:
        if args in ([], ["tui"]):
            from agent_journal.cli.terminal_ui import is_wanted, show_terminal_ui

            if args == ["tui"] or is_wanted():
                return show_terminal_ui("")
        if args == ["sync"]:
            from agent_journal.cli.views.sync_report import sync_and_report

            return sync_and_report()
        if args == ["sync", "--detach"]:
            from agent_journal.cli.detached import detach

            return detach()
        if args in (["statusline"], ["statusline", "--sync"]):
            from agent_journal.cli.status_line import print_status_line

            return print_status_line(sync="--sync" in args)
        if args in (["mcp"], ["mcp", "--no-redact"]):
            from agent_journal.mcp.stdio import serve

            return serve(is_redacting="--no-redact" not in args)
        code = _answer(args)
        if code is not None:
            return code
    from agent_journal.cli.group import invoke

    return invoke(args)


def _answer(args: list[str]) -> int | None:
    """Answer a frequent question with the usual options; None where it is another command."""
    if args[:1] == ["search"]:
        from agent_journal.cli.search_request import parse_plain, search_and_print

        request = parse_plain(args[1:])
        if request is not None:
            return search_and_print(request)
    if args[:1] == ["blame"]:
        from agent_journal.cli.blame_request import blame_and_print, parse_file

        file = parse_file(args[1:])
        if file is not None:
            return blame_and_print(file, None, as_json=True)
    return None


def _is_debugging(args: list[str]) -> bool:
    return "--debug" in args or bool(os.environ.get("AJ_DEBUG"))
