"""A local http server that misbehaves as told."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal


@dataclass
class Answer:
    """One way to answer: the body as it is, or only half of it, or after ``released``, ..."""

    body: bytes = b""
    kind: Literal["ok", "truncated", "stalled", "redirect", "error"] = "ok"
    status: int = 200
    location: str = ""


@dataclass
class FaultyServer:
    base: str
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    requests: Counter = field(default_factory=Counter)
    #: A stalled answer has sent half of its body.
    stalling: threading.Event = field(default_factory=threading.Event)
    #: Lets stalled answers end.
    released: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str) -> str:
        return f"{self.base}/{path}"

    def serve(self, path: str, *answers: Answer | bytes) -> str:
        """Queue the answers for a path, the last one for good; return its address."""
        self.answers[path] = [Answer(a) if isinstance(a, bytes) else a for a in answers]
        return self.url(path)

    def answer(self, path: str) -> Answer:
        self.requests[path] += 1
        queue = self.answers.get(path, [Answer(b"no such file", "error", 404)])
        return queue.pop(0) if len(queue) > 1 else queue[0]


class _Handler(BaseHTTPRequestHandler):
    server_state: FaultyServer

    def do_GET(self):
        state = self.server_state
        answer = state.answer(self.path.lstrip("/"))
        if answer.kind == "redirect":
            self.send_response(302)
            self.send_header("Location", answer.location)
            self.end_headers()
            return
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        half = len(answer.body) // 2
        if answer.kind in {"truncated", "stalled"}:
            self.wfile.write(answer.body[:half])
            self.wfile.flush()
            if answer.kind == "stalled":
                state.stalling.set()
                state.released.wait(30)
            self.close_connection = True
        else:
            self.wfile.write(answer.body)

    def log_message(self, *args):
        """Keep quiet."""


@contextmanager
def faulty_server() -> Iterator[FaultyServer]:
    handler = type("Handler", (_Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        http.daemon_threads = True
        http.block_on_close = False
        state = FaultyServer(f"http://127.0.0.1:{http.server_address[1]}")
        handler.server_state = state
        thread = threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield state
        finally:
            state.released.set()
            http.shutdown()
            thread.join()
