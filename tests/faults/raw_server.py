"""A server that sends whatever bytes it is told to, at whatever pace, and counts them."""

from __future__ import annotations

import socket
import socketserver
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

#: First byte of a client that wants to speak TLS.
TLS_HELLO = 0x16


@dataclass
class Connection:
    """One connection: what was asked, and ways to answer."""

    socket: socket.socket
    request: str
    server: RawServer

    def send(self, *parts: bytes | str) -> None:
        for part in parts:
            data = part.encode() if isinstance(part, str) else part
            self.socket.sendall(data)
            self.server.sent += len(data)

    def answer(self, body: bytes = b"", status: str = "200 OK", **headers: str) -> None:
        """Send a whole answer with its length, unless that is given."""
        headers = {"Content-Length": str(len(body)), "Connection": "close"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.send(f"HTTP/1.1 {status}\r\n{lines}\r\n", body)

    def drip(self, data: bytes, pause: float = 0.05) -> None:
        for i in range(len(data)):
            self.send(data[i : i + 1])
            time.sleep(pause)

    def wait(self) -> None:
        """Keep silent until the test is over."""
        self.server.over.wait(20)

    def reset(self) -> None:
        """Close without the usual farewell."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    @property
    def headers(self) -> dict[str, str]:
        """What was asked, by names in small letters."""
        pairs = (line.partition(":") for line in self.request.splitlines()[1:])
        return {name.strip().lower(): value.strip() for name, _, value in pairs}

    @property
    def range_start(self) -> int:
        """First byte that was asked for."""
        for line in self.request.splitlines():
            if line.lower().startswith("range: bytes="):
                return int(line.partition("=")[2].rstrip("-"))
        return 0


Script = Callable[[Connection], None]


@dataclass
class RawServer:
    scripts: list[Script]
    port: int = 0
    sent: int = 0
    requests: int = 0
    scheme: str = "http"
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/a.txt"


@contextmanager
def raw_server(*scripts: Script, tls: ssl.SSLContext | None = None) -> Iterator[RawServer]:
    """Serve each connection by the next script, the last one for good."""
    state = RawServer(list(scripts), scheme="https" if tls else "http")

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            request = b""
            with suppress(OSError):
                while b"\r\n\r\n" not in request and (data := self.request.recv(65536)):
                    request += data
                    if request[0] == TLS_HELLO:
                        break
                script = state.scripts[min(state.requests, len(state.scripts) - 1)]
                state.requests += 1
                script(Connection(self.request, request.decode("latin1"), state))

        def finish(self):
            if tls is not None:
                with suppress(OSError):
                    self.request.unwrap()

        def setup(self):
            if tls is not None:
                self.request = tls.wrap_socket(self.request, server_side=True)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        block_on_close = False
        allow_reuse_address = True

        def handle_error(self, request, client_address):
            """Keep quiet: clients go away in the middle of what they are sent."""

    with Server(("127.0.0.1", 0), Handler) as server:
        state.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield state
        finally:
            state.over.set()
            server.shutdown()
            thread.join()
