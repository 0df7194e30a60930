"""Writes the fixtures of Tests/ForgeHubTests: small folders of the Hub with random weights.

Usage: python make_hub_references.py FOLDER [NAME …]   (with torch and transformers)

NAMEs are beginnings of the names of folders that are made; all of them otherwise. Each folder in FOLDER is what save_pretrained writes, for networks of few and odd sizes, with
answers.json: inputs and the outputs that transformers computes for them in double precision.
"""
# check: Tests/ForgeHubTests/Fixtures

import json
import pathlib
import shutil
import sys

import safetensors.torch
import torch
import transformers
from transformers import AutoModel, AutoModelForCausalLM, AutoModelForSequenceClassification
from transformers import AutoModelForTokenClassification

ENCODER = {"hidden_size": 15, "num_attention_heads": 3, "num_hidden_layers": 2,
           "intermediate_size": 23, "vocab_size": 41, "max_position_embeddings": 20,
           "attn_implementation": "eager"}
WIDE = {**ENCODER, "hidden_size": 24, "num_attention_heads": 2}
DECODER = {"hidden_size": 24, "num_attention_heads": 4, "num_hidden_layers": 2,
           "intermediate_size": 19, "vocab_size": 41, "max_position_embeddings": 32,
           "attn_implementation": "eager"}
ACTIVATIONS = ["gelu", "gelu_10", "gelu_fast", "gelu_new", "gelu_python", "gelu_pytorch_tanh",
               "gelu_accurate", "laplace", "leaky_relu", "linear", "mish", "quick_gelu", "relu",
               "relu2", "relu6", "sigmoid", "silu", "swish", "tanh", "gelu_python_tanh"]
HEADS = {"features": AutoModel, "sequence": AutoModelForSequenceClassification,
         "token": AutoModelForTokenClassification, "next": AutoModelForCausalLM}
TYPED = ("features", "sequence", "token")


