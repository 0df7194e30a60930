"""Writes the fixtures of Tests/ForgeHubTests for pictures and sound.

Usage: python make_hub_pictures.py FOLDER [NAME …]   (with torch and transformers)

NAMEs are beginnings of the names of folders that are made; all of them otherwise. Each folder in
FOLDER is what save_pretrained writes, for networks of few and odd sizes, with answers.json: inputs
and the outputs that transformers computes for them in double precision. Inputs have the order of
Forge: the channels of a pixel, or of a step of sound, beside each other.
"""
# check: Tests/ForgeHubTests/Fixtures

import json
import pathlib
import shutil
import sys

import numpy
import tokenizers
import torch
import transformers
from transformers.models.bit.image_processing_pil_bit import BitImageProcessorPil
from transformers.models.clip.image_processing_pil_clip import CLIPImageProcessorPil
from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

from make_hub_references import is_wanted, randomize
from make_hub_tasks import TEXTS

SIZES = {"hidden_size": 15, "num_attention_heads": 3, "num_hidden_layers": 2,
         "attn_implementation": "eager"}


def rounded(values):
    """Numbers of eight digits."""
    return [float(f"{x:.8g}") for x in values.flatten().tolist()]


def parameters(model, seed):
    """Random parameters, with channels of very different scales."""
    randomize(model, seed)
    generator = torch.Generator().manual_seed(seed + 100)
    with torch.no_grad():
        for name, value in model.named_parameters():
            if value.dim() == 1 and "lambda" in name:
                value.copy_(torch.randn(value.shape, generator=generator))
            elif "patch_embedding" in name or name.endswith("conv1.weight"):
                powers = torch.linspace(-1.2, 1.2, value.shape[0]).exp()
                value.mul_(powers.view(-1, *[1] * (value.dim() - 1)))
    return model


def write(folder, name, model, answers, extra=()):
    """Writes a folder."""
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    model.float().save_pretrained(target)
    for part in extra:
        part.save_pretrained(target)
    (target / "answers.json").write_text(json.dumps(answers, separators=(",", ":")) + "\n")


def picture(config, seed, size=None):
    """A random picture, [channels][height][width]."""
    size = size or config.image_size
    if isinstance(size, int):
        size = (size, size)
    height, width = size if isinstance(size, (list, tuple)) else (size["height"], size["width"])
    generator = torch.Generator().manual_seed(seed)
    return torch.randn((1, config.num_channels, height, width), generator=generator).double()


