/* Convolutions and others on plain arrays by the scalar kernels on bytes, for
 * against_onnxruntime.py. Images are [channels][height][width]. */
#include "harness.h"

static void block(const uint8_t *from, const image *to, uint8_t *bytes) {
  const forge_view *v = &to->view;
  for (int64_t c = 0; c < v->channels; c++)
    for (int64_t y = 0; y < v->height; y++)
      for (int64_t x = 0; x < v->width; x++)
        bytes[v->offset + c / 64 * v->block_stride + y * v->row_stride + x * 64 + c % 64] =
          from[(c * v->height + y) * v->width + x];
}

static void unblock(const image *from, const uint8_t *bytes, uint8_t *to) {
  const forge_view *v = &from->view;
  for (int64_t c = 0; c < v->channels; c++)
    for (int64_t y = 0; y < v->height; y++)
      for (int64_t x = 0; x < v->width; x++)
        to[(c * v->height + y) * v->width + x] =
          bytes[v->offset + c / 64 * v->block_stride + y * v->row_stride + x * 64 + c % 64];
}

/* sizes: channels, height, width, outputs, kernel, stride, dilation, padding, out height and width.
 * in: unsigned. weights: [output][input][kernel][kernel]. */
void try_convolution(const int64_t *sizes, const uint8_t *in, const uint8_t *weights,
                     int32_t is_unsigned, const int32_t *weight_zero, const int32_t *bias,
                     const float *scales, int32_t in_zero, int32_t zero, int32_t depthwise,
                     uint8_t *out) {
  const int64_t channels = sizes[0], outputs = sizes[3], kernel = sizes[4], pad = sizes[7];
  const int64_t taps = kernel * kernel, padded = forge_quantized_outputs(outputs);
  const image source = byte_image(IN, sizes[1], sizes[2], channels, depthwise ? 0 : pad, 0, 64);
  const image result = byte_image(OUT, sizes[8], sizes[9], outputs, 0, 0, 64);
  float *bases[BASES] = {0};
  bases[IN] = memory_of(source.bytes, in_zero);
  bases[OUT] = memory_of(result.bytes, 0);
  block(in, &source, (uint8_t *)bases[IN]);
  const forge_frame frame = {.bases = bases};
  float *table = memory_of(padded * 4, 0);
  int32_t *biases = memory_of(padded * 4, 0), *totals = memory_of(padded * 4, 0);
  int32_t *weight_zeros = memory_of(padded * 4, 0);
  const forge_quantized_packing packing = {.weights = weights,
                                           .outputs = outputs,
                                           .taps = taps,
                                           .inputs = depthwise ? 1 : channels,
                                           .output_stride = (depthwise ? 1 : channels) * taps,
                                           .tap_stride = 1,
                                           .input_stride = taps,
                                           .is_unsigned = is_unsigned,
                                           .zeros = weight_zero,
                                           .pixel_bytes = 64};
  int8_t *packed = memory_of(depthwise ? forge_quantized_depthwise_bytes(outputs, kernel, kernel)
                                       : forge_quantized_weight_bytes(outputs, taps, channels, 64),
                             0);
  if (depthwise) {
    forge_pack_quantized_depthwise(&packing, kernel, kernel, scales, bias, in_zero, packed, table,
                                   biases);
    const forge_quantized_depthwise_arguments a = {
      .in = source.view,
      .out = result.view,
      .weights = packed,
      .scales = table,
      .biases = biases,
      .in_zero = in_zero,
      .zero = zero,
      .high = 255,
      .kernel_height = (int32_t)kernel,
      .kernel_width = (int32_t)kernel,
      .stride_y = (int32_t)sizes[5],
      .stride_x = (int32_t)sizes[5],
      .dilation_y = (int32_t)sizes[6],
      .dilation_x = (int32_t)sizes[6],
      .pad_top = (int32_t)pad,
      .pad_left = (int32_t)pad,
    };
    forge_quantized_depthwise_scalar(&a, &frame, 0,
                                     forge_byte_blocks(outputs) * result.view.height);
  } else {
    forge_pack_quantized(&packing, packed, totals, weight_zeros);
    forge_fold_zero(bias, totals, in_zero, outputs, biases);
    memcpy(table, scales, (size_t)outputs * 4);
    const forge_quantized_convolution_arguments a = {
      .in = source.view,
      .out = result.view,
      .weights = packed,
      .end = {.zero = zero,
              .high = 255,
              .scales = table,
              .biases = biases,
              .weight_zeros = weight_zero ? weight_zeros : NULL},
      .kernel_height = (int32_t)kernel,
      .kernel_width = (int32_t)kernel,
      .stride_y = (int32_t)sizes[5],
      .stride_x = (int32_t)sizes[5],
      .dilation_y = (int32_t)sizes[6],
      .dilation_x = (int32_t)sizes[6],
      .pad_top = (int32_t)pad,
      .pad_left = (int32_t)pad,
      .pixel_bytes = 64,
      .segments = 1,
    };
    forge_quantized_convolution_scalar(&a, &frame, 0,
                                       forge_byte_blocks(outputs) * result.view.height);
  }
  unblock(&result, (uint8_t *)bases[OUT], out);
  free(packed);
  free(table);
  free(biases);
  free(totals);
  free(weight_zeros);
  free(bases[IN]);
  free(bases[OUT]);
}

