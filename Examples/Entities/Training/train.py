#!/usr/bin/env python3
"""Trains the network of the example Entities and writes it as a folder of the Hub.

    python Examples/Entities/Training/train.py [--output DIR] [--steps N]

Run it in an environment with torch, transformers and tokenizers; a minute of one core. DIR,
Examples/Entities/Resources if not stated, gets model/ and answers.json: what transformers' pipeline
finds in texts whose names were not in the training. The sentences are made of patterns, so the
network knows only texts like them.
"""

import argparse
import json
import pathlib
import random

import torch
import transformers
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

GIVEN = """Ada Alan Grace Emmy Niels Marie Johann Sofia Isaac Leon Clara Hugo Ines Omar Priya Yuki
Chen Amara Lars Elena Pedro Nadia Ivan Rosa Felix Greta Tomas Aisha Noah Mira Karl Lucia Oscar Wanda
Simon Petra Jonas Vera Emil Tara Anton Livia Max Rita Paul Dora Erik Zoe""".split()
FAMILY = """Lovelace Turing Hopper Noether Bohr Curie Bach Kovac Newton Euler Schumann Garcia Silva
Rahman Patel Tanaka Wei Okafor Jensen Petrova Lopez Haddad Novak Bauer Weber Olsen Duarte Khan Cohen
Stein Moretti Rossi Lindt Meyer Sato Dubois Martin Keller Vogel Brandt Costa Nilsen Ferrari Gupta
Hansen Adler Ortiz Lang""".split()
PLACES = """London Paris Berlin Madrid Lisbon Rome Vienna Prague Oslo Warsaw Athens Dublin Cairo Lagos
Nairobi Delhi Mumbai Tokyo Osaka Seoul Beijing Lima Bogota Quito Toronto Boston Chicago Denver Austin
Sydney Perth Geneva Zurich Munich Hamburg Milan Naples Porto Bergen Turku Riga Vilnius Kyiv Sofia
Ankara Tunis Dakar Accra""".split()
PARTS = """Nova Delta Orion Alpine Harbor Summit Cedar Falcon Vector Quantum Sterling Meridian Beacon
Atlas Pioneer Granite Lunar Polar Amber Crystal Northern Eastern Global United""".split()
KINDS = "Bank Motors Airlines Institute University Systems Press Foods Energy Labs".split()
PATTERNS = """PER lived in LOC.|PER moved from LOC to LOC.|PER works for ORG in LOC.|ORG opened an office
in LOC.|Yesterday PER met PER in LOC.|The head of ORG is PER.|In spring PER will visit LOC and LOC.|PER
and PER founded ORG.|It rains in LOC today.|A letter from PER arrived from LOC.|ORG hired PER last
year.|We saw PER at ORG.|The train to LOC leaves at noon.|PER wrote a book about birds.|Nobody at ORG
knew PER.|After the war PER left LOC.|Is PER still in LOC?|PER, who studied at ORG, lives near LOC.|The
birds leave before winter.|I bought bread and cheese in LOC.|He read the news this morning.|ORG and ORG
will merge, said PER.|Born in LOC, PER joined ORG.|They sell old books and maps.""".replace(
    "\n", " ").split("|")
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B-ORG", "I-ORG"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def split(words, held):
    """The words for training, or those that are held out: every sixth."""
    return [word for index, word in enumerate(words) if (index % 6 == 0) == held]


def sentence(generator, held):
    """Words with their labels; spaces and punctuation are words, too."""
    def name(kind):
        if kind == "LOC":
            return [generator.choice(split(PLACES, held))]
        if kind == "ORG":
            return [generator.choice(split(PARTS, held)), generator.choice(KINDS)]
        family = [generator.choice(split(FAMILY, held))]
        return ([generator.choice(split(GIVEN, held))] if generator.random() < 0.8 else []) + family
    words = []
    for word in generator.choice(PATTERNS).split():
        kind, rest = word[:3], word[3:]
        if kind not in ("PER", "LOC", "ORG"):
            words.append((word, "O"))
            continue
        parts = name(kind)
        for index, part in enumerate(parts):
            end = rest if index == len(parts) - 1 else ""
            words.append((part + end, ("B-" if index == 0 else "I-") + kind))
    return words


