"""Trains the network on scenes of the spoken words.

Usage: python train.py WORDS.npz WEIGHTS.safetensors [--steps N] [--fall N]

The weights that are kept are a moving average of those of the last steps.
"""
import argparse
import os
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

from features import BANDS, HOP, features
from listener import first_words
from make_words import WORDS
from scenes import IGNORED, NOTHING, Noises, Utterances, scene, single

FRAMES, BATCH, WORKERS = 160, 32, 1
# The rate of learning rises over the first steps, and falls over the last, as many as --fall says.
RATE_OF_LEARNING, WARM = 3e-3, 100


class Network(nn.Module):
    """Two causal convolutions, a GRU, and a dense layer; ../Network.swift has the same names."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(BANDS, 96, 5)
        self.conv2 = nn.Conv1d(96, 96, 5)
        self.gru = nn.GRU(96, 128, batch_first=True)
        self.words = nn.Linear(128, len(WORDS) + 1)
        with torch.no_grad():
            self.conv1.weight *= 0.2  # Features reach 14.

    def forward(self, x, drop=0.0):
        x = x.transpose(1, 2)
        for conv in (self.conv1, self.conv2):
            x = torch.relu(conv(nn.functional.pad(x, (4, 0))))
        x, _ = self.gru(nn.functional.dropout(x.transpose(1, 2), drop, self.training))
        return self.words(nn.functional.dropout(x, drop, self.training))


class Scenes(torch.utils.data.Dataset):
    """The batch of each step: features and answers, drawn from the step's own seed."""

    def __init__(self, utterances, steps, seed):
        self.utterances, self.steps, self.seed = utterances, steps, seed
        self.noises = Noises(np.random.default_rng(18), utterances, FRAMES * HOP)

    def __len__(self):
        return self.steps

    def __getitem__(self, step):
        rng = np.random.default_rng([self.seed, step])
        scenes = (scene(rng, self.utterances, self.noises, FRAMES) for _ in range(BATCH))
        sound, labels = zip(*scenes)
        x = features(np.stack(sound)).astype(np.float32)
        # Other voices and microphones have another balance of bands, and lack some.
        tilt = rng.normal(0, 0.7, (BATCH, 1, 1)) * np.linspace(-1, 1, BANDS)
        x = np.maximum(x + rng.normal(tilt, 0.3), 0).astype(np.float32)
        first = rng.integers(0, BANDS - 4)
        x[: BATCH // 3, :, first: first + rng.integers(1, 4)] = 0
        return torch.from_numpy(x), torch.from_numpy(np.stack(labels))


def clips(utterances, frames, seed, noises=40):
    """Every utterance alone in noise, and noise alone: features and words."""
    rng = np.random.default_rng(seed)
    indices = list(range(len(utterances.label))) + [None] * noises
    sound = np.stack([single(rng, utterances, i, frames)[0] for i in indices])
    labels = np.array([NOTHING if i is None else utterances.label[i] for i in indices])
    return features(sound).astype(np.float32), labels


def probabilities(network, x):
    network.eval()
    with torch.no_grad():
        result = torch.softmax(network(torch.from_numpy(x)), -1).numpy()
    network.train()
    return result


def judged(network, clips):
    """What is right at several thresholds: words, and what is none."""
    found, text = probabilities(network, clips[0]), []
    for threshold in (0.4, 0.5, 0.6, 0.7):
        right = first_words(found, threshold) == clips[1]
        is_word = clips[1] != NOTHING
        text.append(f"{threshold}: {right[is_word].mean():.3f} {right[~is_word].mean():.3f}")
    return ", ".join(text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("words")
    parser.add_argument("weights")
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--fall", type=int, default=4000)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(16)
    training = Utterances(arguments.words, "training")
    validation = clips(Utterances(arguments.words, "validation"), 75, seed=18)
    batches = iter(torch.utils.data.DataLoader(
        Scenes(training, arguments.steps, 17), batch_size=None, num_workers=WORKERS))
    network = Network()
    average = torch.optim.swa_utils.AveragedModel(
        network, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.995))
    optimizer = torch.optim.AdamW(network.parameters(), lr=RATE_OF_LEARNING, weight_decay=1e-2)
    total, start = 0.0, time.time()
    for step in range(1, arguments.steps + 1):
        x, labels = next(batches)
        rate = min(step / WARM, 1, (arguments.steps + 1 - step) / arguments.fall)
        optimizer.param_groups[0]["lr"] = RATE_OF_LEARNING * rate
        loss = nn.functional.cross_entropy(
            network(x, 0.15).reshape(-1, len(WORDS) + 1), labels.reshape(-1),
            ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        average.update_parameters(network)
        total += loss.item()
        if step % 250 == 0 or step == arguments.steps:
            print(f"step {step}, {time.time() - start:.0f} s, loss {total / 250:.3f}", flush=True)
            total = 0.0
            if step % 1000 == 0 or step == arguments.steps:
                print(f"  validation, words and others right with threshold "
                      f"{judged(average.module, validation)}", flush=True)
            save_file(average.module.state_dict(), arguments.weights)


if __name__ == "__main__":
    main()