def randomize(model, seed):
    """Gives all parameters values that no layer hides."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, value in model.named_parameters():
            noise = torch.randn(value.shape, generator=generator)
            is_scale = value.dim() == 1 and name.endswith("weight")
            value.copy_(1 + 0.3 * noise if is_scale else 0.35 * noise)
    return model.eval()


def is_wanted(name):
    """Whether the arguments name a folder."""
    return not sys.argv[2:] or any(name.startswith(start) for start in sys.argv[2:])


def answers(model, config, lengths=(1, 6, 11), masks=True, types=True, left=True, end=False):
    """The outputs for sequences without padding, and for padded ones; `end` puts a last token."""
    generator = torch.Generator().manual_seed(9)
    double = model.double()
    cases = []

    def case(length, mask):
        ids = torch.randint(3, config.vocab_size, (1, length), generator=generator)
        pad = config.pad_token_id or 0
        if end:
            ids[0, length - 1 if mask is None else mask[0].nonzero().max()] = config.eos_token_id
        if mask is not None:
            ids = torch.where(mask == 1, ids, torch.full_like(ids, pad))
        inputs = {"input_ids": ids}
        if mask is not None:
            inputs["attention_mask"] = mask
        if types:
            inputs["token_type_ids"] = torch.randint(
                0, config.type_vocab_size, (1, length), generator=generator)
        with torch.no_grad():
            output = double(**inputs)[0]
        cases.append({**{name: value[0].tolist() for name, value in inputs.items()},
                      "output": [float(f"{x:.8g}") for x in output.flatten().tolist()]})

    for length in lengths:
        case(length, None)
    if masks:
        # With local attention each token must see one that is not padding, here and in the library.
        case(7, torch.tensor([[1, 1, 1, 1, 1, 0, 0]]))
        if left:
            case(7, torch.tensor([[0, 0, 1, 1, 1, 1, 1]]))
    return cases


def save(folder, name, model, cases, **options):
    """Writes a folder."""
    target = folder / name
    shutil.rmtree(target, ignore_errors=True)
    model.float().save_pretrained(target, **options)
    for extra in ("generation_config.json",):
        (target / extra).unlink(missing_ok=True)
    (target / "answers.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


def make(folder, name, config, head="features", seed=1, saving=None, **options):
    """Makes a network of a configuration, with its answers."""
    if not is_wanted(name):
        return
    if head in ("sequence", "token"):
        config.id2label = {0: "no", 1: "yes", 2: "perhaps"}
        config.label2id = {"no": 0, "yes": 1, "perhaps": 2}
    config._attn_implementation = "eager"
    model = head(config) if isinstance(head, type) else HEADS[head].from_config(
        config, attn_implementation="eager")
    randomize(model, seed)
    save(folder, name, model, answers(model, config, **options), **(saving or {}))


def encoders(folder):
    """One folder for each architecture and head."""
    t = transformers
    for head in TYPED:
        make(folder, f"bert-{head}", t.BertConfig(**ENCODER), head)
        make(folder, f"roberta-{head}",
             t.RobertaConfig(**ENCODER, type_vocab_size=1, layer_norm_eps=1e-5, pad_token_id=1),
             head, types=False)
        make(folder, f"distilbert-{head}",
             t.DistilBertConfig(dim=15, n_heads=3, n_layers=2, hidden_dim=23, vocab_size=41,
                                max_position_embeddings=20), head, types=False)
        make(folder, f"mpnet-{head}", t.MPNetConfig(**{**ENCODER, "max_position_embeddings": 300}),
             head, lengths=(1, 6, 11, 90) if head == "features" else (1, 6, 11), types=False)
        make(folder, f"albert-{head}",
             t.AlbertConfig(**{**ENCODER, "num_hidden_layers": 4}, embedding_size=7,
                            num_hidden_groups=2, inner_group_num=2), head)
        make(folder, f"electra-{head}", t.ElectraConfig(**ENCODER, embedding_size=9), head)
        make(folder, f"modernbert-{head}",
             t.ModernBertConfig(**{**WIDE, "num_hidden_layers": 4}, local_attention=6,
                                pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1,
                                sep_token_id=2), head, types=False, left=False)
    make(folder, "nomic-features", t.NomicBertConfig(**WIDE))
    make(folder, "xlm-roberta-features",
         t.XLMRobertaConfig(**ENCODER, type_vocab_size=1, pad_token_id=1), types=False)
    make(folder, "modernbert-biases",
         t.ModernBertConfig(**WIDE, norm_bias=True, attention_bias=True, mlp_bias=True,
                            classifier_bias=True, classifier_pooling="mean",
                            hidden_activation="silu", classifier_activation="relu",
                            local_attention=4, global_attn_every_n_layers=2, pad_token_id=0,
                            bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2,
                            rope_parameters={
                                "full_attention": {"rope_type": "default", "rope_theta": 5000.0},
                                "sliding_attention": {"rope_type": "default",
                                                      "rope_theta": 70.0}}),
         "sequence", types=False, left=False)
    make(folder, "electra-equal", t.ElectraConfig(**ENCODER, embedding_size=15))
    # Weights of two bytes in several files.
    if not is_wanted("bert-shards"):
        return
    config = t.BertConfig(**ENCODER)
    model = randomize(AutoModel.from_config(config, attn_implementation="eager"), 3).bfloat16()
    cases = answers(model.float(), config)
    target = folder / "bert-shards"
    shutil.rmtree(target, ignore_errors=True)
    model.bfloat16().save_pretrained(target, max_shard_size="4KB")
    (target / "answers.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


def rename(folder, source, target, tensors, config):
    """A copy of a folder whose tensors and configuration have other names."""
    if not is_wanted(target):
        return
    goal = folder / target
    shutil.rmtree(goal, ignore_errors=True)
    shutil.copytree(folder / source, goal)
    old = safetensors.torch.load_file(goal / "model.safetensors")
    safetensors.torch.save_file(tensors(old), goal / "model.safetensors")
    settings = json.loads((goal / "config.json").read_text())
    (goal / "config.json").write_text(json.dumps(config(settings), indent=2) + "\n")


def other_names(folder):
    """The names of BERT's first files, and those of transformers for Nomic's network."""
    def legacy(old):
        new = {name.replace("LayerNorm.weight", "LayerNorm.gamma")
               .replace("LayerNorm.bias", "LayerNorm.beta"): value for name, value in old.items()}
        return {f"bert.{name}": value for name, value in new.items()}

    rename(folder, "bert-features", "bert-legacy", legacy,
           lambda settings: {**settings, "architectures": ["BertForMaskedLM"]})
    # save_pretrained writes the names of Nomic's own program; the library also reads these.
    names = {"encoder.layers.": "layers.", "emb_ln": "embeddings.LayerNorm",
             "attn.out_proj": "self_attn.o_proj", "fc12": "gate_proj", "fc11": "up_proj",
             "fc2": "down_proj", "norm1": "post_attention_layernorm",
             "norm2": "post_mlp_layernorm"}

    def nomic(old):
        new = {}
        for name, value in old.items():
            for other, own in names.items():
                name = name.replace(other, own)
            if "Wqkv" not in name:
                new[name] = value
                continue
            for part, matrix in zip("qkv", value.chunk(3)):
                new[name.replace("attn.Wqkv", f"self_attn.{part}_proj")] = matrix.contiguous()
        return new

    def settings(old):
        return {"model_type": "nomic_bert", "architectures": ["NomicBertModel"],
                "activation_function": "swiglu", "n_embd": old["hidden_size"],
                "n_head": old["num_attention_heads"], "n_layer": old["num_hidden_layers"],
                "n_inner": old["intermediate_size"], "n_positions": 20,
                "layer_norm_epsilon": old["layer_norm_eps"], "rotary_emb_base": 1000,
                "rotary_emb_fraction": 1.0, "rotary_emb_interleaved": False,
                "rotary_emb_scale_base": None, "rotary_scaling_factor": None,
                "qkv_proj_bias": False, "mlp_fc1_bias": False, "mlp_fc2_bias": False,
                "prenorm": False, "causal": False, "parallel_block": False,
                "use_rms_norm": False, "type_vocab_size": old["type_vocab_size"],
                "vocab_size": old["vocab_size"]}

    rename(folder, "nomic-features", "nomic-names", nomic, settings)


def decoders(folder):
    """Decoders, whose tokens see only those before them."""
    t = transformers
    ends = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
    for head in HEADS:
        make(folder, f"gpt2-{head}",
             t.GPT2Config(n_embd=15, n_head=3, n_layer=2, n_positions=20, vocab_size=41, **ends),
             head, types=False, left=False)
        make(folder, f"llama-{head}",
             t.LlamaConfig(**DECODER, num_key_value_heads=2, **ends), head, types=False,
             left=False)
    make(folder, "gpt2-options",
         t.GPT2Config(n_embd=15, n_head=3, n_layer=2, n_positions=20, n_inner=8, vocab_size=41,
                      activation_function="relu", scale_attn_weights=False,
                      scale_attn_by_inverse_layer_idx=True, **ends),
         types=False, left=False)
    rotation = {"rope_type": "default", "rope_theta": 700.0}
    make(folder, "llama-options",
         t.LlamaConfig(**DECODER, head_dim=10, attention_bias=True, mlp_bias=True,
                       hidden_act="gelu", rope_parameters=rotation, rms_norm_eps=1e-3,
                       tie_word_embeddings=True, **ends), "next", types=False, left=False)
    make(folder, "qwen2-features",
         t.Qwen2Config(**DECODER, num_key_value_heads=2, rope_parameters=rotation, **ends),
         types=False, left=False)
    make(folder, "qwen3-features",
         t.Qwen3Config(**DECODER, num_key_value_heads=2, head_dim=8, **ends), types=False,
         left=False)
    gemma = {**DECODER, "num_key_value_heads": 2, "head_dim": 10, **ends}
    for head in HEADS:
        make(folder, f"gemma-{head}", t.GemmaConfig(**gemma), head, types=False, left=False)
    caps = {"attn_logit_softcapping": 20.0, "final_logit_softcapping": 9.0}
    make(folder, "gemma2-next",
         t.Gemma2Config(**{**gemma, "num_hidden_layers": 3}, sliding_window=4,
                        query_pre_attn_scalar=7, **caps), "next", types=False, left=False)
    make(folder, "gemma2-options",
         t.Gemma2Config(**gemma, attention_bias=True, hidden_activation="silu",
                        attn_logit_softcapping=None, rope_parameters=rotation,
                        tie_word_embeddings=False), "next", types=False, left=False)
    third = {**gemma, "num_hidden_layers": 3, "sliding_window": 6, "query_pre_attn_scalar": 5,
             "layer_types": ["sliding_attention", "full_attention", "sliding_attention"]}
    for head in ("features", "sequence", "next"):
        make(folder, f"gemma3-{head}", t.Gemma3TextConfig(**third), head, types=False, left=False)
    # The form of EmbeddingGemma.
    make(folder, "gemma3-both",
         t.Gemma3TextConfig(**third, use_bidirectional_attention=True), types=False, left=False)
    make(folder, "mistral-features",
         t.MistralConfig(**DECODER, num_key_value_heads=1, sliding_window=11, **ends),
         types=False, left=False)


def distances(folder):
    """Encoders that know distances: T5 and DeBERTa, with and without buckets."""
    t = transformers
    sizes = {"d_model": 15, "d_kv": 4, "num_heads": 3, "num_layers": 2, "d_ff": 23,
             "vocab_size": 41, "n_positions": 100, "relative_attention_num_buckets": 8,
             "relative_attention_max_distance": 20, "decoder_start_token_id": 0}
    lengths = (1, 6, 60)
    make(folder, "t5-features", t.T5Config(**sizes), t.T5EncoderModel, lengths=lengths, types=False)
    make(folder, "t5-gated",
         t.T5Config(**{**sizes, "d_kv": 7}, feed_forward_proj="gated-gelu",
                    layer_norm_epsilon=1e-3),
         t.T5EncoderModel, lengths=lengths, types=False)
    make(folder, "t5-silu", t.T5Config(**sizes, feed_forward_proj="gated-silu"),
         t.T5EncoderModel, types=False)
    make(folder, "t5-token", t.T5Config(**sizes, id2label={0: "a", 1: "b", 2: "c"},
                                        label2id={"a": 0, "b": 1, "c": 2}),
         t.T5ForTokenClassification, types=False)
    make(folder, "mt5-features", t.MT5Config(**sizes), t.MT5EncoderModel, types=False)
    make(folder, "umt5-features", t.UMT5Config(**sizes), t.UMT5EncoderModel, lengths=lengths,
         types=False)
    third = {**ENCODER, "max_position_embeddings": 100, "relative_attention": True,
             "position_buckets": 8, "norm_rel_ebd": "layer_norm", "share_att_key": True,
             "pos_att_type": "p2c|c2p", "position_biased_input": False, "type_vocab_size": 0}
    for head in TYPED:
        make(folder, f"deberta-{head}", t.DebertaV2Config(**third), head, lengths=lengths,
             types=False)
    make(folder, "deberta-options",
         t.DebertaV2Config(**{**third, "position_buckets": -1, "max_relative_positions": 9,
                              "norm_rel_ebd": "none", "share_att_key": False,
                              "position_biased_input": True, "type_vocab_size": 2},
                           embedding_size=9, pooler_hidden_act="tanh"),
         "sequence", lengths=lengths)
    make(folder, "deberta-keys",
         t.DebertaV2Config(**{**third, "pos_att_type": "p2c", "share_att_key": False}), types=False)
    make(folder, "deberta-queries", t.DebertaV2Config(**{**third, "pos_att_type": "c2p"}),
         types=False)
    make(folder, "deberta-plain", t.DebertaV2Config(**{**third, "relative_attention": False}),
         types=False)


def readers(folder):
    """Encoders with a decoder that reads the same text."""
    sizes = {"d_model": 15, "encoder_layers": 2, "decoder_layers": 1, "encoder_attention_heads": 3,
             "decoder_attention_heads": 5, "encoder_ffn_dim": 23, "decoder_ffn_dim": 19,
             "vocab_size": 41, "max_position_embeddings": 20, "pad_token_id": 1, "bos_token_id": 0,
             "eos_token_id": 2, "decoder_start_token_id": 2}
    config = transformers.BartConfig
    make(folder, "bart-features", config(**sizes), types=False)
    make(folder, "bart-sequence", config(**sizes), "sequence", types=False, end=True)
    make(folder, "bart-options",
         config(**{**sizes, "decoder_start_token_id": 0}, scale_embedding=True,
                activation_function="relu"), types=False)


def activations(folder):
    """A small network for each activation function."""
    for index, name in enumerate(ACTIVATIONS):
        config = transformers.BertConfig(
            **{**ENCODER, "hidden_size": 6, "num_attention_heads": 2, "num_hidden_layers": 1,
               "intermediate_size": 5, "vocab_size": 11}, hidden_act=name)
        make(folder, f"activation-{name}", config, seed=index, lengths=(5,), masks=False)


def main():
    """Writes all folders."""
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    encoders(folder)
    decoders(folder)
    distances(folder)
    readers(folder)
    other_names(folder)
    activations(folder)


if __name__ == "__main__":
    main()