/* sizes: channels, height, width. */
void try_binary(const int64_t *sizes, const uint8_t *a, const uint8_t *b, int32_t operation,
                float a_factor, float b_factor, int32_t a_zero, int32_t b_zero, int32_t zero,
                uint8_t *out) {
  const image left = byte_image(IN, sizes[1], sizes[2], sizes[0], 0, 0, 64);
  const image right = byte_image(OTHER, sizes[1], sizes[2], sizes[0], 0, 0, 64);
  const image result = byte_image(OUT, sizes[1], sizes[2], sizes[0], 0, 0, 64);
  float *bases[BASES] = {0};
  bases[IN] = memory_of(left.bytes, 0);
  bases[OTHER] = memory_of(right.bytes, 0);
  bases[OUT] = memory_of(result.bytes, 0);
  block(a, &left, (uint8_t *)bases[IN]);
  block(b, &right, (uint8_t *)bases[OTHER]);
  const forge_frame frame = {.bases = bases};
  const forge_quantized_binary_arguments p = {.a = left.view,
                                              .b = right.view,
                                              .out = result.view,
                                              .operation = operation,
                                              .a_factor = a_factor,
                                              .b_factor = b_factor,
                                              .a_zero = a_zero,
                                              .b_zero = b_zero,
                                              .zero = zero,
                                              .high = 255};
  forge_quantized_binary_scalar(&p, &frame, 0, forge_byte_blocks(sizes[0]) * sizes[1]);
  unblock(&result, (uint8_t *)bases[OUT], out);
  free(bases[IN]);
  free(bases[OTHER]);
  free(bases[OUT]);
}

/* Global average pooling. sizes: channels, height, width. */
void try_average(const int64_t *sizes, const uint8_t *in, float factor, int32_t in_zero,
                 int32_t zero, uint8_t *out) {
  const image source = byte_image(IN, sizes[1], sizes[2], sizes[0], 0, 0, 64);
  const image result = byte_image(OUT, 1, 1, sizes[0], 0, 0, 64);
  float *bases[BASES] = {0};
  bases[IN] = memory_of(source.bytes, 0);
  bases[OUT] = memory_of(result.bytes, 0);
  block(in, &source, (uint8_t *)bases[IN]);
  const forge_frame frame = {.bases = bases};
  const forge_quantized_pooling_arguments a = {.in = source.view,
                                               .out = result.view,
                                               .kind = FORGE_POOL_AVERAGE_ALL,
                                               .kernel_height = (int32_t)sizes[1],
                                               .kernel_width = (int32_t)sizes[2],
                                               .stride_y = 1,
                                               .stride_x = 1,
                                               .dilation_y = 1,
                                               .dilation_x = 1,
                                               .factor = factor,
                                               .in_zero = in_zero,
                                               .zero = zero,
                                               .high = 255};
  forge_quantized_pooling_scalar(&a, &frame, 0, forge_byte_blocks(sizes[0]));
  unblock(&result, (uint8_t *)bases[OUT], out);
  free(bases[IN]);
  free(bases[OUT]);
}

/* Quantizes `count` floats. range: NULL, or set by the numbers first. */
void try_quantize(const float *in, int64_t count, float scale, int32_t zero,
                  forge_quantization *range, uint8_t *out) {
  const image source = float_image(IN, 1, count, 1, 0);
  const image result = byte_image(OUT, 1, count, 1, 0, 0, 64);
  float *bases[BASES] = {0};
  bases[IN] = memory_of(source.bytes, 0);
  bases[OUT] = memory_of(result.bytes, 0);
  bases[OTHER] = memory_of(64, 0);
  bases[RANGE] = memory_of(64, 0);
  for (int64_t i = 0; i < count; i++) bases[IN][i * 16] = in[i];
  const forge_frame frame = {.bases = bases};
  if (range) {
    const forge_float_range_arguments r = {source.view, {.base = OTHER}};
    forge_float_range_scalar(&r, &frame, 0, 1);
    const forge_dynamic_range_arguments d = {
      .rows = {.base = OTHER}, .range = {.base = RANGE}, .count = 1};
    forge_dynamic_range_scalar(&d, &frame, 0, 1);
    memcpy(range, bases[RANGE], sizeof *range);
  }
  const forge_quantize_arguments a = {.in = source.view,
                                      .out = result.view,
                                      .scale = scale,
                                      .zero = zero,
                                      .high = 255,
                                      .has_range = range != NULL,
                                      .range = {.base = RANGE}};
  forge_quantize_scalar(&a, &frame, 0, 1);
  for (int64_t i = 0; i < count; i++) out[i] = ((uint8_t *)bases[OUT])[i * 64];
  for (int i = IN; i < BASES; i++) free(bases[i]);
}
