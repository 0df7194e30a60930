"""The list of draws: functions that add one or a few operators to a graph."""

DRAWS = []


class Draw:
    """A function that extends a graph, how often it is drawn, and the operators it may add."""

    def __init__(self, function, weight, operators):
        self.function, self.weight, self.operators = function, weight, operators


def draw(weight, *operators):
    """Registers a function; `operators` are those that `--only` finds it by."""
    def register(function):
        DRAWS.append(Draw(function, weight, operators))
        return function
    return register
