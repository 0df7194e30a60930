"""Fuses an encoder for ONNX Runtime by its own optimizer: `fuse.py NAME.onnx NAME.fused.onnx`."""
import sys

from onnxruntime.transformers import optimizer


def main():
    source, result = sys.argv[1:]
    model = optimizer.optimize_model(source, model_type="bert", opt_level=0, use_gpu=False)
    model.save_model_to_file(result)
    fused = model.get_fused_operator_statistics()
    if not fused["Attention"]:
        sys.exit(f"{source}: no attention was fused: {fused}")


main()
