# SPDX-License-Identifier: Apache-2.0
"""The command line of ssh, and what its complaints mean."""

from __future__ import annotations

import re
import shlex

from ligament.deploy.hosts import Host
from ligament.deploy.wire import VERB
from ligament.errors import FailureError

_BATCH = ("-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10")
"""No terminal there, and nobody here who could answer a question."""


def ssh_command(host: Host, lease_s: float) -> list[str]:
    """Return the words that start a host's end."""
    words = ["ssh", *_BATCH]
    words += ["-o", f"ServerAliveInterval={max(1, round(lease_s / 2))}"]
    words += ["-p", str(host.port)] if host.port is not None else []
    words += ["-i", str(host.key), "-o", "IdentitiesOnly=yes"] if host.key is not None else []
    for option in host.ssh_options:
        words += ["-o", option]
    return [*words, "--", host.destination, remote_command(host, lease_s)]


def remote_command(host: Host, lease_s: float) -> str:
    """Return what the login shell there gets; the only place where words become shell text."""
    program = host.ligament.removeprefix("~/")
    variables = [f"{name}={value}" for name, value in sorted(host.environment.items())]
    words = [*(("env", *variables) if variables else ()), program]
    return shlex.join([*words, VERB, host.folder.removeprefix("~/"), f"{lease_s:g}"])


_MEANINGS: tuple[tuple[str, str, str], ...] = (
    (
        r"Could not resolve hostname",
        "its address {address} is not known",
        "see `address` in hosts.yaml",
    ),
    (
        r"Connection refused|timed out|No route to host|Network is unreachable|Host is down",
        "it cannot be reached at {address}",
        "is it on, is sshd running there, and is `port` right? Try: {by_hand}",
    ),
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED",
        "its host key is another one than before",
        "if it was set up anew, remove the old key: ssh-keygen -R {address}",
    ),
    (
        r"Host key verification failed|authenticity of host",
        "its host key is not known here",
        "connect once by hand, and compare the fingerprint: {by_hand}",
    ),
    (
        r"Permission denied|Too many authentication failures",
        "it accepts none of your keys",
        "put your key there (ssh-copy-id), or name the right one: `key` in hosts.yaml",
    ),
    (
        rf"not found|No such file or directory|No such verb|there is no verb '{VERB}'",
        "there is no Ligament of this version: '{program}' could not be started",
        "install it there, and name its program: `ligament` in hosts.yaml",
    ),
)


def connect_failure(host: Host, said: str) -> FailureError:
    """Return the error of a host that could not be connected to: `said` is ssh's stderr."""
    by_hand = shlex.join(
        ["ssh", *(["-p", str(host.port)] if host.port is not None else []), host.destination]
    )
    values = {"address": host.address, "by_hand": by_hand, "program": host.ligament}
    # Banners and warnings of the locale come before what counts.
    last = "\n".join([line for line in said.splitlines() if line.strip()][-3:])
    for pattern, meaning, hint in _MEANINGS:
        if re.search(pattern, last):
            return FailureError(f"{host.name}: {meaning.format(**values)}{_quoted(said)}",
                                hint=hint.format(**values))  # fmt: skip
    return FailureError(f"{host.name}: the connection ended{_quoted(said)}", hint=f"try: {by_hand}")


def _quoted(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return f" (ssh: {lines[-1]})" if lines else ""