def tokenizer(texts):
    """A cased WordPiece tokenizer whose pieces are of the texts."""
    one = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    one.normalizer = normalizers.BertNormalizer(lowercase=False)
    one.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    one.train_from_iterator(texts, trainers.WordPieceTrainer(
        vocab_size=500, special_tokens=SPECIAL, show_progress=False))
    one.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, one.token_to_id(name)) for name in ("[CLS]", "[SEP]")])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=one, model_max_length=64, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]")


def batch(tokens, sentences):
    """The inputs of sentences and the labels of their tokens; -100 where there is none."""
    texts = [" ".join(word for word, _ in words) for words in sentences]
    encoded = tokens(texts, padding=True, return_tensors="pt", return_offsets_mapping=True)
    offsets = encoded.pop("offset_mapping")
    targets = torch.full(encoded["input_ids"].shape, -100)
    for row, words in enumerate(sentences):
        start, places = 0, []
        for word, label in words:
            core = word.rstrip(".,?") if label != "O" else word
            places.append((start, start + len(core), label))
            start += len(word) + 1
        for column, (low, high) in enumerate(offsets[row].tolist()):
            if low == high:
                continue
            found = [place for place in places if place[0] <= low < place[1]]
            label = found[0][2] if found else "O"
            if label.startswith("B-") and low != found[0][0]:
                label = "I-" + label[2:]
            targets[row, column] = LABELS.index(label)
    return encoded, targets


def main():
    """Trains, tells the share of tokens that are right, and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    here = pathlib.Path(__file__).resolve().parents[1] / "Resources"
    parser.add_argument("--output", type=pathlib.Path, default=here)
    parser.add_argument("--steps", type=int, default=500)
    options = parser.parse_args()
    generator = random.Random(55)
    torch.manual_seed(55)
    torch.set_num_threads(1)
    texts = [" ".join(word for word, _ in sentence(generator, False)) for _ in range(2000)]
    tokens = tokenizer(texts)
    model = transformers.BertForTokenClassification(transformers.BertConfig(
        vocab_size=len(tokens), hidden_size=48, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=96, max_position_embeddings=64, id2label=dict(enumerate(LABELS)),
        label2id={label: index for index, label in enumerate(LABELS)}))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(options.steps):
        for group in optimizer.param_groups:
            group["lr"] = 2e-3 * (1 - step / options.steps)
        inputs, targets = batch(tokens, [sentence(generator, False) for _ in range(32)])
        # A share of the ids is hidden, so that unknown names are found by what is around them.
        hidden = (torch.rand(targets.shape) < 0.3) & (targets > 0)
        letters = torch.randint(len(SPECIAL), len(tokens), targets.shape)
        inputs["input_ids"] = torch.where(hidden, letters, inputs["input_ids"])
        loss = torch.nn.functional.cross_entropy(
            model(**inputs).logits.flatten(0, 1), targets.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    held = [sentence(generator, True) for _ in range(300)]
    inputs, targets = batch(tokens, held)
    with torch.no_grad():
        found = model(**inputs).logits.argmax(-1)
    of_names = targets > 0
    print(f"{(found == targets)[of_names].float().mean():.3f} of the tokens of new names, "
          f"{(found == targets)[targets == 0].float().mean():.3f} of the others are right")
    model.save_pretrained(options.output / "model")
    tokens.save_pretrained(options.output / "model")
    pipe = transformers.pipeline(
        "token-classification", model=model, tokenizer=tokens, aggregation_strategy="first")
    answers = []
    for words in held[:40]:
        text = " ".join(word for word, _ in words)
        answers.append({"text": text, "entities": [
            [entity["entity_group"], round(float(entity["score"]), 6), entity["start"],
             entity["end"]] for entity in pipe(text)]})
    (options.output / "answers.json").write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
