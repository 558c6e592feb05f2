"""The socket of a page, and the server on it."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from engine.errors import BadInput

_GRACE_S = 2
"""Seconds that requests have to end in when the service does."""


class Server(uvicorn.Server):
    """A server that leaves the signals to whoever runs it: there is more to end than the server."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def server(app: object) -> Server:
    """A server of an app, which runs on an open socket: `serve(sockets=[listen(..)])`."""
    return Server(
        uvicorn.Config(
            app,  # type: ignore[arg-type]
            log_level="warning",
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=_GRACE_S,
        )
    )


def listen(host: str, port: int) -> socket.socket:
    """The page's socket, bound before anything else is begun.

    Raises:
        BadInput: the port is taken, or the host is not ours.
    """
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen()
    except OSError as error:
        listening.close()
        mend = "name another port with --web-port, or stop the program that has it"
        if error.errno != errno.EADDRINUSE:
            mend = "name an address of this machine as [web] host, and a port from 1024 up"
        raise BadInput(f"the page cannot be at {host}:{port} ({error.strerror}): {mend}") from error
    return listening
