"""Who may talk to the web server: this machine, or whoever has the token."""

import hmac
import ipaddress
from urllib.parse import urlsplit

from starlette.datastructures import Headers, QueryParams
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from engine.errors import BadInput


def is_loopback(host: str) -> bool:
    """Whether `host`, a name or an address, is this machine speaking to itself.

    >>> [is_loopback(host) for host in ("localhost", "127.0.0.1", "::1", "0.0.0.0", "pi.local")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_exposure(host: str, token: str | None) -> None:
    """Refuses to open a server to a network without a token.

    Raises:
        BadInput: `host` is beyond loopback, and there is no token.
    """
    if not is_loopback(host) and not token:
        raise BadInput(f"web: {host} can be reached from the network, and that wants a token: set one")


class Guard:
    """ASGI middleware. On loopback it keeps other sites' pages out; beyond loopback it wants a token.

    A page from elsewhere can reach a server on loopback by giving its own name our address (DNS
    rebinding): then the Host header bears that name. Or it can post blindly: then Origin bears it.
    """

    def __init__(self, app: ASGIApp, *, host: str, token: str | None) -> None:
        """
        Args:
            host: the address that the server listens on.
            token: what a caller of the API must know; None for none (see `check_exposure`).
        """
        self._loopback = is_loopback(host)
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal:
            status, sentence = refusal
            await JSONResponse({"error": sentence}, status_code=status)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._loopback and not is_loopback(urlsplit(f"//{host}").hostname or ""):
            return 403, f"this server answers to localhost and 127.0.0.1 only, not to {host!r}"
        origin = headers.get("origin")
        if scope["method"] not in {"GET", "HEAD"} and origin and urlsplit(origin).netloc != host:
            return 403, f"a page of {origin} may not post here"
        if self._token and scope["path"].startswith("/api/") and not self._knows(scope, headers):
            return 401, "a token is wanted: Authorization: Bearer TOKEN, or ?token=TOKEN"
        return None

    def _knows(self, scope: Scope, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer":
            given = QueryParams(scope["query_string"].decode("latin-1")).get("token", "")
        return hmac.compare_digest(given.encode(), (self._token or "").encode())
