"""Trains the tokenizers that Scripts/check tokenizers compares, and writes them into a folder.

The text comes from what Debian and PyPI packages carry: licenses, Python's own sources, and the
translations of Django into some hundred languages. Training is seeded by the text alone.

Usage: python make_tokenizers.py FOLDER [SIZE]   (with tokenizers, sentencepiece and Django)
SIZE is the number of tokens of each vocabulary, 3000 if not stated. The trainers of `tokenizers` break
ties at random, so vocabularies differ from run to run; sentencepiece trains the same one again.
"""
# check: {scratch}/tokenizers

import json
import pathlib
import re
import sys
import sysconfig

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import (AddedToken, Regex, Tokenizer, decoders, models, normalizers,
                        pre_tokenizers, processors, trainers)

LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
         r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
         r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
         r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
CLIP = (r"<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]"
        r"|[^\s\p{L}\p{N}]+")
DEEPSEEK = (r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")


def corpus():
    """Lines of text in many languages."""
    lines = []
    for path in sorted(pathlib.Path("/usr/share/common-licenses").glob("*")):
        lines += path.read_text(errors="replace").splitlines()
    library = pathlib.Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(library.glob("*.py"))[:60]:
        lines += path.read_text(errors="replace").splitlines()
    import django
    for path in sorted(pathlib.Path(django.__file__).parent.glob("**/*.po")):
        for text in re.findall(r'^msgstr(?:\[\d\])? "(.+)"$', path.read_text(), re.M):
            lines.append(text.replace("\\n", "\n").replace('\\"', '"'))
    return [line for line in lines if line.strip()]


def train(tokenizer, trainer, lines):
    """A trained tokenizer."""
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def template(tokenizer, single, pair, names):
    """A template of added tokens."""
    return processors.TemplateProcessing(
        single=single, pair=pair, special_tokens=[(n, tokenizer.token_to_id(n)) for n in names])


def word_pieces(lines, size):
    """Tokenizers with WordPiece."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    for name, lowercase in (("bert-uncased", True), ("bert-cased", False)):
        one = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        one.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
        one.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        train(one, trainers.WordPieceTrainer(
            vocab_size=size, special_tokens=special, limit_alphabet=size // 2,
            show_progress=False), lines)
        one.decoder = decoders.WordPiece()
        if lowercase:
            one.post_processor = template(
                one, "[CLS] $A [SEP]", "[CLS] $A [SEP] $B:1 [SEP]:1", ["[CLS]", "[SEP]"])
        else:
            one.post_processor = processors.BertProcessing(
                ("[SEP]", one.token_to_id("[SEP]")), ("[CLS]", one.token_to_id("[CLS]")))
            one.enable_truncation(24, stride=5)
            one.enable_padding(pad_id=0, pad_to_multiple_of=8, pad_type_id=0, pad_token="[PAD]")
        yield name, one
    one = Tokenizer(models.WordPiece(unk_token="[UNK]", max_input_chars_per_word=12))
    one.normalizer = normalizers.Sequence(
        [normalizers.NFD(), normalizers.StripAccents(), normalizers.Strip(True, True)])
    one.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.CharDelimiterSplit(" "), pre_tokenizers.Digits(False),
        pre_tokenizers.Punctuation("merged_with_previous")])
    train(one, trainers.WordPieceTrainer(
        vocab_size=size, special_tokens=special, limit_alphabet=size // 2,
        show_progress=False), lines)
    one.decoder = decoders.WordPiece(cleanup=False)
    one.enable_padding(direction="left", length=40, pad_id=0, pad_token="[PAD]")
    one.add_tokens([
        AddedToken("Licence", single_word=True), AddedToken("code", lstrip=True, rstrip=True),
        AddedToken("É", normalized=True), AddedToken("ab", single_word=True, normalized=False)])
    yield "wordpiece-digits", one


def byte_level(lines, size):
    """Tokenizers with byte-level BPE."""
    alphabet = pre_tokenizers.ByteLevel.alphabet()

    def trained(one, special):
        return train(one, trainers.BpeTrainer(
            vocab_size=size, special_tokens=special, initial_alphabet=alphabet,
            show_progress=False), lines)

    one = Tokenizer(models.BPE())
    one.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained(one, ["<|endoftext|>"])
    one.post_processor = processors.ByteLevel(trim_offsets=False)
    one.decoder = decoders.ByteLevel()
    yield "gpt2", one

    one = Tokenizer(models.BPE())
    one.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    trained(one, ["<s>", "<pad>", "</s>", "<unk>"])
    one.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    one.post_processor = processors.RobertaProcessing(
        ("</s>", one.token_to_id("</s>")), ("<s>", one.token_to_id("<s>")), True, True)
    one.decoder = decoders.ByteLevel()
    one.enable_truncation(32, strategy="only_first", stride=3, direction="left")
    yield "roberta", one

    for name, pattern, ignores, normalizer in (
            ("llama3", LLAMA3, True, None), ("qwen", QWEN, False, normalizers.NFC()),
            ("o200k", O200K, False, None)):
        one = Tokenizer(models.BPE(ignore_merges=ignores))
        one.normalizer = normalizer
        one.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
        trained(one, ["<|begin_of_text|>", "<|end_of_text|>"])
        one.decoder = decoders.ByteLevel()
        one.post_processor = processors.Sequence([
            processors.ByteLevel(trim_offsets=True, add_prefix_space=False),
            template(one, "<|begin_of_text|> $A", "<|begin_of_text|> $A <|begin_of_text|>:1 $B:1",
                     ["<|begin_of_text|>"])])
        yield name, one

    one = Tokenizer(models.BPE())
    one.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"\p{N}{1,3}"), "isolated"),
        pre_tokenizers.Split(Regex("[一-龥぀-ゟ゠-ヿ]+"), "isolated"),
        pre_tokenizers.Split(Regex(DEEPSEEK), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    trained(one, ["<|begin|>"])
    one.decoder = decoders.ByteLevel()
    yield "deepseek", one

    one = Tokenizer(models.BPE(
        continuing_subword_prefix="", end_of_word_suffix="</w>", unk_token="<|endoftext|>"))
    one.normalizer = normalizers.Sequence([
        normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()])
    one.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(CLIP), "removed", invert=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False)])
    train(one, trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<|startoftext|>", "<|endoftext|>"],
        end_of_word_suffix="</w>", initial_alphabet=alphabet, show_progress=False), lines)
    one.post_processor = processors.RobertaProcessing(
        ("<|endoftext|>", 1), ("<|startoftext|>", 0), False, False)
    one.decoder = decoders.ByteLevel()
    yield "clip", one


def plain_bpe(lines, size):
    """Tokenizers with BPE on characters."""
    one = Tokenizer(models.BPE(unk_token="<unk>"))
    one.normalizer = normalizers.BertNormalizer(lowercase=True)
    one.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    train(one, trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<unk>"], end_of_word_suffix="</w>",
        limit_alphabet=size // 5, show_progress=False), lines)
    one.decoder = decoders.BPEDecoder(suffix="</w>")
    yield "openai-gpt", one

    one = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    one.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    words = [" ".join(line.split()[:12]) for line in lines]
    one.pre_tokenizer = pre_tokenizers.Metaspace()
    bytes_ = [f"<0x{value:02X}>" for value in range(256)]
    train(one, trainers.BpeTrainer(
        vocab_size=size, special_tokens=["<unk>", "<s>", "</s>"] + bytes_, limit_alphabet=size // 6,
        show_progress=False), words)
    data = json.loads(one.to_str())
    data["pre_tokenizer"] = None
    data["added_tokens"] = data["added_tokens"][:3]
    one = Tokenizer.from_str(json.dumps(data))
    one.post_processor = template(one, "<s> $A", "<s> $A <s>:1 $B:1", ["<s>"])
    one.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(),
        decoders.Strip(" ", 1, 0)])
    yield "llama2", one


def precompiled(folder, lines):
    """The rules for characters of SentencePiece, taken from a model."""
    path = folder / "rules"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines[:2000]), model_prefix=str(path), vocab_size=600,
        character_coverage=0.98, normalization_rule_name="nmt_nfkc", minloglevel=2)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(path.with_suffix(".model").read_bytes())
    path.with_suffix(".model").unlink()
    path.with_suffix(".vocab").unlink()
    return bytes(proto.normalizer_spec.precompiled_charsmap)


def unigrams(lines, size, rules):
    """Tokenizers with Unigram."""
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    # A Unigram has every character of its text.
    size = max(size, len(set("".join(lines))) + 500)

    def trained(one):
        return train(one, trainers.UnigramTrainer(
            vocab_size=size, special_tokens=special, unk_token="<unk>", show_progress=False),
            lines)

    one = Tokenizer(models.Unigram())
    one.normalizer = normalizers.Sequence([
        normalizers.Precompiled(rules), normalizers.Replace(Regex(" {2,}"), " ")])
    one.pre_tokenizer = pre_tokenizers.Metaspace()
    trained(one)
    one.decoder = decoders.Metaspace()
    one.post_processor = template(one, "<s> $A </s>", "<s> $A </s> </s> $B </s>", ["<s>", "</s>"])
    yield "xlm-roberta", one

    one = Tokenizer(models.Unigram())
    one.normalizer = normalizers.Sequence([
        normalizers.Replace("``", '"'), normalizers.Replace("''", '"'), normalizers.NFKD(),
        normalizers.StripAccents(), normalizers.Lowercase(), normalizers.Precompiled(rules)])
    one.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first")
    trained(one)
    data = json.loads(one.to_str())
    data["model"]["byte_fallback"] = True
    known = {token for token, _ in data["model"]["vocab"]}
    data["model"]["vocab"] += [[f"<0x{b:02X}>", -20.0] for b in range(256)
                               if f"<0x{b:02X}>" not in known]
    one = Tokenizer.from_str(json.dumps(data))
    one.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace()])
    yield "albert", one

    one = Tokenizer(models.Unigram())
    one.normalizer = normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC()])
    one.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace(prepend_scheme="always")])
    trained(one)
    one.decoder = decoders.Metaspace()
    yield "t5", one


def word_levels(lines, size):
    """Tokenizers with words as tokens."""
    one = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    one.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    one.pre_tokenizer = pre_tokenizers.Whitespace()
    train(one, trainers.WordLevelTrainer(
        vocab_size=size, special_tokens=["[UNK]", "[PAD]"], show_progress=False), lines)
    yield "wordlevel", one
    for behavior in ("merged_with_next", "contiguous", "removed", "isolated"):
        one = Tokenizer(models.WordLevel(unk_token="[UNK]"))
        one.normalizer = normalizers.Strip(left=True, right=False)
        one.pre_tokenizer = pre_tokenizers.Sequence([
            pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.Punctuation(behavior),
            pre_tokenizers.Split("e", behavior, invert=behavior == "contiguous")])
        train(one, trainers.WordLevelTrainer(
            vocab_size=size, special_tokens=["[UNK]", "|", "<pad>"], show_progress=False), lines)
        one.decoder = decoders.CTC()
        yield f"wordlevel-{behavior}", one


def sentence_pieces(folder, lines, size):
    """Models of SentencePiece."""
    size = max(size, len(set("".join(lines))) + 500)
    for name, options in {
        "spm-unigram": {"model_type": "unigram", "normalization_rule_name": "nmt_nfkc"},
        "spm-unigram-cf": {
            "model_type": "unigram", "normalization_rule_name": "nfkc_cf",
            "user_defined_symbols": ["<sep>", "ing", "▁the"], "byte_fallback": True},
        "spm-bpe": {
            "model_type": "bpe", "normalization_rule_name": "identity", "byte_fallback": True,
            "split_digits": True, "remove_extra_whitespaces": False,
            "allow_whitespace_only_pieces": True},
        "spm-bpe-suffix": {
            "model_type": "bpe", "normalization_rule_name": "nfkc",
            "treat_whitespace_as_suffix": True, "user_defined_symbols": ["Licen", "<x>"]},
    }.items():
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_prefix=str(folder / name), vocab_size=size,
            character_coverage=0.98, minloglevel=2, max_sentence_length=4000,
            hard_vocab_limit=False, **options)
        (folder / f"{name}.vocab").unlink()
        # A model names the path that it was written to.
        path = folder / f"{name}.model"
        proto = sentencepiece_model_pb2.ModelProto()
        proto.ParseFromString(path.read_bytes())
        proto.trainer_spec.ClearField("model_prefix")
        path.write_bytes(proto.SerializeToString(deterministic=True))
        print(name, flush=True)


def make(folder, size, lines):
    """Trains all of them."""
    folder.mkdir(parents=True, exist_ok=True)
    print(len(lines), "lines", flush=True)
    rules = precompiled(folder, lines)
    for group in (word_pieces(lines, size), byte_level(lines, size), plain_bpe(lines, size),
                  unigrams(lines, size, rules), word_levels(lines, size)):
        for name, tokenizer in group:
            tokenizer.save(str(folder / f"{name}.json"), pretty=False)
            print(name, flush=True)
    sentence_pieces(folder, lines, size)


if __name__ == "__main__":
    make(pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 3000, corpus())
