"""Writes the fixtures of Tests/ForgeHubTests for texts that decoders write.

Usage: python make_hub_generation.py FOLDER [NAME …]   (with torch and transformers)

Each folder in FOLDER is what save_pretrained writes for a small decoder of random weights with a
tokenizer of its own; answers.json has prompts, the tokens and texts of transformers' generate, and
the probabilities of the next token behind the library's own processors of logits.
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
from transformers import LogitsProcessorList, RepetitionPenaltyLogitsProcessor
from transformers import TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper

from make_hub_references import randomize
from make_hub_tasks import TEXTS

PROMPTS = ["Swallows leave", "the quick brown fox ", "Zwölf", "Ada", "日本",
           "London London London"]
CHOICES = [{"temperature": 1.0}, {"temperature": 0.5}, {"temperature": 1.7, "top_k": 5},
           {"temperature": 1.0, "top_p": 0.6}, {"temperature": 0.8, "top_k": 20, "top_p": 0.9},
           {"temperature": 1.0, "top_p": 0.01}, {"temperature": 1.0, "top_k": 1},
           {"temperature": 1.3, "top_k": 12, "repetition_penalty": 1.8}]
SIZES = {"hidden_size": 24, "num_attention_heads": 4, "num_hidden_layers": 2,
         "intermediate_size": 19, "max_position_embeddings": 200}


def byte_level():
    """A small tokenizer of GPT-2's kind."""
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(TEXTS, vocab_size=300, show_progress=False,
                                  special_tokens=["<|endoftext|>"])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer._tokenizer, bos_token="<|endoftext|>",
        eos_token="<|endoftext|>")


def metaspace():
    """A small tokenizer of Llama's kind: spaces are letters, unknown characters are bytes."""
    bytes_ = [f"<0x{value:02X}>" for value in range(256)]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(
        unk_token="<unk>", byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = tokenizers.normalizers.Sequence([
        tokenizers.normalizers.Prepend("▁"), tokenizers.normalizers.Replace(" ", "▁")])
    tokenizer.decoder = tokenizers.decoders.Sequence([
        tokenizers.decoders.Replace("▁", " "), tokenizers.decoders.ByteFallback(),
        tokenizers.decoders.Fuse(), tokenizers.decoders.Strip(" ", 1, 0)])
    texts = [text for text in TEXTS if text.isascii()]
    tokenizer.train_from_iterator(texts, tokenizers.trainers.BpeTrainer(
        vocab_size=420, special_tokens=["<unk>", "<s>", "</s>", *bytes_], show_progress=False))
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)])
    # The bytes are not special: they are text.
    data = json.loads(tokenizer.to_str())
    data["added_tokens"] = [token for token in data["added_tokens"]
                            if not token["content"].startswith("<0x")]
    tokenizer = tokenizers.Tokenizer.from_str(json.dumps(data))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def texts(model, tokenizer, length):
    """What greedy search makes of the prompts."""
    cases = []
    for prompt in PROMPTS:
        inputs = tokenizer(prompt, return_tensors="pt", return_token_type_ids=False)
        ids = model.generate(**inputs, do_sample=False, max_new_tokens=length,
                             pad_token_id=0, eos_token_id=model.config.eos_token_id)[0].tolist()
        start = inputs["input_ids"].shape[1]
        both = tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        before = tokenizer.decode(ids[:start], skip_special_tokens=True,
                                  clean_up_tokenization_spaces=False)
        cases.append({"prompt": prompt, "promptIDs": ids[:start], "ids": ids[start:],
                      # Half a character at the end of the prompt is U+FFFD.
                      "text": both[len(before):] if both.startswith(before) else None})
    return cases


def choices(model, tokenizer):
    """The probabilities of the token behind the first prompt."""
    inputs = tokenizer(PROMPTS[0], return_tensors="pt", return_token_type_ids=False)
    with torch.no_grad():
        logits = model(**inputs).logits[:, -1]
    cases = []
    for choice in CHOICES:
        steps = LogitsProcessorList()
        if "repetition_penalty" in choice:
            steps.append(RepetitionPenaltyLogitsProcessor(choice["repetition_penalty"]))
        steps.append(TemperatureLogitsWarper(choice["temperature"]))
        if "top_k" in choice:
            steps.append(TopKLogitsWarper(choice["top_k"]))
        if "top_p" in choice:
            steps.append(TopPLogitsWarper(choice["top_p"]))
        weights = torch.softmax(steps(inputs["input_ids"], logits.clone()), -1)[0]
        kept = {str(index): float(f"{weight:.8g}") for index, weight in enumerate(weights.tolist())
                if weight > 0}
        cases.append({**choice, "probabilities": kept})
    return cases


def make(folder, name, config, tokenizer, seed, length=40):
    """A folder with its answers."""
    if sys.argv[2:] and not any(name.startswith(start) for start in sys.argv[2:]):
        return
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    model = randomize(transformers.AutoModelForCausalLM.from_config(
        config, attn_implementation="eager"), seed)
    with torch.no_grad():
        model.get_output_embeddings().weight.mul_(3)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
    model = model.double()
    answers = {"texts": texts(model, tokenizer, length), "choices": choices(model, tokenizer)}
    (target / "answers.json").write_text(
        json.dumps(answers, separators=(",", ":"), ensure_ascii=False) + "\n")


def main():
    """Writes all folders."""
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    t = transformers
    pairs, spaces = byte_level(), metaspace()
    make(folder, "generate-gpt2",
         t.GPT2Config(n_embd=15, n_head=3, n_layer=2, n_positions=200, vocab_size=len(pairs),
                      bos_token_id=0, eos_token_id=0), pairs, 21)
    ends = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "vocab_size": len(spaces)}
    make(folder, "generate-llama", t.LlamaConfig(**SIZES, num_key_value_heads=2, **ends), spaces,
         22)
    make(folder, "generate-qwen2",
         t.Qwen2Config(**SIZES, num_key_value_heads=1, **ends), spaces, 23)
    make(folder, "generate-qwen3",
         t.Qwen3Config(**SIZES, num_key_value_heads=2, head_dim=8, tie_word_embeddings=True,
                       **ends), spaces, 24)
    gemma = {**SIZES, "num_hidden_layers": 3, "num_key_value_heads": 2, "head_dim": 8,
             "query_pre_attn_scalar": 6, "tie_word_embeddings": False, **ends}
    make(folder, "generate-gemma2",
         t.Gemma2Config(**gemma, sliding_window=7, attn_logit_softcapping=4.0,
                        final_logit_softcapping=6.0), spaces, 25)
    make(folder, "generate-gemma3", t.Gemma3TextConfig(
        **gemma, sliding_window=5,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"]), spaces, 28)


if __name__ == "__main__":
    main()
