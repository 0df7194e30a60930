"""Turns the figures of measure.py into text and charts: `report.py RESULTS.json DOCS` does it again.

Docs/Engine/Figures.md gets all of them, Docs/Performance.md a table, and the README's chart is speed.svg.
"""
import json
import pathlib
import statistics
import sys
import textwrap

MARKS = {kind: (f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->")
         for kind, mark in (("ready", "measured"), ("imported", "imported"), ("sequences", "sequences"))}
LABELS = {"forge": "Forge", "onnxruntime": "ONNX Runtime", "openvino": "OpenVINO", "litert": "LiteRT", "mnn": "MNN",
          "ncnn": "ncnn"}
NETWORKS = {"lenet": "LeNet 28", "mobilenet": "MobileNet v1 224", "mobilenetv2": "MobileNet v2 224",
            "tinyyolo": "Tiny YOLO v2 416",
            "inceptionv3": "Inception-v3 299", "resnet50": "ResNet-50 224",
            "mobilenetv3": "MobileNet v3 224", "efficientnetb0": "EfficientNet-B0 224",
            "densenet121": "DenseNet-121 224", "unet": "U-Net 256",
            "encoder128": "encoder 12×768, 128 tokens", "encoder512": "encoder 12×768, 512 tokens",
            "sentence128": "encoder 6×384, 128 tokens", "vit": "ViT-B/16 224",
            "lstm": "LSTM 2×512, 100 frames", "lstmframes": "LSTM 2×512, one frame"}
COLORS = {"forge": "#d9480f", "onnxruntime": "#4c6ef5", "openvino": "#15aabf", "litert": "#82c91e", "mnn": "#868e96",
           "ncnn": "#be4bdb"}
MINIMUM, MEDIAN = 0, 1


def ratios(rounds, which):
    """Per round: the time of the fastest other over Forge's."""
    others = [name for name in rounds if name != "forge"]
    return [min(rounds[name][index][which] for name in others) / own[which]
            for index, own in enumerate(rounds["forge"])] if others else []


def middle(rounds, name):
    """The median over rounds of the rounds' medians."""
    return statistics.median(one[MEDIAN] for one in rounds[name])


def milliseconds(time, unit=" ms"):
    """Three digits of a time, all of a longer one."""
    return f"{time:.3g}{unit}" if time < 100 else f"{time:.0f}{unit}"


def table(heading, rows):
    lines = ["| " + " | ".join(heading) + " |", "| --- |" + " ---: |" * (len(heading) - 1)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


def per_runtime(values, form):
    """One cell per runtime; a dash where it was left out."""
    return [form(values[name]) if name in values else "–" for name in LABELS]


def speed_section(results):
    rows, labels = [], {name: LABELS[name] for name in ["forge", *results["facts"]["versions"]]}
    for network, by_threads in results["speed"].items():
        for threads, rounds in by_threads.items():
            medians = {name: middle(rounds, name) for name in rounds}
            fastest = min(medians, key=medians.get)
            cells = [f"**{medians[name]:.3f}**" if name == fastest else f"{medians[name]:.3f}"
                     if name in medians else "–" for name in labels]
            by_median = ratios(rounds, MEDIAN)
            figure = ["–"] * 3
            if by_median:
                figure = [f"**{statistics.median(by_median):.2f}**", f"{min(by_median):.2f}–{max(by_median):.2f}",
                          f"{statistics.median(ratios(rounds, MINIMUM)):.2f}"]
            rows.append([NETWORKS.get(network, network), threads, *cells, *figure])
    return ["### Time of one prediction, milliseconds", ""] + table(
        ["network", "threads", *labels.values(), "fastest other / Forge", "its range", "by minima"], rows)


def brief_section(results):
    """One row per network: the times of one thread, and the ratios of all numbers of threads."""
    rows, names = [], ["forge", *results["facts"]["versions"]]
    counts = list(next(iter(results["speed"].values())))
    for network, by_threads in results["speed"].items():
        rounds = by_threads[counts[0]]
        row = [NETWORKS.get(network, network)]
        row += [milliseconds(middle(rounds, name), "") if name in rounds else "–" for name in names]
        for threads in counts:
            by_median = ratios(by_threads[threads], MEDIAN)
            row.append(f"**{statistics.median(by_median):.2f}**" if by_median else "–")
        rows.append(row)
    heading = ["network", *(LABELS[name] for name in names)]
    plural = {threads: "thread" if threads == "1" else "threads" for threads in counts}
    return table(heading + [f"{threads} {plural[threads]}" for threads in counts], rows)


def brief_facts(facts):
    """What a reader needs to know of the machine, in a sentence."""
    if facts["quick"]:
        return ["**A trial run (`--quick`), perhaps on a busy machine: these figures say nothing about speed.**"]
    machine = facts["machine"].get("Model name", "unknown processor")
    versions = ", ".join(f"{LABELS[name]} {version}" for name, version in facts["versions"].items())
    return [f"{machine}, {facts['date']}; {versions}; {facts['rounds']} rounds."]


def start_section(results):
    starts = results["starts"]
    lines = ["### From a file to the first answer, milliseconds, one thread", ""]
    lines += table(["network", *LABELS.values()], [
        [NETWORKS.get(network, network),
         *per_runtime(values, lambda v: f"{v['total_ms']:.1f} ({v['load_ms']:.1f} + {v['first_ms']:.1f})")]
        for network, values in starts.items()])
    lines += ["", "### Memory that loading and predicting add to the process, MB (at most; all of the process)", ""]
    lines += table(["network", *LABELS.values()], [
        [NETWORKS.get(network, network),
         *per_runtime(values, lambda v: f"{v['growth'] / 1e6:.1f} ({v['peak_growth'] / 1e6:.1f}; "
                                        f"{v['resident'] / 1e6:.0f})")]
        for network, values in starts.items()])
    return lines


def batch_section(results):
    rows = []
    for network, rounds in results["batches"].items():
        single, *larger = zip(*rounds)
        rows.append([NETWORKS.get(network, network), f"{statistics.median(single):.3f}"])
        for times in larger:
            gain = statistics.median(one / per for one, per in zip(single, times))
            rows[-1] += [f"{statistics.median(times):.3f}", f"{gain:.2f}"]
    return ["### Forge's time per picture of a batch, milliseconds, one thread", ""] + table(
        ["network", "batch 1", "batch 8", "throughput against 1", "batch 32", "throughput against 1"], rows)


def layer_section(results):
    measured = results.get("layers")
    if not measured:
        return []
    peak, bandwidth = measured["peak_gflops"], measured["memory_gigabytes_per_second"]
    lines = [
        "### Layers by themselves, one thread", "",
        f"The measured peak is {peak:.1f} GFLOP/s ({measured['instruction_set']}), memory gives {bandwidth:.1f} GB/s.",
        "", "<details><summary>All layers</summary>", ""]
    lines += table(["layer", "ms", "GFLOP/s", "GB/s", "bound by", "share of the bound", "kernels"], [
        [one["layer"], f"{one['median_ms']:.4f}", f"{one['gflops']:.1f}", f"{one['gigabytes_per_second']:.1f}",
         one["bound"], f"{100 * one['share']:.0f} %", one["kernels"]] for one in measured["layers"]])
    return lines + ["", "</details>"]


def fact_section(facts, is_ready):
    lines = []
    if facts["quick"]:
        lines += ["**A trial run (`--quick`), perhaps on a busy machine: these figures say nothing about speed.**", ""]
    machine = ", ".join(f"{name} {value}" for name, value in facts["machine"].items())
    versions = ", ".join(f"{LABELS[name]} {version}" for name, version in facts["versions"].items())
    return lines + [
        f"- {facts['date']}; Forge {facts['forge']}; {facts['swift']}.",
        f"- {machine}; {facts['memory'] / 2**30:.0f} GiB of memory; Linux {facts['kernel']}; load at the start "
        f"{facts['load']:.2f}.",
        f"- {versions}; Python {facts['python']}.",
        f"- {facts['rounds']} rounds, each runtime {facts['seconds']} s per round"
        + (f"; medians of {facts['starts']} fresh processes for loading and memory, of "
           f"{facts['batch_rounds']} rounds for batches." if is_ready else ".")]


def chart(results):
    """Bars of speed relative to Forge, in SVG; longer is faster."""
    groups = [(network, threads, {name: middle(rounds, name) for name in rounds})
              for network, by_threads in results["speed"].items() for threads, rounds in by_threads.items()]
    bar, gap, left, width = 16, 22, 190, 760
    longest = max((times["forge"] / time for _, _, times in groups for time in times.values()), default=1)
    scale = (width - left - 130) / longest
    parts, y = [], 58
    for network, threads, times in groups:
        title = f"{NETWORKS.get(network, network)}, {threads} thread{'s' if threads != '1' else ''}"
        parts.append(f'<text x="12" y="{y + 12}" font-weight="bold">{title}</text>')
        y += bar + 4
        for name in (name for name in LABELS if name in times):
            relative = times["forge"] / times[name]
            parts.append(f'<text x="{left - 8}" y="{y + 12}" text-anchor="end">{LABELS[name]}</text>')
            parts.append(f'<rect x="{left}" y="{y}" width="{relative * scale:.1f}" height="{bar - 2}" '
                         f'fill="{COLORS[name]}"/>')
            parts.append(f'<text x="{left + relative * scale + 6:.1f}" y="{y + 12}">'
                         f'{relative:.2f} ({milliseconds(times[name])})</text>')
            y += bar
        y += gap
    note = "a trial run, not a measurement" if results["facts"]["quick"] else \
        results["facts"]["machine"].get("Model name", "") + ", " + results["facts"]["date"]
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" '
            'font-family="sans-serif" font-size="13" fill="#212529">',
            f'<rect width="{width}" height="{y}" fill="white"/>',
            '<text x="12" y="24" font-size="16">Predictions per second, Forge = 1 (longer is faster)</text>',
            f'<text x="12" y="44" fill="#868e96">fp32, batch 1; {note}</text>']
    return "\n".join(head + parts + ["</svg>"]) + "\n"


def wrapped(line):
    """A line of text in lines of at most 100 columns; tables, headings and markup stay as they are."""
    if len(line) <= 100 or line[:1] in "|<#!":
        return line
    return textwrap.fill(line, 100, subsequent_indent="  " if line.startswith("- ") else "",
                         break_long_words=False, break_on_hyphens=False)


def brief_chart(results):
    """The chart of the README: times of one thread, four runtimes, all networks."""
    shown = ["forge", "onnxruntime", "openvino", "litert"]
    bar, left, width, y, parts = 13, 150, 760, 62, []
    for network, by_threads in results["speed"].items():
        rounds = next(iter(by_threads.values()))
        times = {name: middle(rounds, name) for name in shown if name in rounds}
        longest = max(times.values())
        middle_line = y + bar * len(times) / 2 + 4
        parts.append(f'<text x="{left - 12}" y="{middle_line:.1f}" text-anchor="end" font-weight="bold">'
                     f'{NETWORKS.get(network, network)}</text>')
        for name, time in times.items():
            length = (width - left - 110) * time / longest
            parts.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 2}" fill="{COLORS[name]}"/>')
            weight = ' font-weight="bold"' if name == "forge" else ""
            parts.append(f'<text x="{left + length + 6:.1f}" y="{y + 10}" font-size="11"{weight}>'
                         f'{milliseconds(time)}</text>')
            y += bar
        y += 14
    legend, x = [], left
    for name in shown:
        legend.append(f'<rect x="{x}" y="36" width="11" height="11" fill="{COLORS[name]}"/>'
                      f'<text x="{x + 16}" y="46">{LABELS[name]}</text>')
        x += 36 + 8 * len(LABELS[name])
    note = "a trial run, not a measurement" if results["facts"]["quick"] else \
        results["facts"]["machine"].get("Model name", "")
    head = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y}" '
            'font-family="sans-serif" font-size="13" fill="#212529">',
            f'<rect width="{width}" height="{y}" fill="white"/>',
            f'<text x="12" y="22" font-size="15">Time of one prediction, one thread, fp32 (shorter is faster); '
            f'{note}</text>']
    return "\n".join(head + legend + parts + ["</svg>"]) + "\n"


def replace(page, kind, sections):
    """Replaces what stands between the markers of a page."""
    begin, end = MARKS[kind]
    before, _, rest = page.read_text().partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        sys.exit(f"{page} has no lines {begin} and {end}")
    text = "\n\n".join("\n".join(wrapped(line) for line in lines) for lines in sections if lines)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}")


def write(results, docs):
    """Writes the figures into both pages, and the charts."""
    kind = results["kind"]
    is_ready = kind == "ready"
    sections = [fact_section(results["facts"], is_ready), speed_section(results)]
    if is_ready:
        sections[1:1] = [["![Speed relative to Forge](../performance.svg)"]]
        sections += [start_section(results), batch_section(results), layer_section(results)]
    if results["left_out"]:
        sections.append(["Left out: " + "; ".join(f"{who} ({why})" for who, why in results["left_out"].items()) + "."])
    replace(docs / "Engine/Figures.md", kind, sections)
    replace(docs / "Performance.md", kind, [brief_facts(results["facts"]), brief_section(results)])
    if is_ready:
        (docs / "performance.svg").write_text(chart(results))
        (docs / "speed.svg").write_text(brief_chart(results))


if __name__ == "__main__":
    write(json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]))
