"""Writes the fixtures of Tests/ForgeHubTests for texts of speech.

Usage: python make_hub_transcripts.py FOLDER   (with torch and transformers)

Each folder in FOLDER is what save_pretrained writes for a small Whisper of random weights with a
tokenizer of its own; answers.json has samples of 16 bits, and the languages, tokens and texts of
transformers' generate in double precision.
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

from make_hub_pictures import parameters, sounds
from make_hub_tasks import TEXTS

LANGUAGES = ["<|en|>", "<|de|>", "<|ja|>"]
TASKS = ["<|translate|>", "<|transcribe|>"]


def whisper_tokenizer(languages):
    """A small tokenizer of Whisper's kind: special tokens and times behind the others."""
    trained = tokenizers.ByteLevelBPETokenizer()
    trained.train_from_iterator(TEXTS, vocab_size=290, show_progress=False)
    model = json.loads(trained._tokenizer.to_str())["model"]
    vocabulary = dict(model["vocab"])
    vocabulary["<|endoftext|>"] = len(vocabulary)
    tokenizer = transformers.WhisperTokenizer(
        vocab=vocabulary, merges=[tuple(pair) for pair in model["merges"]])
    special = ["<|startoftranscript|>", *languages, *(TASKS if languages else []),
               "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]
    tokenizer.add_special_tokens({"additional_special_tokens": special})
    tokenizer.add_tokens([tokenizers.AddedToken(f"<|{index / 50:.2f}|>", normalized=False)
                          for index in range(51)])
    return tokenizer


def make(folder, name, languages, seed):
    """A folder with its answers."""
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    tokenizer = whisper_tokenizer(languages)

    def number(token):
        return tokenizer.convert_tokens_to_ids(token)

    end, start = number("<|endoftext|>"), number("<|startoftranscript|>")
    config = transformers.WhisperConfig(
        d_model=18, encoder_layers=1, encoder_attention_heads=3, encoder_ffn_dim=23,
        decoder_layers=2, decoder_attention_heads=2, decoder_ffn_dim=19, num_mel_bins=5,
        max_source_positions=50, max_target_positions=33, vocab_size=len(tokenizer),
        pad_token_id=end, bos_token_id=end, eos_token_id=end, decoder_start_token_id=start,
        attn_implementation="eager", suppress_tokens=None, begin_suppress_tokens=None)
    model = parameters(transformers.WhisperForConditionalGeneration(config), seed)
    with torch.no_grad():
        # Otherwise each token, whose vector is its row of the last product, repeats itself.
        decoder = model.get_decoder()
        decoder.embed_tokens.weight.mul_(0.4)
        decoder.embed_positions.weight.mul_(4)
    generation = model.generation_config
    generation.no_timestamps_token_id = number("<|notimestamps|>")
    times = range(number("<|notimestamps|>") + 1, len(tokenizer))
    generation.suppress_tokens = [5, 17, 260, start, *times]
    generation.begin_suppress_tokens = [220, end]
    generation.is_multilingual = bool(languages)
    generation.max_length = 30
    if languages:
        generation.lang_to_id = {token: number(token) for token in languages}
        generation.task_to_id = {token.strip("<|>"): number(token) for token in TASKS}
    extractor = transformers.WhisperFeatureExtractor(feature_size=5, chunk_length=1)
    for part in (model, tokenizer, extractor):
        part.save_pretrained(target)
    model = model.double()
    cases = []
    options = [{}]
    if languages:
        options = [{"task": "transcribe"}, {"task": "transcribe", "language": "de"},
                   {"task": "translate", "language": "ja"}]
    for samples in sounds():
        samples = samples[:16000]
        features = extractor([sample / 32768 for sample in samples], sampling_rate=16000,
                             return_tensors="pt").input_features.double()
        for option in options:
            with torch.no_grad():
                ids = model.generate(features, do_sample=False, num_beams=1, **option)[0].tolist()
                detected = model.detect_language(features)[0].item() if languages else None
            cases.append({
                "samples": samples if option == options[0] else None, **option, "ids": ids,
                "detected": tokenizer.convert_ids_to_tokens(detected).strip("<|>")
                if languages else None,
                "text": tokenizer.decode(ids, skip_special_tokens=True)})
    (target / "answers.json").write_text(
        json.dumps(cases, separators=(",", ":"), ensure_ascii=False) + "\n")


def main():
    """Writes all folders."""
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    make(folder, "whisper-languages", LANGUAGES, 94)
    make(folder, "whisper-english", [], 102)


if __name__ == "__main__":
    main()
