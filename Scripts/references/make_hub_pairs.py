"""Writes the fixtures of Tests/ForgeHubTests for texts that encoder-decoders write.

Usage: python make_hub_pairs.py FOLDER [--all]   (with torch and transformers)

Each folder in FOLDER is what save_pretrained writes for a small encoder-decoder of random weights of
16 bits with a tokenizer of its own; answers.json has prompts, the tokens and texts of transformers'
generate in double precision, and the numbers of all tokens behind some of them. --all also writes a
folder for each activation function and for more options, which the tests do not need.
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

from make_hub_references import ACTIVATIONS, randomize
from make_hub_tasks import TEXTS

PROMPTS = ["Swallows leave", "Ada", "the quick brown fox jumps over the lazy dog and it is said",
           "London London London Babbage", "one", "", "birds migrate, it is said " * 2]
# The rows of numbers in the answers are those behind so many tokens of the first prompts.
STEPS = 5
LOGITS = 2
PENALTY = 1.75


def pieces(languages=()):
    """A small tokenizer of T5's kind, or with languages, of mBART's."""
    ends = ["<pad>", "</s>", "<unk>", *languages]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.Unigram())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tokenizer.decoder = tokenizers.decoders.Metaspace()
    texts = [text for text in TEXTS if text.isascii()] + PROMPTS
    tokenizer.train_from_iterator(texts, tokenizers.trainers.UnigramTrainer(
        vocab_size=60 + len(ends), special_tokens=ends, unk_token="<unk>", show_progress=False))
    first = f"{languages[0]} " if languages else ""
    special = ["</s>", *languages[:1]]
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{first}$A </s>",
        special_tokens=[(token, tokenizer.token_to_id(token)) for token in special])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>",
        additional_special_tokens=list(languages), model_max_length=64)


def byte_pairs():
    """A small tokenizer of BART's kind."""
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(TEXTS, vocab_size=272, show_progress=False,
                                  special_tokens=["<s>", "<pad>", "</s>", "<unk>"])
    tokenizer._tokenizer.post_processor = tokenizers.processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer._tokenizer, bos_token="<s>", pad_token="<pad>",
        eos_token="</s>", unk_token="<unk>", model_max_length=64)


def logits(model, inputs, ids):
    """The numbers of all tokens behind the start and some tokens of a text."""
    start = model.generation_config.decoder_start_token_id
    with torch.no_grad():
        rows = model(**inputs, decoder_input_ids=torch.tensor([[start] + ids[:STEPS - 1]])).logits
    return [[float(f"{x:.7g}") for x in row] for row in rows[0].tolist()]


def texts(model, tokenizer, length):
    """What greedy search makes of the prompts, each by itself."""
    cases = []
    for index, prompt in enumerate(PROMPTS):
        inputs = tokenizer(prompt, return_tensors="pt", return_token_type_ids=False)
        ids = model.generate(**inputs, do_sample=False, num_beams=1,
                             max_new_tokens=length)[0].tolist()[1:]
        case = {"prompt": prompt, "promptIDs": inputs["input_ids"][0].tolist(), "ids": ids,
                "text": tokenizer.decode(ids, skip_special_tokens=True,
                                         clean_up_tokenization_spaces=False)}
        if index < LOGITS:
            case["logits"] = logits(model, inputs, ids)
        cases.append(case)
    return cases


def check_padding(model, tokenizer, cases, length):
    """Padded prompts have the same texts: Forge need not pad them."""
    inputs = tokenizer(PROMPTS, return_tensors="pt", padding=True, return_token_type_ids=False)
    rows = model.generate(**inputs, do_sample=False, num_beams=1, max_new_tokens=length).tolist()
    for row, case in zip(rows, cases):
        assert row[1:1 + len(case["ids"])] == case["ids"], case["prompt"]


def make(folder, name, model, tokenizer, seed, generation, length=24):
    """A folder with its answers."""
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    randomize(model, seed)
    with torch.no_grad():
        for key, value in model.named_parameters():
            # Otherwise all prompts have one text, and each token repeats itself.
            if key.endswith(("EncDecAttention.v.weight", "encoder_attn.v_proj.weight")):
                value.mul_(4)
            elif key.endswith("Attention.q.weight"):
                # Scores are not scaled.
                value.mul_(model.config.d_kv ** -0.5)
            elif "shared" in key or "embed_tokens" in key:
                value.mul_(0.3)
            elif "embed_positions" in key:
                value.mul_(4)
        if hasattr(model, "final_logits_bias"):
            noise = torch.randn(model.final_logits_bias.shape,
                                generator=torch.Generator().manual_seed(seed))
            model.final_logits_bias.copy_(0.1 * noise)
    model = model.half()
    for key, value in generation.items():
        setattr(model.generation_config, key, value)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    model = model.double()
    for module in model.modules():
        # Marian's positions are computed anew when a folder is read.
        if hasattr(module, "create_weight"):
            module.weight.copy_(module.create_weight())
    cases = texts(model, tokenizer, length)
    check_padding(model, tokenizer, cases, length)
    inputs = tokenizer(PROMPTS[0], return_tensors="pt", return_token_type_ids=False)
    penalized = model.generate(**inputs, do_sample=False, num_beams=1, max_new_tokens=length,
                               repetition_penalty=PENALTY)[0].tolist()[1:]
    answers = {"maximumTokens": length, "texts": cases, "penalty": PENALTY,
               "penalizedIDs": penalized}
    (target / "answers.json").write_text(
        json.dumps(answers, separators=(",", ":"), ensure_ascii=False) + "\n")
    print(name, len({str(case["ids"]) for case in cases}), [len(case["ids"]) for case in cases],
          cases[0]["ids"][:12])


