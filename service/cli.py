"""The command `pitwatch`: how it ends, whatever happens.

Exit status 0 is good, 1 a negative finding, 2 bad input with one sentence on stderr, 130 an interruption,
141 a reader that has gone. What is called stands in `service.app`.
"""

import os
import re
import sys

# Nothing more here: an interruption before `main` gets a traceback.

INTERRUPTED = 130
READER_GONE = 141
"""As of a process that SIGPIPE has ended."""


def main() -> None:
    """The console script."""
    # matrices here are small: threads that wait for each other over them only take cores from cameras
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        status = _call()
        sys.stdout.flush()
    except BrokenPipeError:
        status = READER_GONE
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status == READER_GONE:
        _hush()
    sys.exit(status)


def _call() -> int:
    """Run the command; its exit status."""
    from typing import Any

    import typer

    from engine.errors import PitwatchError
    from service import app

    # Typer may bring its own click or use another one: this is the base of the exceptions of whichever it is.
    usage_error: Any = typer.BadParameter.__base__
    try:
        status = app.app(standalone_mode=False)
    except PitwatchError as error:
        return _refuse(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        return _refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    except usage_error.__base__ as error:
        context = getattr(error, "ctx", None)
        command = context.command_path if context else f"pitwatch {sys.argv[1]}"
        sentence = _usage(str(error.format_message()), str(getattr(error, "option_name", "")))
        return _refuse(f"{sentence}; see {command} --help")
    except typer.Abort:
        return INTERRUPTED
    except SystemExit as end:
        # Typer and Rich end the process themselves when their reader has gone.
        if isinstance(end.__context__, BrokenPipeError):
            return READER_GONE
        raise
    return status if isinstance(status, int) else 0


def _usage(message: str, option: str) -> str:
    """What Typer says is wrong with the words of a command line, as we would say it.

    Args:
        option: the one that it does not know, if that is what is wrong.
    """
    negative = next((word for word in sys.argv[1:] if re.fullmatch(r"-[0-9]+", word)), None)
    if negative and option.lstrip("-").isdigit():
        return f"{negative} is negative: 0 or more was expected"
    sentence = message.rstrip(".").replace("Value error, ", "")
    sentence = re.sub(r"Input should be (a valid \w+),.*", r"\1 was expected", sentence)
    return sentence[:1].lower() + sentence[1:]


def _refuse(sentence: str) -> int:
    print("pitwatch: " + " ".join(sentence.split()), file=sys.stderr)
    return 2


def _hush() -> None:
    """Let the interpreter flush stdout into nothing when it ends: its reader has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
