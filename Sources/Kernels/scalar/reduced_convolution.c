/* Convolutions of lower precision, one output number at a time, and what brings their inputs to
 * words: see
 * ../include/CForgePrecision.h. */
#include "../words.h"

#pragma STDC FP_CONTRACT OFF

/* ---- inputs ---- */

/* Column 0 of row y of a block, -top being the first row of the border. */
static uint32_t *words_row(const forge_words_arguments *a, const forge_frame *frame, int64_t block,
                           int64_t y) {
  return (uint32_t *)forge_row(&a->out, frame, block, y);
}

/* A number as one of the lanes of a word. */
typedef uint32_t (*word_lane)(float value, forge_byte_scale scale);

/* Words of `count` channels each, 0 being what is past the last channel and outside the image. */
static void write_words(const forge_words_arguments *a, const forge_frame *frame, int64_t first,
                        int64_t last, int64_t count, word_lane lane_of_word,
                        forge_byte_scale scale) {
  const int64_t rows = (int64_t)a->top + a->in.height + a->bottom, words = FORGE_LANES / count;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / rows, y = tile % rows - a->top;
    const int64_t lanes = forge_lanes(a->in.channels, block);
    uint32_t *out = words_row(a, frame, block, y);
    for (int64_t x = -a->left; x < (int64_t)a->in.width + a->right; x++) {
      const bool inside = y >= 0 && y < a->in.height && x >= 0 && x < a->in.width;
      for (int64_t word = 0; word < words; word++) {
        uint32_t bits = 0;
        for (int64_t i = 0; i < count; i++) {
          const int64_t lane = word * count + i;
          const float value =
            inside && lane < lanes ? forge_row(&a->in, frame, block, y)[x * FORGE_LANES + lane] : 0;
          bits |= lane_of_word(value, scale) << (32 / count * i);
        }
        out[x * words + word] = bits;
      }
    }
  }
}

static uint32_t bfloat_lane(float value, forge_byte_scale scale) {
  (void)scale;
  return forge_bfloat_of(value);
}

void forge_bfloat_input_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                               int64_t last) {
  write_words(arguments, frame, first, last, 2, bfloat_lane, (forge_byte_scale){0});
}

void forge_byte_range_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                             int64_t last) {
  const forge_words_arguments *a = arguments;
  int32_t *least = forge_range_of(&a->range, frame) + FORGE_RANGE_ROWS;
  int32_t *most = least + forge_byte_range_tiles(a);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->in.height, y = tile % a->in.height;
    const int64_t lanes = forge_lanes(a->in.channels, block);
    const float *in = forge_row(&a->in, frame, block, y);
    int32_t low = 0, high = 0;
    for (int64_t i = 0; i < (int64_t)a->in.width * FORGE_LANES; i++) {
      if (i % FORGE_LANES >= lanes) continue;
      int32_t bits;
      memcpy(&bits, &in[i], sizeof bits);
      bits = forge_ordered(bits);
      low = bits < low ? bits : low;
      high = bits > high ? bits : high;
    }
    least[tile] = low;
    most[tile] = high;
  }
}

static uint32_t byte_of(float value, forge_byte_scale scale) {
  const float shifted = value * scale.inverse + FORGE_ROUNDING, shift = FORGE_ROUNDING;
  int32_t bits, origin;
  memcpy(&bits, &shifted, sizeof bits);
  memcpy(&origin, &shift, sizeof origin);
  const int32_t q = bits - origin + scale.zero;
  return (uint32_t)(q < 0 ? 0 : q > 255 ? 255 : q);
}

void forge_byte_input_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                             int64_t last) {
  const forge_words_arguments *a = arguments;
  const forge_byte_scale scale = forge_byte_scale_of(a, frame);
  if (first == 0 && last > 0) {
    int32_t *range = forge_range_of(&a->range, frame);
    memcpy(range, &scale.scale, sizeof *range);
    range[1] = scale.zero;
  }
  write_words(a, frame, first, last, 4, byte_of, scale);
}

/* ---- convolutions ---- */

