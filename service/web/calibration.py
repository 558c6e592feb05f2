"""The page of a calibration: the same guidance as on the terminal, with the holes lit.

| request               | answer                                                             |
| --------------------- | ------------------------------------------------------------------ |
| GET /api/calibration  | what is to be done, what was found, and the board                  |
| POST /api/calibration | an answer: done, again, or right; what is to be done next          |
"""

from dataclasses import asdict
from typing import Any, Literal, Protocol

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict

from engine.layout import Layout
from service.web.app import answer_in_one_sentence, serve_page
from service.web.guard import Guard


class Guided(Protocol):
    """A calibration, as the page sees it."""

    def as_json(self) -> dict[str, Any]:
        """What is to be done, and what was found."""
        ...

    def answer(self, answer: Any) -> None:
        """Passes on what a person says.

        Raises:
            BadInput: it is no answer to what is asked.
        """
        ...


class Said(BaseModel):
    """What a person says."""

    model_config = ConfigDict(extra="forbid")

    answer: Literal["done", "again", "right"]


def create_calibration_app(guided: Guided, layout: Layout) -> FastAPI:
    """The server of one calibration, for this machine alone."""
    app = FastAPI(title="Pitwatch calibration", openapi_url=None, docs_url=None, redoc_url=None)
    app.add_middleware(Guard, host="127.0.0.1", token=None)
    answer_in_one_sentence(app)
    serve_page(app, "calibrate.html")

    @app.get("/api/calibration")
    async def now() -> dict[str, Any]:
        return {**guided.as_json(), "layout": asdict(layout)}

    @app.post("/api/calibration")
    async def say(said: Said) -> dict[str, Any]:
        guided.answer(said.answer)
        return await now()

    return app
