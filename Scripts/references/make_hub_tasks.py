"""Writes the fixtures of Tests/ForgeHubTests that begin with texts.

Usage: python make_hub_tasks.py FOLDER [PART …]   (with torch, transformers and
sentence-transformers); PART is sentences, classifiers or zero_shot, all of them if none is given.

Each folder in FOLDER is what sentence-transformers or transformers writes for a small network of
random weights with a tokenizer of its own; answers.json has texts and what the library makes of them.
The trainers of tokenizers break ties at random: each run makes other vocabularies and answers.
"""
# check: Tests/ForgeHubTests/Fixtures

import json
import pathlib
import shutil
import sys

import tokenizers
import torch
import transformers
from sentence_transformers import CrossEncoder, SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer

from make_hub_references import randomize

TEXTS = [
    "Swallows leave before winter.", "The birds migrate in autumn, it is said.",
    "Ada Lovelace lived in London and met Charles Babbage there.", "one", "", "unbelievable!!",
    "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich.", "a  b\tc\nd",
    "Ελληνικά and 日本語 and emoji 🙂.", "London London London Babbage",
    "the quick brown fox jumps over the lazy dog " * 5,
]
QUERY = "Which bird leaves?"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def word_pieces():
    """A small tokenizer of BERT's kind."""
    tokenizer = tokenizers.BertWordPieceTokenizer(lowercase=True)
    tokenizer.train_from_iterator(TEXTS + [QUERY], vocab_size=90, special_tokens=SPECIAL,
                                  show_progress=False)
    return transformers.BertTokenizerFast(tokenizer_object=tokenizer._tokenizer,
                                          model_max_length=24)


def byte_pairs():
    """A small tokenizer of RoBERTa's kind."""
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        TEXTS, vocab_size=300, show_progress=False,
        special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"])
    tokenizer._tokenizer.post_processor = tokenizers.processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0))
    return transformers.RobertaTokenizerFast(tokenizer_object=tokenizer._tokenizer,
                                             model_max_length=22)


def bert(tokenizer, kind=transformers.BertModel, labels=None, seed=1, positions=24, **options):
    """A small BERT for a tokenizer."""
    config = transformers.BertConfig(
        hidden_size=14, num_attention_heads=2, num_hidden_layers=2, intermediate_size=17,
        vocab_size=len(tokenizer), max_position_embeddings=positions,
        attn_implementation="eager", **options)
    if labels:
        config.id2label = dict(enumerate(labels))
        config.label2id = {label: index for index, label in enumerate(labels)}
    return randomize(kind(config), seed)


def write(folder, name, answers):
    """Writes answers."""
    text = json.dumps(answers, separators=(",", ":"), ensure_ascii=False)
    (folder / name / "answers.json").write_text(text + "\n")


def rounded(array):
    """Numbers of eight digits."""
    return [[float(f"{x:.8g}") for x in row] for row in array.tolist()]


def sentence(folder, name, model, tokenizer, modules, texts=TEXTS, prompts=None, **encoding):
    """A folder of sentence-transformers."""
    work = folder / "work"
    shutil.rmtree(work, ignore_errors=True)
    model.save_pretrained(work)
    tokenizer.save_pretrained(work)
    sentences = SentenceTransformer(modules=[Transformer(str(work)), *modules], device="cpu",
                                    prompts=prompts)
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    sentences.save(str(target), create_model_card=False)
    answers = {"texts": texts, "vectors": rounded(sentences.encode(texts, **encoding)),
               "prompts": {key: rounded(sentences.encode(texts, prompt_name=key, **encoding))
                           for key in prompts or {}}}
    write(folder, name, answers)
    shutil.rmtree(work)


def sentences(folder):
    """Pooling, normalization, dense layers and prompts."""
    tokenizer = word_pieces()
    sentence(folder, "sentence-mean", bert(tokenizer), tokenizer, [Pooling(14, "mean"),
                                                                    Normalize()])
    modes = list(Pooling.POOLING_MODES)
    torch.manual_seed(5)
    sentence(folder, "sentence-modes", bert(tokenizer, seed=2), tokenizer,
             [Pooling(14, modes, include_prompt=False), Dense(14 * len(modes), 9),
              Normalize(), Dense(9, 5, bias=False, activation_function=torch.nn.Identity())],
             prompts={"query": "the bird: ", "passage": "text "})
    sentence(folder, "sentence-cls", bert(tokenizer, seed=3), tokenizer, [Pooling(14, "cls")],
             prompts={"query": "the bird: "})
    pairs = byte_pairs()
    config = transformers.RobertaConfig(
        hidden_size=12, num_attention_heads=2, num_hidden_layers=1, intermediate_size=13,
        vocab_size=len(pairs), max_position_embeddings=24, type_vocab_size=1, pad_token_id=1,
        attn_implementation="eager")
    model = randomize(transformers.RobertaModel(config), 4)
    # No token, and padding in the text: its positions are left out.
    sentence(folder, "sentence-roberta", model, pairs, [Pooling(12, "mean")],
             texts=TEXTS + [" leading space", "a <pad> b"])


