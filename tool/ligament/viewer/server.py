# SPDX-License-Identifier: Apache-2.0
"""A small server of one page, for this computer: the page's files, the state as JSON, images.

It answers GET for a fixed list of paths alone, so no path leads to a file. It answers only who
names it as it is called (the header Host), so that no page of another site reads it; and only so
many connections at once, each for a while.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from socket import socket
from typing import Any
from urllib.parse import parse_qs, urlsplit

from ligament.viewer.pictures import File

MOST_CONNECTIONS = 16
#: Seconds that a connection may be silent.
PATIENCE_S = 20.0
FILES = {
    "/": ("view.html", "text/html; charset=utf-8"),
    "/view.js": ("view.js", "text/javascript; charset=utf-8"),
    "/view.css": ("view.css", "text/css; charset=utf-8"),
}
POLICY = "default-src 'self'; img-src 'self' blob: data:"


@dataclass(frozen=True)
class Source:
    """What the server asks for."""

    state: Callable[[], dict[str, Any]]
    image: Callable[[str], File | None]


class Server:
    """Serves until it is closed; `port` is another one than wanted where that was 0."""

    def __init__(self, host: str, port: int, source: Source) -> None:
        self._server = _Http((host, port), _handler(source, host))
        self.host, self.port = host, int(self._server.server_address[1])
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


class _Http(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *words: Any) -> None:
        self._free = threading.BoundedSemaphore(MOST_CONNECTIONS)
        super().__init__(*words)

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: socket | Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, *_: Any) -> None:
        """Say nothing of connections that break off."""


def _handler(source: Source, host: str) -> type[BaseHTTPRequestHandler]:
    names = {host, "127.0.0.1", "localhost", "[::1]", f"[{host}]"}
    is_open = host in ("0.0.0.0", "::", "")

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = PATIENCE_S

        def do_GET(self) -> None:
            called = self.headers.get("Host", "").rsplit(":", 1)[0]
            if not is_open and called not in names:
                self.send_error(403, "this page is called by another name")
                return
            parts = urlsplit(self.path)
            if parts.path in FILES:
                name, kind = FILES[parts.path]
                page = resources.files("ligament.viewer") / "page" / name
                self._send(kind, page.read_bytes())
            elif parts.path == "/state":
                self._send("application/json", json.dumps(source.state()).encode())
            elif parts.path == "/image":
                topic = parse_qs(parts.query).get("topic", [""])[0]
                self._send(*(source.image(topic) or ("image/bmp", b"")))
            else:
                self.send_error(404)

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(200 if body else 204)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing of requests."""

    return Handler
