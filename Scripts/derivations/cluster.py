"""Where the numbers of Docs/Scaling.md come from: nodes for a load, and the tail of a cluster.

    python3 Scripts/derivations/cluster.py            # both tables
    python3 Scripts/derivations/cluster.py nodes      # how many nodes a load needs
    python3 Scripts/derivations/cluster.py tail       # latencies of a simulated cluster

The simulation is one of queues: requests arrive at random, a balancer gives each to a node, a node
has one queue and as many predictions at once as cores, one thread each. A prediction takes a time
for each token, and texts differ in length. Nodes fail, and leave one after the other for a new
version. Only the standard library is needed; seeds are fixed.
"""
import heapq
import math
import random
import sys

# Seconds of one core for one text of 128 tokens (MiniLM, 6 layers of 384), measured by
# Benchmarks/quantized; the Float32 encoder by Benchmarks/compare --sequences.
PREDICTION = {
    "Zen 4, float32": 0.0237, "Zen 4, int8": 0.0113, "Xeon with AMX, int8": 0.00799,
    "Xeon with AMX, bfloat16": 0.00626,
}
# Seconds of processor time of the server for a request (Serving/Scripts/measure-load).
SERVER = 0.000127
TOKENS = 128
# Bytes of a request: three inputs of int64; of an answer: 384 floats; of heads on both ways.
BYTES = 3 * 8 * TOKENS + 4 * 384 + 600


def nodes(load=1_000_000, cores=64, use=0.7):
    print(f"{load:,} texts of {TOKENS} tokens a second; nodes of {cores} cores, {use:.0%} busy\n")
    print("| prediction | cores | nodes | requests per second of a node | network of a node |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, seconds in PREDICTION.items():
        all_cores = load * (seconds + SERVER) / use
        count = math.ceil(all_cores / cores)
        each = load / count
        print(f"| {name} | {all_cores:,.0f} | {count} | {each:,.0f} | {each * BYTES * 8 / 1e9:.2f} Gbit/s |")
    print(f"\nAll requests and answers: {load * BYTES * 8 / 1e9:.0f} Gbit/s.")


class Node:
    """Cores and a queue."""

    def __init__(self, cores):
        self.free, self.queue, self.busy = cores, [], 0
        # Whether it takes requests, whether the balancer knows that it does not, and how often it
        # failed.
        self.takes, self.is_known, self.failures = True, True, 0

    @property
    def load(self):
        return self.busy + len(self.queue)


def simulate(policy, use, *, count=64, cores=16, seconds=0.00799, requests=400_000, fails=0,
             drains=False, limit=None, seed=1):
    """Latencies in seconds, and the shares of requests that were retried and refused."""
    rng = random.Random(seed)
    cluster = [Node(cores) for _ in range(count)]
    # Texts of 128 tokens at most, 40 in the middle; their mean is measured with the same numbers.
    lengths = [min(TOKENS, max(4, rng.lognormvariate(math.log(40), 0.8))) for _ in range(100_000)]
    mean = sum(lengths) / len(lengths) / TOKENS * seconds + SERVER
    rate = use * count * cores / mean
    end = requests / rate
    events, number, turn = [], 0, 0

    def at(time, what, *args):
        nonlocal number
        number += 1
        heapq.heappush(events, (time, number, what, args))

    latencies, again, refused = [], 0, 0
    known = list(cluster)

    def choose():
        nonlocal turn
        if policy == "random":
            return rng.choice(known)
        if policy == "round-robin":
            turn += 1
            return known[turn % len(known)]
        if policy == "two choices":
            return min(rng.choice(known), rng.choice(known), key=lambda node: node.load)
        return min(known, key=lambda node: node.load)

    def send(now, start, work):
        nonlocal again, refused
        node = choose()
        if not node.takes:
            # A connection is refused at once; the client tries another node.
            again += 1
            return at(now + 0.0005, "send", start, work)
        if limit is not None and node.load >= cores + limit:
            refused += 1
            return None
        if node.free:
            begin(now, node, start, work)
        else:
            node.queue.append((start, work))

    def begin(now, node, start, work):
        node.free -= 1
        node.busy += 1
        at(now + work, "done", node, node.failures, start, work)

    at(0, "arrive")
    for index in range(fails):
        at(end * (index + 1) / (fails + 1), "fail", cluster[index * 7 % count])
    if drains:
        at(end * 0.1, "leave", 0)
    while events:
        now, _, what, args = heapq.heappop(events)
        if what == "arrive":
            if now < end:
                at(now + rng.expovariate(rate), "arrive")
                send(now, now, rng.choice(lengths) / TOKENS * seconds + SERVER)
        elif what == "send":
            send(now, *args)
        elif what == "done":
            node, failures, start, work = args
            if failures != node.failures:
                continue
            latencies.append(now - start)
            node.free += 1
            node.busy -= 1
            if node.queue:
                begin(now, node, *node.queue.pop(0))
        elif what == "fail":
            # What it had is lost and sent again by the clients after a second; probes notice it
            # after three seconds; it is back after twenty.
            (node,) = args
            lost = node.busy + len(node.queue)
            again += lost
            for _ in range(lost):
                at(now + 1, "send", now, rng.choice(lengths) / TOKENS * seconds + SERVER)
            node.failures += 1
            node.takes, node.queue, node.busy, node.free = False, [], 0, cores
            at(now + 3, "notice", node)
            at(now + 20, "back", node)
        elif what == "notice":
            known = [node for node in known if node is not args[0]]
        elif what == "back":
            args[0].takes = True
            known = [node for node in known if node is not args[0]] + [args[0]]
        elif what == "leave":
            # A node leaves the balancer, answers what it has, and is back with the new version; its
            # readiness probe waits until the model is loaded. One sixteenth at a time.
            (first,) = args
            group = cluster[first:first + max(count // 16, 1)]
            known = [node for node in known if node not in group]
            for node in group:
                at(now + end * 0.04, "back", node)
            if first + len(group) < count:
                at(now + end * 0.05, "leave", first + len(group))
    latencies.sort()
    return latencies, again / requests, refused / requests


def tail():
    print("\n128 cores; milliseconds\n")
    print("| balancer | nodes × cores | busy | 50 % | 99 % | 99.9 % | largest | retried | refused |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")

    def row(name, policy, use, count=64, cores=2, **options):
        latencies, again, refused = simulate(policy, use, count=count, cores=cores, **options)
        at = [latencies[min(int(len(latencies) * part), len(latencies) - 1)] * 1000
              for part in (0.5, 0.99, 0.999, 1)]
        print(f"| {name} | {count} × {cores} | {use:.0%} | "
              + " | ".join(f"{value:.1f}" for value in at)
              + f" | {again:.3%} | {refused:.2%} |", flush=True)

    for policy in ["random", "round-robin", "two choices", "least loaded"]:
        for use in (0.7, 0.9):
            row(policy, policy, use)
    for policy in ["round-robin", "two choices"]:
        row(policy, policy, 0.9, count=8, cores=16)
    two = "two choices"
    row(two + ", a new version", two, 0.7, drains=True, requests=2_000_000)
    row(two + ", three nodes fail", two, 0.7, fails=3, requests=2_000_000)
    row(two + ", too much load", two, 1.1, requests=200_000)
    row("the same with queues of 8", two, 1.1, limit=8, requests=200_000)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    if not wanted or "nodes" in wanted:
        nodes()
    if not wanted or "tail" in wanted:
        tail()