def classifiers(folder):
    """Labels of texts, scores of pairs, labels of tokens."""
    tokenizer = word_pieces()
    kinds = {"classifier-softmax": None, "classifier-sigmoid": "multi_label_classification",
             "classifier-regression": "regression"}
    for index, (name, problem) in enumerate(kinds.items()):
        labels = ["bad", "so-so", "good"] if problem != "regression" else ["score"]
        model = bert(tokenizer, transformers.BertForSequenceClassification, labels, seed=index + 7,
                     problem_type=problem)
        target = folder / name
        shutil.rmtree(target, ignore_errors=True)
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)
        pipe = transformers.pipeline("text-classification", model=str(target), device="cpu")
        answers = pipe(TEXTS, top_k=None, truncation=True)
        write(folder, name, {"texts": TEXTS, "labels": answers})
    model = bert(tokenizer, transformers.BertForSequenceClassification, ["score"], seed=11)
    work = folder / "work"
    model.save_pretrained(work)
    tokenizer.save_pretrained(work)
    for name, function in {"reranker": None, "reranker-identity": torch.nn.Identity()}.items():
        encoder = CrossEncoder(str(work), device="cpu", activation_fn=function)
        target = folder / name
        shutil.rmtree(target, ignore_errors=True)
        encoder.save_pretrained(str(target))
        scores = encoder.predict([(QUERY, text) for text in TEXTS])
        ranks = [rank["corpus_id"] for rank in encoder.rank(QUERY, TEXTS)]
        write(folder, name, {"query": QUERY, "texts": TEXTS, "ranks": ranks,
                             "scores": [float(f"{x:.8g}") for x in scores.tolist()]})
    shutil.rmtree(work)
    labels = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "MISC"]
    model = bert(tokenizer, transformers.BertForTokenClassification, labels, seed=13)
    target = folder / "entities"
    shutil.rmtree(target, ignore_errors=True)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    answers = {}
    texts = [text for text in TEXTS if text and len(tokenizer(text)["input_ids"]) <= 24]
    for strategy in ("simple", "first", "average", "max"):
        pipe = transformers.pipeline("token-classification", model=str(target), device="cpu",
                                     aggregation_strategy=strategy)
        answers[strategy] = [
            [{"label": entity["entity_group"], "score": float(entity["score"]),
              "start": entity["start"], "end": entity["end"]} for entity in pipe(text)]
            for text in texts]
    write(folder, "entities", {"texts": texts, "entities": answers})


def zero_shot(folder):
    """Labels of the caller, by whether a sentence follows from a text."""
    tokenizer = word_pieces()
    tokenizer.model_max_length = 64
    orders = {"zero-shot": ["contradiction", "neutral", "entailment"],
              "zero-shot-first": ["ENTAILMENT", "other"]}
    topics = ["birds", "London", "a fox"]
    for index, (name, labels) in enumerate(orders.items()):
        model = bert(tokenizer, transformers.BertForSequenceClassification, labels, seed=31 + index,
                     positions=64)
        target = folder / name
        shutil.rmtree(target, ignore_errors=True)
        model.save_pretrained(target)
        tokenizer.save_pretrained(target)
        pipe = transformers.pipeline("zero-shot-classification", model=str(target), device="cpu")
        cases = []
        for text in TEXTS:
            for options in ({}, {"multi_label": True}, {"hypothesis_template": "{}: it is said"}):
                # The library splits labels at commas and refuses an empty text.
                if not text:
                    continue
                answer = pipe(text, topics, **options)
                cases.append({"text": text, "severalMayHold": "multi_label" in options,
                              "hypothesis": options.get("hypothesis_template"),
                              "labels": answer["labels"],
                              "scores": [float(f"{x:.8g}") for x in answer["scores"]]})
        write(folder, name, {"labels": topics, "cases": cases})


def main():
    """Writes all folders."""
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    parts = {"sentences": sentences, "classifiers": classifiers, "zero_shot": zero_shot}
    for name in sys.argv[2:] or parts:
        parts[name](folder)
    for leftover in folder.rglob("README.md"):
        leftover.unlink()


if __name__ == "__main__":
    main()
