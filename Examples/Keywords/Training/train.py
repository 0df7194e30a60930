"""Trains the network on scenes of the spoken words.

Usage: python train.py WORDS.npz WEIGHTS.safetensors [--steps N] [--from FIRST.safetensors]

The first training takes the words as they were spoken. One that goes on from first weights varies
the words and the bands at random, as other voices and microphones would.
"""
import argparse
import os
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"
import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from features import BANDS, features
from listener import first_words
from make_words import WORDS
from scenes import IGNORED, NOTHING, Utterances, scene, single


class Network(nn.Module):
    """Two causal convolutions, a GRU, and a dense layer; ../Network.swift has the same names."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv1d(BANDS, 64, 5)
        self.conv2 = nn.Conv1d(64, 64, 5)
        self.gru = nn.GRU(64, 80, batch_first=True)
        self.words = nn.Linear(80, len(WORDS) + 1)
        with torch.no_grad():
            self.conv1.weight *= 0.2  # Features reach 14.

    def forward(self, x, drop=0.0):
        x = x.transpose(1, 2)
        for conv in (self.conv1, self.conv2):
            x = torch.relu(conv(nn.functional.pad(x, (4, 0))))
        x, _ = self.gru(nn.functional.dropout(x.transpose(1, 2), drop, self.training))
        return self.words(nn.functional.dropout(x, drop, self.training))


def clips(utterances, frames, seed, noises=40):
    """Every utterance alone in noise, and noise alone: features and words."""
    rng = np.random.default_rng(seed)
    indices = list(range(len(utterances.label))) + [None] * noises
    sound = np.stack([single(rng, utterances, i, frames) for i in indices])
    labels = np.array([NOTHING if i is None else utterances.label[i] for i in indices])
    return features(sound).astype(np.float32), labels


def probabilities(network, x):
    network.eval()
    with torch.no_grad():
        result = torch.softmax(network(torch.from_numpy(x)), -1).numpy()
    network.train()
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("words")
    parser.add_argument("weights")
    parser.add_argument("--steps", type=int, default=3500)
    parser.add_argument("--from", dest="first")
    arguments = parser.parse_args()
    is_varied = arguments.first is not None
    torch.set_num_threads(1)
    torch.manual_seed(16)
    rng = np.random.default_rng(17)
    utterances = Utterances(arguments.words, "training")
    validation = clips(Utterances(arguments.words, "validation"), 75, seed=18)
    network = Network()
    if is_varied:
        network.load_state_dict(load_file(arguments.first))
    optimizer = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, 1.5e-3 if is_varied else 3e-3, total_steps=arguments.steps, pct_start=0.1)
    frames, batch, total, start = 160, 24, 0.0, time.time()
    for step in range(1, arguments.steps + 1):
        sound, labels = zip(*(scene(rng, utterances, frames, is_varied) for _ in range(batch)))
        x = features(np.stack(sound)).astype(np.float32)
        # Other voices and microphones have another balance of bands, and lack some.
        tilt = rng.normal(0, 0.7 * is_varied, (batch, 1, 1)) * np.linspace(-1, 1, BANDS)
        x = np.maximum(x + rng.normal(tilt, 0.3).astype(np.float32), 0)
        first = rng.integers(0, BANDS - 4)
        x[: batch // 3, :, first: first + rng.integers(1, 4)] = 0
        loss = nn.functional.cross_entropy(
            network(torch.from_numpy(x), 0.15).reshape(-1, len(WORDS) + 1),
            torch.from_numpy(np.stack(labels)).reshape(-1), ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        total += loss.item()
        if step % 250 == 0 or step == arguments.steps:
            found = probabilities(network, validation[0])
            rates = []
            for threshold in (0.5, 0.6, 0.7, 0.8):
                words = first_words(found, threshold)
                rates.append(f"{threshold}: {(words == validation[1]).mean():.3f}")
            print(f"step {step}, {time.time() - start:.0f} s, loss {total / 250:.3f}, "
                  f"right on voices for validation with threshold {', '.join(rates)}", flush=True)
            total = 0.0
            save_file(network.state_dict(), arguments.weights)


if __name__ == "__main__":
    main()
