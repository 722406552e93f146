#!/usr/bin/env python3
"""Measures Tidegate against nginx as a raw proxy and against no proxy, and what translating costs, in
one run on this machine.

Everything listens on 127.0.0.1 and is stopped at the end. docs/performance.md says what the rows mean.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import table
from rig import Rig, RigError, idle_percent, resident_kib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENT = os.path.join(ROOT, "docs", "performance.md")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    built = os.path.join(ROOT, "build", "release")
    parser.add_argument("--gateway", default=os.path.join(built, "tidegate"))
    parser.add_argument("--tools", default=built, help="folder of tidegate_load and _upstream")
    parser.add_argument("--seconds", type=float, default=4, help="of each timed part")
    parser.add_argument("--rate", type=float, default=200, help="requests/s of the latency part")
    parser.add_argument("--streams", type=int, default=1000, help="streams held open")
    parser.add_argument("--credentials", default="10,1000,10000",
                        help="pool sizes; the first is measured in full")
    parser.add_argument("--idle-seconds", type=float, default=10, help="of watching an idle proxy")
    parser.add_argument("--repeat", type=int, default=1, help="runs; the medians are reported")
    parser.add_argument("--json", help="file for the figures")
    parser.add_argument("--markdown", action="store_true",
                        help="also put the table into docs/performance.md")
    return parser.parse_args()


def write_bodies(folder):
    """A request file per kind."""
    turn = {"role": "user", "content": "Tell me a short story about a gate in a sea wall."}
    filler = {"role": "user", "content": "The tide comes in and the tide goes out. " * 6400}
    kinds = {
        "plain": {"model": "bench-plain", "messages": [turn]},
        "stream": {"model": "bench-stream", "stream": True, "messages": [turn]},
        "hold": {"model": "bench-hold", "stream": True, "messages": [turn]},
        "big": {"model": "bench-plain", "messages": [filler]},
    }
    paths = {}
    for kind, body in kinds.items():
        paths[kind] = os.path.join(folder, f"{kind}.json")
        with open(paths[kind], "w", encoding="utf-8") as file:
            json.dump(body, file, separators=(",", ":"))
    return paths


def closed_figures(rig, port, bodies, process, options):
    busy = rig.load("closed", port, bodies["plain"], process, connections=64,
                    seconds=options.seconds)
    figures = {"per_second": busy["per_second"], "errors": busy["errors"]}
    if process:
        figures["cpu_each"] = busy["cpu_us_each"]
    return figures


def figures_at_rest(process, options):
    return {"idle_mib": resident_kib(process.pid) / 1024,
            "idle_cpu": idle_percent(process.pid, options.idle_seconds)}


def measure(rig, port, bodies, process, options):
    """Every row for one way to the upstream."""
    figures = {}
    if process:
        figures |= figures_at_rest(process, options)
    figures |= closed_figures(rig, port, bodies, process, options)
    paced = rig.load("rate", port, bodies["plain"], process, rate=options.rate,
                     seconds=options.seconds)
    streamed = rig.load("streams", port, bodies["stream"], process, count=100, rate=25,
                        connections=128, seconds=15)
    big = rig.load("closed", port, bodies["big"], process, connections=16,
                   seconds=options.seconds / 2)
    held = rig.load("hold", port, bodies["hold"], process, count=options.streams, rate=500,
                    connections=options.streams, seconds=options.streams / 500 + 5)
    figures |= {"rate_p50": paced["latency_us"]["p50"], "rate_p99": paced["latency_us"]["p99"],
                "ttfb_p50": streamed["ttfb_us"]["p50"]}
    missing = options.streams - held["first_bytes"]
    figures["errors"] += paced["errors"] + streamed["errors"] + big["errors"] + missing
    if process:
        grown = held["resident_kib"] - held["resident_kib_before"]
        figures |= {"cpu_stream": streamed["cpu_us_each"], "cpu_big": big["cpu_us_each"],
                    "held_mib": held["resident_kib"] / 1024,
                    "held_each_kib": grown / options.streams}
    return figures


def run_once(options, folder, nginx):
    programs = {name: os.path.join(options.tools, f"tidegate_{name}")
                for name in ("load", "upstream")}
    bodies = write_bodies(folder)
    figures = {}
    with Rig(folder, programs, options.gateway) as rig:
        upstream = rig.upstream()
        figures["direct"] = measure(rig, upstream, bodies, None, options)
        process, port = rig.nginx(nginx, upstream)
        figures["nginx"] = measure(rig, port, bodies, process, options)
        rig.stop(process)
        pools = [int(size) for size in options.credentials.split(",")]
        for size in pools:
            process, port = rig.gateway(upstream, size)
            time.sleep(0.5)
            name = f"tidegate, {size:,} keys"
            if size == pools[0]:
                figures[name] = measure(rig, port, bodies, process, options)
            else:
                figures[name] = figures_at_rest(process, options)
                figures[name] |= closed_figures(rig, port, bodies, process, options)
            rig.stop(process)
    return table.with_differences(figures)


def measure_translation(options):
    """MB/s and time per event of every ordered pair of protocols, without sockets."""
    program = os.path.join(options.tools, "tidegate_translation")
    done = subprocess.run([program], capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        raise RigError(done.stderr.strip() or "tidegate_translation failed")
    return json.loads(done.stdout)


def commit():
    done = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True,
                          text=True, check=False)
    return done.stdout.strip() or "unknown"


def main():
    options = parse_arguments()
    nginx = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if not nginx:
        sys.exit("nginx is missing: install nginx-light")
    load_average = os.getloadavg()[0]
    began = time.monotonic()
    runs = []
    with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as folder:
        try:
            for _ in range(options.repeat):
                runs.append(run_once(options, folder, nginx))
            translation = measure_translation(options)
        except (RigError, subprocess.TimeoutExpired) as problem:
            sys.exit(f"bench: {problem}")
    figures = table.medians(runs)
    print("\n".join(table.plain(table.cells(figures))) + "\n")
    print("\n".join(table.plain(table.translation_cells(translation))))
    print(f"\n{time.monotonic() - began:.0f} s; load average before: {load_average:.1f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"commit": commit(), "figures": figures, "runs": runs,
                       "translation": translation}, file, indent=1)
    if options.markdown:
        note = table.machine_note(commit(), load_average)
        for name, rows in (("bench", table.cells(figures)),
                           ("translation", table.translation_cells(translation))):
            table.replace_between_marks(DOCUMENT, name, list(table.markdown(rows, note)))
    return 1 if any(row.get("errors") for row in figures.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
