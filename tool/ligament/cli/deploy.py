# SPDX-License-Identifier: Apache-2.0
"""`ligament deploy`: a graph over several hosts as one run."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from ligament.artefacts import DEFAULT_OUT
from ligament.build.progress import progress_bar
from ligament.cli.common import (
    ChosenMapping,
    MappingOption,
    OutOption,
    PlatformOption,
    VariantOption,
    print_json,
    warn,
)
from ligament.cli.run import (
    Duration,
    Level,
    LogLevel,
    QuietOption,
    Restart,
    RunJsonOption,
    SetOption,
    StartTimeout,
    Until,
)
from ligament.deploy.builds import build_parts
from ligament.deploy.cleaning import as_json, as_text, clean_hosts
from ligament.deploy.stage import DeployRequest, deploy_graph, hosts_of
from ligament.deploy.state import DeployOptions
from ligament.errors import FailureError
from ligament.mapping import GraphMapping, load_mapping
from ligament.pipeline import Request, generated
from ligament.run.display import Display, Quiet
from ligament.run.graph_run import FinishedRun
from ligament.run.overrides import parse_overrides

HostsOption = Annotated[
    Path, typer.Option("--hosts", metavar="FILE", help="hosts.yaml: how each host is reached.")
]
TraceOption = Annotated[bool, typer.Option("--trace", help="Record events on all hosts.")]
KeepGoing = Annotated[
    bool, typer.Option("--keep-going", help="If a host fails or is gone, the others go on.")
]

Clean = Annotated[
    bool,
    typer.Option(
        "--clean",
        help="Start nothing: stop what earlier deploys of this variant still run on its hosts, and "
        "remove the files of their runs there.",
    ),
]


def deploy(
    graph: Annotated[
        str, typer.Argument(metavar="GRAPH", help="A graph, as everywhere, or a build.json.")
    ] = ".",
    hosts: HostsOption = Path("hosts.yaml"),
    variant: VariantOption = None,
    trace: TraceOption = False,
    duration: Duration = None,
    until: Until = None,
    set_parameters: SetOption = None,
    restart: Restart = False,
    keep_going: KeepGoing = False,
    clean: Clean = False,
    start_timeout: StartTimeout = 10.0,
    log_level: LogLevel = Level.INFO,
    quiet: QuietOption = False,
    platform: PlatformOption = None,
    out: OutOption = DEFAULT_OUT,
    mapping: MappingOption = None,
    json: RunJsonOption = False,
) -> None:
    """Run a graph on several hosts, as one: copy what changed over ssh, start, watch, stop.

    Each host needs sshd, and Ligament of the same version. Which node runs where stands in the
    graph. Hosts with another kind of processor get what was built for it: `target` in hosts.yaml.
    All runs end up in one run folder, whose `ligament report` is on one clock.

    Examples:

    `ligament deploy examples/perception --variant two_hosts --hosts hosts.yaml --trace`

    `ligament deploy graph.yaml --duration 10 --keep-going`

    `ligament deploy graph.yaml --clean`
    """
    parse_overrides(set_parameters or ())
    words = ["--log-level", log_level.value, "--start-timeout", f"{start_timeout:g}"]
    words += [word for word, on in (("--trace", trace), ("--restart", restart)) if on]
    words += [word for one in set_parameters or () for word in ("--set", one)]
    chosen = ChosenMapping(variant, platform, out, mapping)
    path = Path(graph)
    manifest = None if path.name == "build.json" else generated(chosen.request(graph)).manifest
    builds: dict[str, Path] = {}
    mapped = (manifest or path).with_name("mapping.json")
    if clean:
        _clean(load_mapping(mapped), hosts, json)
        return
    if manifest is not None:
        builds = _built(chosen.request(graph), manifest, hosts)
        path = next(iter(builds.values()))
    if mapped.is_file():
        warn(load_mapping(mapped).warnings)
    again = _again(graph, hosts, chosen)
    options = DeployOptions(tuple(words), tuple(until or ()), duration, keep_going, again)
    finished = _shown(DeployRequest(path, hosts, options, builds), quiet or json)
    _print_ending(finished, json)
    raise typer.Exit(finished.exit_code)


def _built(request: Request, manifest: Path, hosts: Path) -> dict[str, Path]:
    """What is wrong with the hosts is told before anything is compiled."""
    needed = hosts_of(load_mapping(manifest.with_name("mapping.json")), hosts)
    with progress_bar() as progress:
        return build_parts(request, manifest, needed, progress)


def _clean(mapping: GraphMapping, hosts: Path, json: bool) -> None:
    """What could be done is told before what could not."""
    found = clean_hosts(mapping, hosts)
    wrong = [one for one in found.values() if isinstance(one, FailureError)]
    if json:
        print_json(as_json(mapping, found))
        raise typer.Exit(int(bool(wrong)))
    for host, one in found.items():
        if not isinstance(one, FailureError):
            print(as_text(host, one))
    if wrong:
        raise FailureError("\n".join(map(str, wrong)))


def _again(graph: str, hosts: Path, chosen: ChosenMapping) -> str:
    """The words of this deploy, as they are typed in a shell."""
    words = ["ligament", "deploy", graph, "--hosts", str(hosts)]
    words += ["--variant", chosen.variant] if chosen.variant else []
    words += ["--platform", chosen.platform] if chosen.platform else []
    words += ["--out", str(chosen.out)] if chosen.out != DEFAULT_OUT else []
    words += ["--mapping", str(chosen.mapping)] if chosen.mapping else []
    return shlex.join(words)


def _shown(request: DeployRequest, quiet: bool) -> FinishedRun:
    if quiet:
        return deploy_graph(request, Quiet())
    folder = request.build.resolve().parent
    with Display(f"{folder.parent.name}/{folder.name}") as display:
        return deploy_graph(request, display)


def _print_ending(finished: FinishedRun, json: bool) -> None:
    data = finished.data
    if json:
        print_json(data)
        return
    if finished.exit_code != 0:
        print(f"error: {data['reason']}", file=sys.stderr)
    reason = f" ({data['reason']})" if finished.exit_code == 0 else ""
    print(f"{data['graph']}/{data['variant']}: {data['state']}{reason}\nrun: {finished.path}")
