# SPDX-License-Identifier: Apache-2.0
"""A small server on this computer alone: the page, the state as JSON, images."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


class Server:
    """Serves until it is closed; `port` is another one than wanted where that was 0."""

    def __init__(
        self,
        port: int,
        page: Path,
        state: Callable[[], dict[str, Any]],
        picture: Callable[[str], bytes | None],
    ) -> None:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                if path == "/":
                    self._send("text/html; charset=utf-8", page.read_bytes())
                elif path == "/state":
                    self._send("application/json", json.dumps(state()).encode())
                elif path.endswith(".bmp"):
                    self._send("image/bmp", picture(path[1:-4]) or b"")
                else:
                    self.send_error(404)

            def _send(self, kind: str, body: bytes) -> None:
                self.send_response(200 if body else 204)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Say nothing of requests."""

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
