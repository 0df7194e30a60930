/* Packing of the weights and tables of kernels on bytes. */
#include "quantized.h"

int64_t forge_quantized_outputs(int64_t outputs) {
  return forge_quotient_up(outputs, FORGE_BYTE_LANES) * FORGE_BYTE_LANES;
}

int64_t forge_quantized_weight_bytes(int64_t outputs, int64_t taps, int64_t inputs,
                                     int32_t pixel_bytes) {
  return forge_blocks(outputs) * FORGE_LANES * taps * forge_tap_quads(inputs, pixel_bytes) *
    FORGE_QUAD;
}

/* A weight as a signed number. */
static int8_t weight_of(const forge_quantized_packing *p, int64_t output, int64_t tap,
                        int64_t input) {
  const uint8_t byte =
    p->weights[output * p->output_stride + tap * p->tap_stride + input * p->input_stride];
  return (int8_t)(p->is_unsigned ? byte ^ 0x80 : byte);
}

void forge_pack_quantized(const forge_quantized_packing *p, int8_t *packed, int32_t *totals,
                          int32_t *weight_zeros) {
  const int64_t quads = forge_tap_quads(p->inputs, p->pixel_bytes);
  memset(packed, 0,
         (size_t)forge_quantized_weight_bytes(p->outputs, p->taps, p->inputs, p->pixel_bytes));
  memset(totals, 0, (size_t)forge_quantized_outputs(p->outputs) * sizeof *totals);
  if (weight_zeros)
    memset(weight_zeros, 0, (size_t)forge_quantized_outputs(p->outputs) * sizeof *weight_zeros);
  for (int64_t output = 0; output < p->outputs; output++) {
    const int64_t panel = output / FORGE_BYTE_LANES, column = output % FORGE_BYTE_LANES;
    const int64_t width = forge_panel_width(p->outputs, panel);
    int8_t *to = packed + panel * FORGE_BYTE_LANES * p->taps * quads * FORGE_QUAD;
    const int32_t zero = p->zeros ? p->zeros[output] : 0;
    uint32_t total = 0;
    for (int64_t tap = 0; tap < p->taps; tap++)
      for (int64_t input = 0; input < p->inputs; input++) {
        const int8_t weight = weight_of(p, output, tap, input);
        const int64_t quad = tap * quads + input / FORGE_QUAD;
        to[(quad * width + column) * FORGE_QUAD + input % FORGE_QUAD] = weight;
        total += (uint32_t)(weight - zero);
      }
    totals[output] = (int32_t)total;
    if (weight_zeros) weight_zeros[output] = zero;
  }
}

void forge_fold_zero(const int32_t *bias, const int32_t *totals, int32_t zero, int64_t outputs,
                     int32_t *biases) {
  for (int64_t n = 0; n < forge_quantized_outputs(outputs); n++) {
    const uint32_t start = n < outputs && bias ? (uint32_t)bias[n] : 0;
    biases[n] = n < outputs ? (int32_t)(start - (uint32_t)zero * (uint32_t)totals[n]) : 0;
  }
}

int64_t forge_quantized_depthwise_bytes(int64_t channels, int64_t kernel_height,
                                        int64_t kernel_width) {
  return forge_byte_blocks(channels) * kernel_width * forge_quotient_up(kernel_height, FORGE_QUAD) *
    FORGE_QUAD * FORGE_BYTE_LANES;
}

void forge_pack_quantized_depthwise(const forge_quantized_packing *p, int64_t kernel_height,
                                    int64_t kernel_width, const float *scales, const int32_t *bias,
                                    int32_t in_zero, int8_t *packed, float *packed_scales,
                                    int32_t *packed_biases) {
  const int64_t groups = forge_quotient_up(kernel_height, FORGE_QUAD);
  memset(packed, 0,
         (size_t)forge_quantized_depthwise_bytes(p->outputs, kernel_height, kernel_width));
  memset(packed_scales, 0, (size_t)forge_quantized_outputs(p->outputs) * sizeof *packed_scales);
  memset(packed_biases, 0, (size_t)forge_quantized_outputs(p->outputs) * sizeof *packed_biases);
  for (int64_t c = 0; c < p->outputs; c++) {
    const int64_t block = c / FORGE_BYTE_LANES, lane = c % FORGE_BYTE_LANES;
    const int64_t place = forge_depthwise_place(lane);
    uint32_t total = 0;
    for (int64_t ky = 0; ky < kernel_height; ky++)
      for (int64_t kx = 0; kx < kernel_width; kx++) {
        const int8_t weight = weight_of(p, c, ky * kernel_width + kx, 0);
        const int64_t group = (block * kernel_width + kx) * groups + ky / FORGE_QUAD;
        packed[(group * FORGE_BYTE_LANES + place) * FORGE_QUAD + ky % FORGE_QUAD] = weight;
        total += (uint32_t)(int32_t)weight;
      }
    const uint32_t start = bias ? (uint32_t)bias[c] : 0;
    packed_scales[block * FORGE_BYTE_LANES + place] = scales[c];
    packed_biases[block * FORGE_BYTE_LANES + place] = (int32_t)(start - (uint32_t)in_zero * total);
  }
}
