"""The base of every exception this project raises on purpose."""


class PitwatchError(Exception):
    """A caller's mistake or a broken machine, in one clear sentence: what, where, and the mend.

    A foul by a player is never an exception: it is a `referee.events.Violation`.
    """


class BadInput(PitwatchError, ValueError):  # noqa: N818 - the sentence is the error, the name says whose
    """Something handed to us cannot be used: a name, an option, a file, a line, a picture."""