def prepared(target, processor):
    """preprocessor_config.json, and what it makes of pictures, [height][width][colors]."""
    random = numpy.random.default_rng(81)
    cases = []
    # Of 28×23 pixels, three columns are left over in a resize to 14 rows: an odd number.
    for width, height in ((28, 23), (19, 41), (9, 7)):
        rows, columns = numpy.mgrid[:height, :width]
        smooth = numpy.stack([90 + 80 * numpy.sin(rows / 3 + index) * numpy.cos(columns / (2 + index))
                              for index in range(3)], -1)
        pixels = (smooth + random.normal(0, 25, smooth.shape)).clip(0, 255).astype(numpy.uint8)
        values = processor(pixels, return_tensors="np", input_data_format="channels_last")
        values = values["pixel_values"][0].transpose(1, 2, 0)
        cases.append({"width": width, "height": height, "pixels": pixels.flatten().tolist(),
                      "values": rounded(values)})
    processor.save_pretrained(target)
    (target / "prepared.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


def network(folder, name, kind, config, seed, processor=None):
    """A network for pictures."""
    if not is_wanted(name):
        return
    if "ForImageClassification" in kind.__name__:
        config.id2label = {0: "cat", 1: "dog", 2: "bird"}
        config.label2id = {"cat": 0, "dog": 1, "bird": 2}
    config._attn_implementation = "eager"
    model = parameters(kind(config), seed).double()
    cases = []
    for index in range(2):
        pixels = picture(config, seed + index, processor and (
            processor.crop_size if processor.do_center_crop else processor.size))
        with torch.no_grad():
            output = model(pixels)
        outputs = {key: rounded(value) for key, value in output.items()}
        cases.append({"input": rounded(pixels[0].permute(1, 2, 0)), "outputs": outputs})
    write(folder, name, model, cases)
    if processor:
        prepared(folder / name, processor)


def vision(folder):
    """ViT and DINOv2."""
    t = transformers
    vit = {**SIZES, "intermediate_size": 23, "image_size": 14, "patch_size": 7}
    network(folder, "vit-features", t.ViTModel, t.ViTConfig(**vit), 41)
    network(folder, "vit-classes", t.ViTForImageClassification, t.ViTConfig(**vit), 42,
            ViTImageProcessorPil(size={"height": 14, "width": 14}))
    network(folder, "vit-options", t.ViTModel,
            t.ViTConfig(**{**vit, "image_size": [21, 10], "patch_size": [7, 5]}, num_channels=1,
                        qkv_bias=False, hidden_act="quick_gelu", layer_norm_eps=1e-3,
                        pooler_act="relu", pooler_output_size=9), 43)
    dino = {**SIZES, "image_size": 15, "patch_size": 5, "mlp_ratio": 2}
    network(folder, "dinov2-features", t.Dinov2Model, t.Dinov2Config(**dino), 44)
    network(folder, "dinov2-gated", t.Dinov2Model,
            t.Dinov2Config(**dino, use_swiglu_ffn=True, qkv_bias=False), 45)
    network(folder, "dinov2-classes", t.Dinov2ForImageClassification, t.Dinov2Config(**dino), 46)
    # Pictures of another size than that of the weights, whose positions are interpolated.
    network(folder, "dinov2-resized", t.Dinov2Model, t.Dinov2Config(**dino), 47,
            BitImageProcessorPil(size={"shortest_edge": 26}, crop_size={"height": 20, "width": 25}))


def clip_tokenizer():
    """A small tokenizer of CLIP's kind, whose special tokens have the largest ids."""
    start, end = "<|startoftext|>", "<|endoftext|>"
    own = transformers.CLIPTokenizer().backend_tokenizer
    trained = tokenizers.Tokenizer(tokenizers.models.BPE(end_of_word_suffix="</w>"))
    trained.normalizer, trained.pre_tokenizer = own.normalizer, own.pre_tokenizer
    trained.train_from_iterator(TEXTS, tokenizers.trainers.BpeTrainer(
        vocab_size=400, end_of_word_suffix="</w>", show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet()))
    model = json.loads(trained.to_str())["model"]
    vocabulary = dict(model["vocab"])
    for token in (start, end):
        vocabulary[token] = len(vocabulary)
    tokenizer = transformers.CLIPTokenizer(
        vocab=vocabulary, merges=[tuple(pair) for pair in model["merges"]], model_max_length=20)
    return tokenizer, tokenizer.eos_token_id


def clip(folder):
    """CLIP, both sides together and each by itself."""
    t = transformers
    tokenizer, end = clip_tokenizer()
    text = {**SIZES, "intermediate_size": 19, "vocab_size": len(tokenizer),
            "max_position_embeddings": 20, "projection_dim": 11, "bos_token_id": end - 1,
            "eos_token_id": end, "pad_token_id": end}
    vision = {**SIZES, "hidden_size": 18, "intermediate_size": 23, "image_size": 14,
              "patch_size": 7, "projection_dim": 11}
    network(folder, "clip-vision", t.CLIPVisionModelWithProjection,
            t.CLIPVisionConfig(**vision, hidden_act="gelu"), 51)
    texts = [text for text in TEXTS if text]
    for name, ends in {"clip": end, "clip-old": 2}.items():
        if not is_wanted(name):
            continue
        config = t.CLIPConfig(text_config={**text, "eos_token_id": ends}, vision_config=vision,
                              projection_dim=11, logit_scale_init_value=1.5)
        config._attn_implementation = "eager"
        for part in (config.text_config, config.vision_config):
            part._attn_implementation = "eager"
        model = parameters(t.CLIPModel(config), 52).double()
        pixels = torch.cat([picture(config.vision_config, 60 + index) for index in range(2)])
        cases = []
        for one in texts:
            inputs = tokenizer(one, return_tensors="pt", truncation=True,
                               return_token_type_ids=False)
            with torch.no_grad():
                output = model(**inputs, pixel_values=pixels)
            cases.append({"text": one, "vector": rounded(output.text_embeds),
                          "logits": rounded(output.logits_per_text)})
        answers = {"pictures": [rounded(one.permute(1, 2, 0)) for one in pixels],
                   "vectors": [rounded(one) for one in output.image_embeds], "texts": cases}
        write(folder, name, model, answers, [tokenizer])
        prepared(folder / name, CLIPImageProcessorPil(
            size={"shortest_edge": 14}, crop_size={"height": 14, "width": 14}))


def sound(folder):
    """Whisper's encoder."""
    if not is_wanted("whisper"):
        return
    config = transformers.WhisperConfig(
        d_model=18, encoder_layers=2, encoder_attention_heads=3, encoder_ffn_dim=23,
        decoder_layers=1, decoder_attention_heads=3, decoder_ffn_dim=7, num_mel_bins=5,
        max_source_positions=50, max_target_positions=8, vocab_size=20, pad_token_id=0,
        bos_token_id=1, eos_token_id=2, decoder_start_token_id=1, activation_function="relu",
        suppress_tokens=None, begin_suppress_tokens=None, attn_implementation="eager")
    extractor = transformers.WhisperFeatureExtractor(feature_size=5, chunk_length=1)
    for name, kind in {"whisper": transformers.WhisperModel,
                       "whisper-writing": transformers.WhisperForConditionalGeneration}.items():
        model = parameters(kind(config), 71).double()
        cases = []
        for samples in sounds()[:2 if name == "whisper" else 1]:
            sound = [sample / 32768 for sample in samples]
            features = extractor(sound, sampling_rate=16000, return_tensors="pt").input_features
            with torch.no_grad():
                output = model.get_encoder()(features.double()).last_hidden_state
            cases.append({"samples": samples, "input": rounded(features[0].T),
                          "outputs": {"last_hidden_state": rounded(output)}})
        write(folder, name, model, cases, [extractor])
        (folder / name / "generation_config.json").unlink(missing_ok=True)


def sounds():
    """Samples of 16 bits: tones that rise under noise, one shorter and one longer than 1 s."""
    generator = torch.Generator().manual_seed(73)
    all_samples = []
    for count in (2401, 16777):
        time = torch.arange(count) / 16000
        tone = torch.sin(6.283185 * (300 + 900 * time) * time) * 0.4
        noise = 0.05 * torch.randn(count, generator=generator)
        all_samples.append([round(x * 32767) for x in (tone + noise).clamp(-1, 1).tolist()])
    return all_samples


def main():
    """Writes all folders."""
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    vision(folder)
    clip(folder)
    sound(folder)


if __name__ == "__main__":
    main()
