"""Writes a network for LiteRT with int8 weights and activations quantized as they come: `quantize.py H5 TFLITE`."""
import os
import pathlib
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras  # noqa: E402
import tensorflow  # noqa: E402

converter = tensorflow.lite.TFLiteConverter.from_keras_model(keras.models.load_model(sys.argv[1], compile=False))
converter.optimizations = [tensorflow.lite.Optimize.DEFAULT]
pathlib.Path(sys.argv[2]).write_bytes(converter.convert())
