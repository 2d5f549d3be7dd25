"""Where `aj` begins and ends: streams, exit codes, and the one place where errors become words."""

from __future__ import annotations

import io
import os
import sys

from agent_journal.cli.output import echo, note, safe
from agent_journal.errors import JournalError


def main() -> None:
    """Runs the command line and exits with its code."""
    # `aj ls >&-`: Python has no stream then, and everything that prints would have to ask.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that has no ▌ shows ?
            stream.reconfigure(errors="replace")
    code = run(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            pass
    # Everything is closed and flushed: taking the interpreter apart piece by piece would cost
    # another 10 ms.
    os._exit(code)


def _invoke(args: list[str]) -> int:
    # `aj sync` alone is what hooks and schedulers run, mostly with nothing to do: it needs no
    # parser of options, and importing one would be a third of its time. So it is with a search that
    # has only the usual options.
    if args == ["sync"] and "_AJ_COMPLETE" not in os.environ:
        from agent_journal.cli.views.sync_report import sync_and_report

        return sync_and_report()
    if args[:1] == ["search"] and "_AJ_COMPLETE" not in os.environ:
        from agent_journal.cli.search_request import answer, plain

        asked = plain(args[1:])
        if asked is not None:
            return answer(asked)
    from agent_journal.cli.group import invoke

    return invoke(args)


def run(args: list[str]) -> int:
    """Runs a command line; the exit code."""
    try:
        code = _invoke(args)
        sys.stdout.flush()
        return code
    except (BrokenPipeError, SystemExit):
        # The reader went away (`aj ls | head`), which click turns into an exit: be silent, also
        # when stdout closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except KeyboardInterrupt:
        note("interrupted; the journal is sound, run the command again to go on")
        return 130
    except JournalError as error:
        if _is_debugged(args):
            raise
        return _fail(error.code, error.message, error.hint, error.exit_code, args)
    except UnicodeEncodeError as error:
        if _is_debugged(args):
            raise
        return _fail(
            "usage",
            f"{error.object!r} is not UTF-8",
            "session ids, projects and queries are text",
            2,
            args,
        )
    except OSError as error:
        if _is_debugged(args):
            raise
        where = f"{error.filename}: " if error.filename else ""
        return _fail("system", f"{where}{error.strerror or error}", None, 1, args)
    except Exception as error:
        if _is_debugged(args):
            raise
        hint = "run it again with 'aj --debug …' and report what it shows"
        return _fail(
            "bug", f"something went wrong in aj: {type(error).__name__}: {error}", hint, 1, args
        )


def _is_debugged(args: list[str]) -> bool:
    return "--debug" in args or bool(os.environ.get("AJ_DEBUG"))


def _fail(code: str, message: str, hint: str | None, exit_code: int, args: list[str]) -> int:
    message = safe(message)  # it may name a file or a session
    try:
        if "--json" in args:
            import json

            error = {"code": code, "message": message, "hint": hint}
            echo(json.dumps({"schema": 1, "error": error}, separators=(",", ":")))
        else:
            note(f"aj: {message}")
            for line in (hint or "").splitlines():
                note(f"    {line}")
    except OSError:
        pass  # nobody can be told
    return exit_code