def t5(folder, name, kind, tokenizer, seed, length=24, **options):
    """A T5, mT5 or UMT5."""
    sizes = {"d_model": 15, "d_kv": 5, "num_heads": 3, "num_layers": 2, "num_decoder_layers": 2,
             "d_ff": 23, "relative_attention_num_buckets": 8,
             "relative_attention_max_distance": 20, "decoder_start_token_id": 0,
             "pad_token_id": 0, "eos_token_id": 1, "vocab_size": len(tokenizer)}
    config = getattr(transformers, f"{kind}Config")(**{**sizes, **options})
    config._attn_implementation = "eager"
    model = getattr(transformers, f"{kind}ForConditionalGeneration")(config)
    make(folder, name, model, tokenizer, seed,
         {"decoder_start_token_id": config.decoder_start_token_id, "eos_token_id": 1,
          "pad_token_id": 0}, length)


def bart(folder, name, kind, tokenizer, seed, generation, length=24, **options):
    """A BART, mBART or Marian."""
    sizes = {"d_model": 15, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 3,
             "decoder_attention_heads": 5, "encoder_ffn_dim": 23, "decoder_ffn_dim": 19,
             "max_position_embeddings": 64, "vocab_size": len(tokenizer),
             "pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id,
             "bos_token_id": tokenizer.bos_token_id or 0,
             "forced_eos_token_id": tokenizer.eos_token_id,
             "decoder_start_token_id": tokenizer.eos_token_id}
    config = getattr(transformers, f"{kind}Config")(**{**sizes, **options})
    config._attn_implementation = "eager"
    ending = "MTModel" if kind == "Marian" else "ForConditionalGeneration"
    model = getattr(transformers, f"{kind}{ending}")(config)
    make(folder, name, model, tokenizer, seed,
         {"decoder_start_token_id": config.decoder_start_token_id,
          "eos_token_id": config.eos_token_id, "pad_token_id": config.pad_token_id,
          "bos_token_id": None, "num_beams": 1, **generation}, length)


def main():
    """Writes all folders."""
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    words, pairs = pieces(), byte_pairs()
    languages = pieces(("en_XX", "de_DE", "ja_XX"))
    t5(folder, "write-t5", "T5", words, 41, length=40)
    t5(folder, "write-t5-gated", "T5", words, 42, feed_forward_proj="gated-gelu",
       tie_word_embeddings=False, d_kv=7, num_layers=3, layer_norm_epsilon=1e-3)
    t5(folder, "write-mt5", "MT5", words, 43)
    t5(folder, "write-umt5", "UMT5", words, 44)
    ends = {"forced_bos_token_id": 0, "forced_eos_token_id": 2}
    bart(folder, "write-bart", "Bart", pairs, 48, ends, length=9)
    german = languages.convert_tokens_to_ids("de_DE")
    bart(folder, "write-mbart", "MBart", languages, 46,
         {"forced_bos_token_id": german, "forced_eos_token_id": 1}, scale_embedding=True)
    pad = words.pad_token_id
    bart(folder, "write-marian", "Marian", words, 47,
         {"forced_eos_token_id": 1, "bad_words_ids": [[pad]]}, length=12, scale_embedding=True,
         activation_function="swish", decoder_start_token_id=pad, decoder_vocab_size=len(words))
    if "--all" not in sys.argv[2:]:
        return
    for index, name in enumerate(ACTIVATIONS):
        t5(folder, f"all-t5-{name}", "T5", words, 100 + index, feed_forward_proj=name)
        t5(folder, f"all-t5-gated-{name}", "T5", words, 200 + index,
           feed_forward_proj=f"gated-{name}")
        for kind, tokenizer in {"Bart": pairs, "MBart": languages, "Marian": words}.items():
            bart(folder, f"all-{kind.lower()}-{name}", kind, tokenizer, 300 + index, {},
                 activation_function=name)
    bart(folder, "all-marian-apart", "Marian", words, 401, {}, scale_embedding=True,
         share_encoder_decoder_embeddings=False, decoder_vocab_size=len(words))
    bart(folder, "all-bart-scaled", "Bart", pairs, 402, {}, scale_embedding=True)
    bart(folder, "all-mbart-even", "MBart", languages, 403, {}, d_model=32,
         encoder_attention_heads=2, decoder_attention_heads=2)
    t5(folder, "all-t5-buckets", "T5", words, 404, length=60, relative_attention_num_buckets=32,
       relative_attention_max_distance=40, d_model=32, num_heads=2, d_kv=16)
    t5(folder, "all-umt5-apart", "UMT5", words, 405, tie_word_embeddings=False)
    t5(folder, "all-t5-layers", "T5", words, 406, num_layers=3, num_decoder_layers=1)


if __name__ == "__main__":
    main()