/* One output number before residual and activation. in: the first word of the window; weights: of
 * the output's column in its panel; o: the output. */
typedef float (*window_sum)(const forge_reduced_convolution_arguments *a, const forge_frame *frame,
                            const float *in, const uint8_t *weights, int64_t o);

/* Channel c of a pixel whose block has `per_block` words, as the lane it is of its word. */
static const uint8_t *lane_of(const forge_reduced_convolution_arguments *a, const float *pixel,
                              int64_t c, int64_t bytes) {
  return (const uint8_t *)(pixel + c / FORGE_LANES * a->in.block_stride) + c % FORGE_LANES * bytes;
}

/* The weight of channel c, of `bytes` bytes, `count` of them in a word. */
static const uint8_t *weight_of(const forge_reduced_convolution_arguments *a,
                                const uint8_t *weights, int64_t tap, int64_t c, int64_t bytes,
                                int64_t count) {
  const int64_t words = forge_blocks(a->in.channels) * FORGE_LANES / count;
  const int64_t row = tap * words + c / count;
  return weights + (row * a->panel_width * count + c % count) * bytes;
}

/* The weight of channel c for output o, to be multiplied by its scale. */
typedef float (*float_weight)(const forge_reduced_convolution_arguments *a, const uint8_t *weights,
                              int64_t tap, int64_t c, int64_t o);

static float half_weight(const forge_reduced_convolution_arguments *a, const uint8_t *weights,
                         int64_t tap, int64_t c, int64_t o) {
  (void)o;
  float weight;
  forge_gather(weight_of(a, weights, tap, c, 2, 1), FORGE_STORED_FLOAT16, 0, NULL, NULL, &weight,
               1);
  return weight;
}

static float fixed_weight(const forge_reduced_convolution_arguments *a, const uint8_t *weights,
                          int64_t tap, int64_t c, int64_t o) {
  /* `weights` is that of the column as if each of the panel had its own bytes. */
  const int64_t column = o % FORGE_FIXED_PANEL_WIDTH;
  return forge_of_fixed((const char *)weights - 3 * column,
                        tap * forge_blocks(a->in.channels) * FORGE_LANES + c, column);
}

static float float_sum(const forge_reduced_convolution_arguments *a, const float *in,
                       const uint8_t *weights, int64_t o, float_weight weight) {
  float sum = 0;
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    for (int64_t kx = 0; kx < a->kernel_width; kx++) {
      const float *pixel =
        in + ky * a->dilation_y * a->in.row_stride + kx * a->dilation_x * FORGE_LANES;
      for (int64_t c = 0; c < a->in.channels; c++)
        sum += pixel[c / FORGE_LANES * a->in.block_stride + c % FORGE_LANES] *
          weight(a, weights, ky * a->kernel_width + kx, c, o);
    }
  }
  return sum * a->scales[o] + a->bias[o];
}

static float half_sum(const forge_reduced_convolution_arguments *a, const forge_frame *frame,
                      const float *in, const uint8_t *weights, int64_t o) {
  (void)frame;
  return float_sum(a, in, weights, o, half_weight);
}

static float fixed_sum(const forge_reduced_convolution_arguments *a, const forge_frame *frame,
                       const float *in, const uint8_t *weights, int64_t o) {
  (void)frame;
  return float_sum(a, in, weights, o, fixed_weight);
}

static float bfloat_sum(const forge_reduced_convolution_arguments *a, const forge_frame *frame,
                        const float *in, const uint8_t *weights, int64_t o) {
  (void)frame;
  float sum = a->bias[o];
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    for (int64_t kx = 0; kx < a->kernel_width; kx++) {
      const float *pixel =
        in + ky * a->dilation_y * a->in.row_stride + kx * a->dilation_x * FORGE_PAIR_WORDS;
      for (int64_t c = 0; c < a->in.channels; c++) {
        uint16_t x, weight;
        memcpy(&x, lane_of(a, pixel, c, 2), sizeof x);
        memcpy(&weight, weight_of(a, weights, ky * a->kernel_width + kx, c, 2, 2), sizeof weight);
        sum += forge_of_bfloat(x) * forge_of_bfloat(weight);
      }
    }
  }
  return sum;
}

