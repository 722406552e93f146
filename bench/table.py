"""Turns the figures of a run into rows of text."""
import datetime
import os
import platform
import statistics

PROTOCOLS = ("chat", "responses", "messages", "gemini")
TRANSLATION_COLUMNS = (
    ("100 KB request, MB/s", "small_mb_s", "{:.0f}"),
    ("2 MB request, MB/s", "large_mb_s", "{:.0f}"),
    ("stream, us per event", "event_us", "{:.2f}"),
)

# (title, key, format)
ROWS = (
    ("requests/s, 64 connections", "per_second", "{:,.0f}"),
    ("CPU per request, us", "cpu_each", "{:.1f}"),
    ("latency at the fixed rate, p50, us", "rate_p50", "{:,.0f}"),
    ("latency at the fixed rate, p99, us", "rate_p99", "{:,.0f}"),
    ("added p50, us", "added_p50", "{:,.0f}"),
    ("added p99, us", "added_p99", "{:,.0f}"),
    ("stream: added time to first byte, p50, us", "added_ttfb", "{:,.0f}"),
    ("CPU per stream of 20 events, us", "cpu_stream", "{:,.0f}"),
    ("256 KB request: CPU, us", "cpu_big", "{:,.0f}"),
    ("resident memory after the start, MiB", "idle_mib", "{:.1f}"),
    ("resident memory with open streams, MiB", "held_mib", "{:.1f}"),
    ("memory per open stream, KiB", "held_each_kib", "{:.1f}"),
    ("CPU while idle, percent of a processor", "idle_cpu", "{:.3f}"),
    ("failed requests", "errors", "{:.0f}"),
)


def with_differences(figures):
    """Adds what each proxy adds to the direct way."""
    direct = figures["direct"]
    for name, row in figures.items():
        if name == "direct":
            continue
        for added, of in (("added_p50", "rate_p50"), ("added_p99", "rate_p99"),
                          ("added_ttfb", "ttfb_p50")):
            if of in row and of in direct:
                row[added] = row[of] - direct[of]
    return figures


def medians(runs):
    """One set of figures from several runs."""
    merged = {}
    for name in runs[0]:
        keys = {key for run in runs for key in run[name]}
        merged[name] = {key: statistics.median(run[name][key] for run in runs if key in run[name])
                        for key in keys}
    return merged


def cells(figures):
    """The table as rows of text; the first is the heading."""
    names = list(figures)
    gateway = next((name for name in names if name.startswith("tidegate")), None)
    has_ratio = gateway is not None and "nginx" in figures
    yield [""] + names + (["gateway / nginx"] if has_ratio else [])
    for title, key, form in ROWS:
        if not any(key in figures[name] for name in names):
            continue
        row = [title]
        row += [form.format(figures[name][key]) if key in figures[name] else "" for name in names]
        if has_ratio:
            ours, theirs = figures[gateway].get(key), figures["nginx"].get(key)
            is_ratio = ours is not None and theirs is not None and theirs > 0 and key != "errors"
            row.append(f"{ours / theirs:.2f}" if is_ratio else "")
        yield row


def translation_cells(figures):
    """The costs of translating, one row per ordered pair of protocols."""
    yield ["client to provider"] + [title for title, _, _ in TRANSLATION_COLUMNS]
    for client in PROTOCOLS:
        for provider in PROTOCOLS:
            if client != provider:
                # A request goes from client to provider, the stream the other way.
                there, back = figures[f"{client}_to_{provider}"], figures[f"{provider}_to_{client}"]
                row = {**there, "event_us": back["event_us"]}
                yield [f"{client} to {provider}"] + [form.format(row[key])
                                                     for _, key, form in TRANSLATION_COLUMNS]


def plain(cells_of):
    rows = list(cells_of)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        first = row[0].ljust(widths[0])
        yield "  ".join([first] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])])


def markdown(cells_of, note):
    rows = list(cells_of)
    yield "| " + " | ".join(rows[0]) + " |"
    yield "|---" + "|---:" * (len(rows[0]) - 1) + "|"
    for row in rows[1:]:
        yield "| " + " | ".join(row) + " |"
    yield ""
    yield note


def machine_note(commit, load_average):
    day = datetime.date.today().isoformat()
    return (f"{day}, commit {commit}, {os.cpu_count()} processors ({platform.machine()}), "
            f"load average {load_average:.1f} before the run.")


def replace_between_marks(path, name, lines):
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(begin, 1)
    after = rest.split(end, 1)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(before + begin + "\n" + "\n".join(lines) + "\n" + end + after)
