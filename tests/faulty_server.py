"""A local http server that misbehaves as told."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """One way to answer: a status and a body, headers beside them, or bytes that are no answer."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    reason: str | None = None
    #: Send this instead of an answer.
    raw: bytes | None = None
    #: After the body send zeros until the client goes away, or nothing until the test is over.
    then: str = ""


@dataclass
class FaultyServer:
    base: str
    answers: dict[str, list[Answer]] = field(default_factory=dict)
    requests: Counter = field(default_factory=Counter)
    #: Values of the header Authorization.
    heard: list[str | None] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def url(self, path: str) -> str:
        return f"{self.base}/{path}"

    def serve(self, path: str, *answers: Answer | bytes) -> str:
        """Queue the answers for a path, the last one for good; return its address."""
        self.answers[path] = [Answer(a) if isinstance(a, bytes) else a for a in answers]
        return self.url(path)


class _Handler(BaseHTTPRequestHandler):
    server_state: FaultyServer

    def do_GET(self):
        state, path = self.server_state, self.path.lstrip("/")
        state.requests[path] += 1
        state.heard.append(self.headers.get("Authorization"))
        queue = state.answers.get(path, [Answer(b"no such file", 404)])
        answer = queue.pop(0) if len(queue) > 1 else queue[0]
        self.close_connection = True
        with suppress(OSError):
            if answer.raw is not None:
                self.wfile.write(answer.raw)
            else:
                self.send_response(answer.status, answer.reason)
                headers = {"Content-Length": str(len(answer.body)), **answer.headers}
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer.body)
            if answer.then == "stall":
                self.wfile.flush()
                state.over.wait(30)
            while answer.then == "zeros":
                self.wfile.write(bytes(65536))

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
            state.over.set()
            http.shutdown()
            thread.join()