static float byte_sum(const forge_reduced_convolution_arguments *a, const forge_frame *frame,
                      const float *in, const uint8_t *weights, int64_t o) {
  const int32_t *range = forge_range_of(&a->range, frame);
  float scale;
  memcpy(&scale, range, sizeof scale);
  /* Unsigned, as the totals' product may be beyond 32 bits where the whole is not. */
  uint32_t sum = 0 - (uint32_t)range[1] * (uint32_t)a->totals[o];
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    for (int64_t kx = 0; kx < a->kernel_width; kx++) {
      const float *pixel =
        in + ky * a->dilation_y * a->in.row_stride + kx * a->dilation_x * FORGE_QUAD_WORDS;
      for (int64_t c = 0; c < a->in.channels; c++) {
        const int8_t weight = (int8_t)*weight_of(a, weights, ky * a->kernel_width + kx, c, 1, 4);
        sum += (uint32_t)(*lane_of(a, pixel, c, 1) * weight);
      }
    }
  }
  return (float)(int32_t)sum * (scale * a->scales[o]) + a->bias[o];
}

/* pixel: words (or floats) from one pixel to the next; bytes: of a weight; count: weights in a
 * word. */
static void reduced_convolution(const void *arguments, const forge_frame *frame, int64_t first,
                                int64_t last, window_sum sum, int64_t pixel, int64_t bytes,
                                int64_t count) {
  const forge_reduced_convolution_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  const int64_t width = a->flat ? (int64_t)a->out.height * a->out.width : a->out.width;
  const int64_t rows = a->flat ? 1 : a->out.height, channels = a->out.channels;
  const int64_t panel_bytes = (int64_t)a->kernel_height * a->kernel_width *
    forge_blocks(a->in.channels) * FORGE_LANES * a->panel_width * bytes;
  const int64_t segments = forge_larger(a->segments, 1);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t panel = tile / segments / rows, y = tile / segments % rows,
                  segment = tile % segments;
    const int64_t first_channel = panel * a->panel_width;
    /* The last panel may reach past the last block: nothing is stored there. */
    const int64_t end =
      forge_smaller(first_channel + a->panel_width, forge_blocks(channels) * FORGE_LANES);
    const float *row = forge_origin(&a->in, frame) +
      (y * a->stride_y - a->pad_top) * a->in.row_stride - a->pad_left * pixel;
    for (int64_t c = first_channel; c < end; c++) {
      const int64_t block = c / FORGE_LANES, lane = c % FORGE_LANES;
      const uint8_t *weights =
        (const uint8_t *)a->weights + panel * panel_bytes + (c - first_channel) * bytes * count;
      for (int64_t x = width * segment / segments; x < width * (segment + 1) / segments; x++) {
        const int64_t out_y = a->flat ? x / a->out.width : y,
                      out_x = a->flat ? x % a->out.width : x;
        float *out = forge_row(&a->out, frame, block, out_y) + out_x * FORGE_LANES + lane;
        if (c >= channels) {
          *out = 0;
          continue;
        }
        float value = sum(a, frame, row + x * a->stride_x * pixel, weights, c);
        if (e->has_residual)
          value += forge_row(&e->residual, frame, block, out_y)[out_x * FORGE_LANES + lane];
        *out = forge_activate_scalar(value, e->activation);
      }
    }
  }
}

void forge_half_convolution_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                                   int64_t last) {
  reduced_convolution(arguments, frame, first, last, half_sum, FORGE_LANES, 2, 1);
}

void forge_fixed_convolution_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                                    int64_t last) {
  reduced_convolution(arguments, frame, first, last, fixed_sum, FORGE_LANES, 3, 1);
}

void forge_bfloat_convolution_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                                     int64_t last) {
  reduced_convolution(arguments, frame, first, last, bfloat_sum, FORGE_PAIR_WORDS, 2, 2);
}

void forge_byte_convolution_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                                   int64_t last) {
  reduced_convolution(arguments, frame, first, last, byte_sum, FORGE_QUAD_WORDS, 1, 4);
}
