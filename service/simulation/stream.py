"""The simulated camera at its wire: a film as a stream on the network, motion JPEG over HTTP."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import cv2
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from service.simulation.camera import Exposure
from service.simulation.film import Film
from service.web.serving import listen, server

QUALITY = 92
"""Of the JPEG pictures, 0 to 100."""
_BOUNDARY = "frame"


class Stream:
    """A server of the newest picture, on a free port of this machine, from `open` to `close`."""

    def __init__(self) -> None:
        self._listening = listen("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/"
        self.watched = asyncio.Event()
        """Somebody has begun to watch."""
        self._server = server(Starlette(routes=[Route("/", self._watch)]))
        self._serving: asyncio.Task[None] | None = None
        self._newest = b""
        self._fresh = asyncio.Condition()
        self._closing = False

    async def open(self) -> None:
        """Begin to serve."""
        self._serving = asyncio.create_task(self._server.serve(sockets=[self._listening]))

    async def show(self, film: Film, exposure: Exposure) -> None:
        """Have those who watch see an exposure. Drawing takes some 50 ms, in which others may work."""
        self._newest = await asyncio.to_thread(_jpeg, film, exposure)
        async with self._fresh:
            self._fresh.notify_all()

    async def close(self) -> None:
        """End; whoever watches has lost the camera."""
        self._closing = True
        async with self._fresh:
            self._fresh.notify_all()
        self._server.should_exit = True
        if self._serving is not None:
            with suppress(asyncio.CancelledError):
                await self._serving
        self._listening.close()

    async def _watch(self, request: Request) -> StreamingResponse:
        self.watched.set()
        return StreamingResponse(self._parts(), media_type=f"multipart/x-mixed-replace; boundary={_BOUNDARY}")

    async def _parts(self) -> AsyncIterator[bytes]:
        sent = b""
        while not self._closing:
            if self._newest is not sent:
                sent = self._newest
                yield b"--%s\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n%s\r\n" % (
                    _BOUNDARY.encode(), len(sent), sent,
                )  # fmt: skip
            async with self._fresh:
                if self._newest is sent and not self._closing:
                    await self._fresh.wait()


def _jpeg(film: Film, exposure: Exposure) -> bytes:
    good, data = cv2.imencode(".jpg", film.picture(exposure), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    assert good
    return data.tobytes()
