"""The five mistakes of Sources/Mistakes in PyTorch: what is said, and when."""
import torch
from torch import nn


def made(build):
    """A model, or what making it says."""
    try:
        return build(), None
    except Exception as error:
        return None, error


def branches_differ():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = nn.Conv2d(1, 16, 5, padding=2)
            self.fine = nn.Conv2d(16, 16, 3, stride=2, padding=1)
            self.coarse = nn.Conv2d(16, 16, 5, padding=2)

        def forward(self, x):
            x = self.stem(x)
            return torch.cat([self.fine(x), self.coarse(x)], 1)

    return Net()


def name_twice():
    model = nn.Sequential()
    model.add_module("conv1", nn.Conv2d(1, 16, 5, padding=2))
    model.add_module("conv1", nn.Conv2d(16, 16, 5, padding=2))
    return model


attempts = [
    lambda: nn.Sequential(
        nn.Conv2d(1, 16, 5, padding=2), nn.ReLU(), nn.MaxPool2d(4), nn.Conv2d(16, 32, 9),
        nn.ReLU(), nn.Flatten(), nn.Linear(32, 10)),
    branches_differ,
    lambda: nn.Sequential(nn.Conv2d(1, 16, 5, padding=2), nn.Conv2d(16, 30, 3, groups=3)),
    name_twice,
    lambda: nn.Sequential(
        nn.Conv2d(1, 16, 5, padding=2), nn.Flatten(), nn.Linear(16 * 28 * 28, 10)),
]
print("PyTorch", torch.__version__)
for number, build in enumerate(attempts, 1):
    model, error = made(build)
    if error:
        print(f"{number}. when it is made: {type(error).__name__}: {error}")
        continue
    side = 32 if number == 5 else 28
    try:
        model(torch.full((1, 1, side, side), 0.5))
        print(f"{number}. nothing")
    except Exception as error:
        print(f"{number}. when it runs: {type(error).__name__}: {error}")
