/* Arithmetic, pooling and tables on images of bytes, one number at a time. */
#include "../quantized.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

static const uint8_t *byte_at(const forge_view *view, const forge_frame *frame, int64_t block,
                              int64_t y, int64_t x) {
  return forge_byte_row(view, frame, block, view->height == 1 ? 0 : y) +
    (view->width == 1 ? 0 : x) * FORGE_BYTE_LANES;
}

FORGE_SCALAR(quantized_binary) {
  const forge_quantized_binary_arguments *p = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / p->out.height, y = tile % p->out.height;
    const int64_t lanes =
      forge_smaller(p->out.channels - block * FORGE_BYTE_LANES, FORGE_BYTE_LANES);
    uint8_t *out = forge_byte_row(&p->out, frame, block, y);
    for (int64_t x = 0; x < p->out.width; x++)
      for (int64_t lane = 0; lane < lanes; lane++) {
        const int32_t a = byte_at(&p->a, frame, block, y, x)[lane] - p->a_zero;
        const int32_t b = byte_at(&p->b, frame, block, y, x)[lane] - p->b_zero;
        float f;
        if (p->operation == FORGE_BYTES_ADD) {
          const float left = (float)a * p->a_factor, right = (float)b * p->b_factor;
          f = left + right;
        } else {
          f = (float)(a * b) * p->a_factor;
        }
        out[x * FORGE_BYTE_LANES + lane] = forge_byte_of(f + (float)p->zero, 0, p->low, p->high);
      }
  }
}

FORGE_SCALAR(quantized_pooling) {
  const forge_quantized_pooling_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes =
      forge_smaller(a->out.channels - block * FORGE_BYTE_LANES, FORGE_BYTE_LANES);
    const int64_t top = y * a->stride_y - a->pad_top;
    const forge_taps rows = forge_taps_inside(top, a->kernel_height, a->dilation_y, a->in.height);
    uint8_t *out = forge_byte_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++) {
      const int64_t left = x * a->stride_x - a->pad_left;
      const forge_taps columns =
        forge_taps_inside(left, a->kernel_width, a->dilation_x, a->in.width);
      const bool empty = rows.first >= rows.last || columns.first >= columns.last;
      const int64_t inside = empty ? 0 : (rows.last - rows.first) * (columns.last - columns.first);
      const int64_t count = a->kind == FORGE_POOL_AVERAGE_INSIDE
        ? forge_larger(inside, 1)
        : (int64_t)a->kernel_height * a->kernel_width;
      const float factor = a->factor / (float)count;
      for (int64_t lane = 0; lane < lanes; lane++) {
        uint8_t largest = 0;
        uint32_t sum = 0 - (uint32_t)inside * (uint32_t)a->in_zero;
        for (int64_t ky = rows.first; ky < rows.last; ky++)
          for (int64_t kx = columns.first; kx < columns.last; kx++) {
            const uint8_t byte = forge_byte_row(
              &a->in, frame, block,
              top + ky * a->dilation_y)[(left + kx * a->dilation_x) * FORGE_BYTE_LANES + lane];
            largest = byte > largest ? byte : largest;
            sum += byte;
          }
        uint8_t *to = &out[x * FORGE_BYTE_LANES + lane];
        if (a->kind == FORGE_POOL_MAXIMUM)
          *to = empty ? (uint8_t)a->in_zero : largest;
        else
          *to = forge_byte_of((float)(int32_t)sum * factor, a->zero, a->low, a->high);
      }
    }
  }
}

FORGE_SCALAR(byte_lookup) {
  const forge_byte_lookup_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes =
      forge_smaller(a->out.channels - block * FORGE_BYTE_LANES, FORGE_BYTE_LANES);
    const uint8_t *in = forge_byte_row(&a->in, frame, block, y);
    uint8_t *out = forge_byte_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->out.width; x++)
      for (int64_t lane = 0; lane < lanes; lane++)
        out[x * FORGE_BYTE_LANES + lane] = a->table[in[x * FORGE_BYTE_LANES + lane]];
  }
}

FORGE_SCALAR(byte_copy_channels) {
  const forge_byte_copy_channels_arguments *a = arguments;
  for (int64_t y = first; y < last; y++)
    for (int64_t c = 0; c < a->in.channels;) {
      /* The run of channels that is in one block of both images. */
      const int64_t to = a->first_channel + c;
      const int64_t run =
        forge_smaller(a->in.channels - c,
                      FORGE_BYTE_LANES - forge_larger(c % FORGE_BYTE_LANES, to % FORGE_BYTE_LANES));
      const uint8_t *in =
        forge_byte_row(&a->in, frame, c / FORGE_BYTE_LANES, y) + c % FORGE_BYTE_LANES;
      uint8_t *out =
        forge_byte_row(&a->out, frame, to / FORGE_BYTE_LANES, y) + to % FORGE_BYTE_LANES;
      for (int64_t x = 0; x < a->in.width; x++, in += FORGE_BYTE_LANES, out += FORGE_BYTE_LANES) {
        if (a->table)
          for (int64_t i = 0; i < run; i++) out[i] = a->table[in[i]];
        else
          memcpy(out, in, (size_t)run);
      }
      c += run;
    }
}
