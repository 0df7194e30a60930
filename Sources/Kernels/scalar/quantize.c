/* Floats to bytes and back, one number at a time, and moves of bytes. */
#include "../quantized.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

static forge_quantization quantization_of(float scale, int32_t zero, int32_t has_range,
                                          const forge_view *range, const forge_frame *frame) {
  return has_range ? forge_quantization_at(range, frame, 0) : (forge_quantization){scale, zero};
}

FORGE_SCALAR(quantize) {
  const forge_quantize_arguments *a = arguments;
  const forge_quantization q = quantization_of(a->scale, a->zero, a->has_range, &a->range, frame);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t from = block * FORGE_BYTE_LANES;
    const int64_t lanes = forge_smaller(a->out.channels - from, FORGE_BYTE_LANES);
    uint8_t *out = forge_byte_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++)
      for (int64_t lane = 0; lane < lanes; lane++)
        out[x * FORGE_BYTE_LANES + lane] = forge_byte_of(
          scalar_at(&a->in, frame, from + lane, y, x) / q.scale, q.zero, a->low, a->high);
  }
}

FORGE_SCALAR(dequantize) {
  const forge_dequantize_arguments *a = arguments;
  const forge_quantization q = quantization_of(a->scale, a->zero, a->has_range, &a->range, frame);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->in.height, y = tile % a->in.height;
    const int64_t from = block * FORGE_BYTE_LANES;
    const int64_t to =
      forge_smaller(from + FORGE_BYTE_LANES, forge_blocks(a->in.channels) * FORGE_LANES);
    const uint8_t *in = forge_byte_row(&a->in, frame, block, y);
    for (int64_t c = from; c < to; c++) {
      float *out = forge_row(&a->out, frame, c / FORGE_LANES, y) + c % FORGE_LANES;
      for (int64_t x = 0; x < a->in.width; x++)
        out[x * FORGE_LANES] =
          c < a->in.channels ? (float)(in[x * FORGE_BYTE_LANES + c - from] - q.zero) * q.scale : 0;
    }
  }
}

FORGE_SCALAR(quantize_pixels) {
  const forge_quantize_pixels_arguments *a = arguments;
  const int64_t width = (int64_t)a->left + a->out.width + a->right, channels = a->in.channels;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t y = tile - a->top;
    uint8_t *out = forge_byte_row(&a->out, frame, 0, y) - (int64_t)a->left * FORGE_SMALL_PIXEL;
    memset(out, a->zero, (size_t)(width * FORGE_SMALL_PIXEL));
    if (y < 0 || y >= a->out.height) continue;
    out += (int64_t)a->left * FORGE_SMALL_PIXEL;
    if (a->in_is_bytes) {
      const uint8_t *in = forge_byte_row(&a->in, frame, 0, y);
      for (int64_t x = 0; x < a->out.width; x++)
        for (int64_t c = 0; c < channels; c++)
          out[x * FORGE_SMALL_PIXEL + c] = in[x * channels + c] ^ (uint8_t)a->flip;
    } else {
      const float *in = forge_row(&a->in, frame, 0, y);
      for (int64_t x = 0; x < a->out.width; x++)
        for (int64_t c = 0; c < channels; c++)
          out[x * FORGE_SMALL_PIXEL + c] =
            forge_byte_of(in[x * channels + c] / a->scale, a->zero, a->low, a->high);
    }
  }
}

FORGE_SCALAR(byte_block) {
  const forge_byte_block_arguments *a = arguments;
  const uint8_t flip = (uint8_t)a->flip;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t from = block * FORGE_BYTE_LANES, channels = a->out.channels;
    const int64_t lanes = forge_smaller(channels - from, FORGE_BYTE_LANES);
    const uint8_t *in = forge_byte_row(&a->in, frame, 0, y) + from;
    uint8_t *out = forge_byte_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++)
      for (int64_t lane = 0; lane < lanes; lane++)
        out[x * FORGE_BYTE_LANES + lane] = in[x * channels + lane] ^ flip;
  }
}

FORGE_SCALAR(byte_unblock) {
  const forge_byte_unblock_arguments *a = arguments;
  const uint8_t flip = (uint8_t)a->flip;
  const int64_t channels = a->in.channels;
  for (int64_t y = first; y < last; y++) {
    uint8_t *out = forge_byte_row(&a->out, frame, 0, y);
    for (int64_t from = 0; from < channels; from += FORGE_BYTE_LANES) {
      const int64_t lanes = forge_smaller(channels - from, FORGE_BYTE_LANES);
      const uint8_t *in = forge_byte_row(&a->in, frame, from / FORGE_BYTE_LANES, y);
      for (int64_t x = 0; x < a->in.width; x++)
        for (int64_t lane = 0; lane < lanes; lane++)
          out[x * channels + from + lane] = in[x * FORGE_BYTE_LANES + lane] ^ flip;
    }
  }
}

static void fill_pixels(uint8_t *at, int64_t pixels, int32_t value) {
  if (pixels > 0) memset(at, value, (size_t)(pixels * FORGE_BYTE_LANES));
}

FORGE_SCALAR(byte_halo) {
  const forge_byte_halo_arguments *a = arguments;
  const int64_t height = a->out.height, width = a->out.width;
  const int64_t wide = a->left + width + a->right;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / height, y = tile % height;
    const int64_t above = y == 0 ? a->top : 0, below = y == height - 1 ? a->bottom : 0;
    for (int64_t row = y - above; row <= y + below; row++) {
      uint8_t *at = forge_byte_row(&a->out, frame, block, row);
      const bool inside = row == y;
      fill_pixels(at - (int64_t)a->left * FORGE_BYTE_LANES, inside ? a->left : wide, a->value);
      if (inside) fill_pixels(at + width * FORGE_BYTE_LANES, a->right, a->value);
    }
  }
}

/* ---- ranges ---- */

int64_t forge_float_range_words(const forge_float_range_arguments *a) {
  return 2 * forge_blocks(a->in.channels) * a->in.height;
}

FORGE_SCALAR(float_range) {
  const forge_float_range_arguments *a = arguments;
  int32_t *rows = (int32_t *)forge_origin(&a->rows, frame);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->in.height, y = tile % a->in.height;
    int32_t least = 0, most = 0; /* zero is in every range */
    for (int64_t x = 0; x < a->in.width; x++)
      for (int64_t lane = 0; lane < forge_lanes(a->in.channels, block); lane++) {
        const int32_t number = forge_ordered(
          (int32_t)forge_bits_of(forge_row(&a->in, frame, block, y)[x * FORGE_LANES + lane]));
        least = number < least ? number : least;
        most = number > most ? number : most;
      }
    rows[2 * tile] = least;
    rows[2 * tile + 1] = most;
  }
}

FORGE_SCALAR(dynamic_range) {
  const forge_dynamic_range_arguments *a = arguments;
  if (first >= last) return;
  const int32_t *rows = (const int32_t *)forge_origin(&a->rows, frame);
  int32_t least = 0, most = 0;
  for (int64_t i = 0; i < a->count; i++) {
    least = rows[2 * i] < least ? rows[2 * i] : least;
    most = rows[2 * i + 1] > most ? rows[2 * i + 1] : most;
  }
  const forge_quantization q = forge_quantization_of(least, most);
  memcpy(forge_origin(&a->range, frame), &q, sizeof q);
  if (!a->has_numbers) return;
  float *numbers = forge_origin(&a->numbers, frame);
  numbers[0] = q.scale;
  numbers[1] = (float)q.zero;
}
