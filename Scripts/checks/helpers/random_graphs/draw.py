"""Draws a graph from a seed."""
import elementwise  # noqa: F401 (the modules register their draws)
import images  # noqa: F401
import integers  # noqa: F401
import large
import microsoft  # noqa: F401
import movement  # noqa: F401
import products  # noqa: F401
import quantized  # noqa: F401
import sampling  # noqa: F401
import values
from graph import Graph
from registry import DRAWS

MOST_TRIES = 60
RANKS = [1, 2, 3, 3, 4, 4, 4, 5]
# Every eighth graph is large.
LARGE = 8


def drawn_input(graph):
    rank = graph.random.choice(RANKS)
    first = graph.random.choice([1, 1, 2, 3]) if rank > 1 else graph.random.randint(1, 12)
    if rank > 1 and graph.random.random() < 0.04:
        first = graph.random.choice([8, 32, 64])
    sizes = [first] + [
        graph.random.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 12]) for _ in range(rank - 1)]
    array = graph.uniform(sizes, -2, 2)
    graph.input(values.styled(graph.random, graph.numbers, array, graph.style))


def draw(seed, only=None):
    """The graph of a seed and the names of its outputs; `None` if the draw came to nothing.

    `only` is a set of operators; other operators come in only where a draw needs them.
    """
    graph = Graph(seed, only)
    # In an order that does not depend on which module was imported first.
    known = sorted(DRAWS, key=lambda draw: (draw.function.__module__, draw.function.__name__))
    draws = [draw for draw in known if not only or only & set(draw.operators)]
    if seed % LARGE == 0 and not only:
        if not graph.attempt(large.draw):
            return None
        wanted = len(graph.steps) + graph.random.randint(0, 2)
    else:
        for _ in range(graph.random.choice([1, 1, 2])):
            drawn_input(graph)
        wanted = graph.random.randint(1, 14)
    weights = [draw.weight for draw in draws]
    for _ in range(MOST_TRIES):
        if len(graph.steps) >= wanted:
            break
        graph.attempt(graph.random.choices(draws, weights)[0].function)
    outputs = graph.ends()
    return (graph, outputs) if outputs else None

