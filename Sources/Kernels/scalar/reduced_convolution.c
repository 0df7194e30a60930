/* Convolutions whose weights are not floats, and the conversion of their inputs to words, one
 * number at a time: see ../include/CForgePrecision.h. */
#include "../words.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* ---- inputs ---- */

/* Returns a number as a lane of a word. */
typedef uint32_t (*word_lane)(float value, forge_byte_scale scale);

/* Writes words of `count` channels each, in blocks of `channels`. They are zero past the last
 * channel and outside the image. range: the conversions of the pixels, or NULL. */
static void write_words(const forge_words_arguments *a, const forge_frame *frame, int64_t first,
                        int64_t last, int64_t channels, int64_t count, word_lane lane_of_word,
                        forge_byte_scale scale, const int32_t *range) {
  const int64_t rows = (int64_t)a->top + a->in.height + a->bottom, words = channels / count;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / rows, y = tile % rows - a->top;
    uint32_t *out = (uint32_t *)forge_row(&a->out, frame, block, y);
    for (int64_t x = -a->left; x < (int64_t)a->in.width + a->right; x++) {
      const bool inside = y >= 0 && y < a->in.height && x >= 0 && x < a->in.width;
      for (int64_t word = 0; word < words; word++) {
        uint32_t bits = 0;
        for (int64_t i = 0; i < count; i++) {
          const int64_t channel = block * channels + word * count + i;
          const float value =
            inside && channel < a->in.channels ? scalar_at(&a->in, frame, channel, y, x) : 0;
          if (range) scale = forge_byte_scale_at(range, y * a->in.width + x);
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

FORGE_SCALAR(bfloat_input) {
  write_words(arguments, frame, first, last, FORGE_LANES, 2, bfloat_lane, (forge_byte_scale){0},
              NULL);
}

FORGE_SCALAR(bfloat_tile_input) {
  write_words(arguments, frame, first, last, FORGE_TILE_CHANNELS, 2, bfloat_lane,
              (forge_byte_scale){0}, NULL);
}

FORGE_SCALAR(bfloat_patch_input) {
  const forge_patch_words_arguments *a = arguments;
  const int64_t channels = a->in.channels, run = a->kernel_width * channels;
  const int64_t padded = forge_quotient_up(run, FORGE_TILE_CHANNELS) * FORGE_TILE_CHANNELS;
  for (int64_t y = first - a->top; y < last - a->top; y++) {
    const float *in = forge_origin(&a->in, frame) + y * a->in.row_stride;
    for (int64_t x = 0; x < a->out.width; x++)
      for (int64_t i = 0; i < padded; i++) {
        const int64_t column = x * a->stride_x - a->pad_left + i / channels;
        const bool inside =
          y >= 0 && y < a->in.height && i < run && column >= 0 && column < a->in.width;
        uint16_t *pixel = (uint16_t *)forge_row(&a->out, frame, i / FORGE_TILE_CHANNELS, y) +
          x * FORGE_TILE_CHANNELS;
        pixel[i % FORGE_TILE_CHANNELS] =
          forge_bfloat_of(inside ? in[column * channels + i % channels] : 0);
      }
  }
}

/* Widens a range of ordered bits by the first `count` lanes at `in`. */
static void widen_range(const float *in, int64_t count, int32_t *low, int32_t *high) {
  for (int64_t i = 0; i < count; i++) {
    const int32_t bits = forge_ordered((int32_t)forge_bits_of(in[i]));
    *low = bits < *low ? bits : *low;
    *high = bits > *high ? bits : *high;
  }
}

/* The conversions of the pixels of runs of a row. */
static void byte_pixel_ranges(const forge_words_arguments *a, const forge_frame *frame,
                              int64_t first, int64_t last) {
  const int64_t runs = forge_quotient_up(a->in.width, FORGE_RANGE_PIXELS);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t y = tile / runs, from = tile % runs * FORGE_RANGE_PIXELS;
    for (int64_t x = from; x < forge_smaller(from + FORGE_RANGE_PIXELS, a->in.width); x++) {
      int32_t low = 0, high = 0;
      for (int64_t block = 0; block < forge_blocks(a->in.channels); block++)
        widen_range(forge_row(&a->in, frame, block, y) + x * FORGE_LANES,
                    forge_lanes(a->in.channels, block), &low, &high);
      forge_store_byte_scale(forge_range_of(&a->range, frame), y * a->in.width + x,
                             forge_byte_scale_of(low, high));
    }
  }
}

FORGE_SCALAR(byte_range) {
  const forge_words_arguments *a = arguments;
  if (a->flat) {
    byte_pixel_ranges(a, frame, first, last);
    return;
  }
  int32_t *least = forge_range_of(&a->range, frame) + FORGE_RANGE_ROWS;
  int32_t *most = least + forge_byte_range_tiles(a);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->in.height, y = tile % a->in.height;
    const int64_t lanes = forge_lanes(a->in.channels, block);
    const float *in = forge_row(&a->in, frame, block, y);
    int32_t low = 0, high = 0;
    for (int64_t x = 0; x < a->in.width; x++) widen_range(in + x * FORGE_LANES, lanes, &low, &high);
    least[tile] = low;
    most[tile] = high;
  }
}

static uint32_t byte_of(float value, forge_byte_scale scale) {
  const uint32_t shifted = forge_bits_of(value * scale.inverse + FORGE_ROUNDING);
  const int32_t q = (int32_t)(shifted - forge_bits_of(FORGE_ROUNDING)) + scale.zero;
  return (uint32_t)(q < 0 ? 0 : q > 255 ? 255 : q);
}

FORGE_SCALAR(byte_input) {
  const forge_words_arguments *a = arguments;
  if (a->flat) {
    write_words(a, frame, first, last, FORGE_LANES, 4, byte_of, (forge_byte_scale){0},
                forge_range_of(&a->range, frame));
    return;
  }
  const forge_byte_scale scale = forge_image_byte_scale(a, frame, first == 0 && last > 0);
  write_words(a, frame, first, last, FORGE_LANES, 4, byte_of, scale, NULL);
}

/* ---- convolutions ---- */

/* Channel c under a tap of the window of output pixel (y, x). A block of a pixel has `channels`
 * channels in `words` words. */
static const uint8_t *input_of(const forge_convolution_arguments *a, const forge_frame *frame,
                               int64_t y, int64_t x, int64_t tap, int64_t c, int64_t channels,
                               int64_t words) {
  const int64_t ky = tap / a->kernel_width, kx = tap % a->kernel_width;
  const int64_t row = a->flat ? 0 : y * a->stride_y - a->pad_top + ky * a->dilation_y;
  const int64_t column =
    a->flat ? y * a->out.width + x : x * a->stride_x - a->pad_left + kx * a->dilation_x;
  const float *pixel = forge_row(&a->in, frame, c / channels, row) + column * words;
  return (const uint8_t *)pixel + c % channels * words * 4 / channels;
}

/* The weight of output o, of `bytes` bytes, `count` of them in a word. The input has blocks of
 * `channels` channels. */
static const uint8_t *weight_of(const forge_convolution_arguments *a, int64_t o, int64_t tap,
                                int64_t c, int64_t channels, int64_t bytes, int64_t count) {
  const int64_t taps = (int64_t)a->kernel_height * a->kernel_width;
  const int64_t words = forge_quotient_up(a->in.channels, channels) * channels / count;
  const int64_t row = (o / a->panel_width * taps + tap) * words + c / count;
  return (const uint8_t *)a->weights +
    ((row * a->panel_width + o % a->panel_width) * count + c % count) * bytes;
}

/* Adds `product` for the channels of all taps, in order, to `sum`. */
#define FORGE_ADD_PRODUCTS(sum, product)                                          \
  for (int64_t tap = 0; tap < (int64_t)a->kernel_height * a->kernel_width; tap++) \
    for (int64_t c = 0; c < a->in.channels; c++) sum += (product)

static float float_at(const uint8_t *bytes) {
  float value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

static float half_weight(const forge_convolution_arguments *a, int64_t o, int64_t tap, int64_t c) {
  uint16_t half;
  memcpy(&half, weight_of(a, o, tap, c, FORGE_LANES, 2, 1), sizeof half);
  return forge_float_of_half(half);
}

static FORGE_SCALAR_NUMBER(half_sum) {
  const forge_convolution_arguments *a = arguments;
  float sum = 0;
  FORGE_ADD_PRODUCTS(sum,
                     float_at(input_of(a, frame, y, x, tap, c, FORGE_LANES, FORGE_LANES)) *
                       half_weight(a, o, tap, c));
  return sum * a->scales[o] + a->bias[o];
}

static FORGE_SCALAR_NUMBER(fixed_sum) {
  const forge_convolution_arguments *a = arguments;
  const int64_t column = o % FORGE_FIXED_PANEL_WIDTH, panel = o - column;
  const int64_t padded = forge_blocks(a->in.channels) * FORGE_LANES;
  const char *weights = (const char *)weight_of(a, panel, 0, 0, FORGE_LANES, 3, 1);
  float sum = 0;
  FORGE_ADD_PRODUCTS(sum,
                     float_at(input_of(a, frame, y, x, tap, c, FORGE_LANES, FORGE_LANES)) *
                       FORGE_FIXED_INPUT_SCALE * forge_of_fixed(weights, tap * padded + c, column));
  return sum * a->scales[o] * (1 / FORGE_FIXED_INPUT_SCALE) + a->bias[o];
}

static float bfloat_at(const uint8_t *bytes) {
  uint16_t value;
  memcpy(&value, bytes, sizeof value);
  return forge_float_of((uint32_t)value << 16);
}

/* Adds the products of pairs in blocks of `channels` channels to `sum`. */
static float add_pairs(float sum, const forge_convolution_arguments *a, const forge_frame *frame,
                       int64_t o, int64_t y, int64_t x, int64_t channels) {
  FORGE_ADD_PRODUCTS(sum,
                     bfloat_at(input_of(a, frame, y, x, tap, c, channels, channels / 2)) *
                       bfloat_at(weight_of(a, o, tap, c, channels, 2, 2)));
  return sum;
}

static FORGE_SCALAR_NUMBER(bfloat_sum) {
  const forge_convolution_arguments *a = arguments;
  return add_pairs(a->bias[o], a, frame, o, y, x, FORGE_LANES);
}

static FORGE_SCALAR_NUMBER(bfloat_tile_sum) {
  const forge_convolution_arguments *a = arguments;
  return add_pairs(0, a, frame, o, y, x, FORGE_TILE_CHANNELS) + a->bias[o];
}

static FORGE_SCALAR_NUMBER(byte_sum) {
  const forge_convolution_arguments *a = arguments;
  const forge_byte_scale scale =
    forge_byte_scale_at(forge_range_of(&a->range, frame), a->flat ? y * a->out.width + x : 0);
  /* Unsigned, because a partial sum may need more than 32 bits. The whole does not. */
  uint32_t sum = 0 - (uint32_t)scale.zero * (uint32_t)a->totals[o];
  FORGE_ADD_PRODUCTS(sum,
                     (uint32_t)(*input_of(a, frame, y, x, tap, c, FORGE_LANES, FORGE_QUAD_WORDS) *
                                (int8_t)*weight_of(a, o, tap, c, FORGE_LANES, 1, 4)));
  return (float)(int32_t)sum * (scale.scale * a->scales[o]) + a->bias[o];
}

#define FORGE_REDUCED(name)                                                             \
  FORGE_SCALAR_CONVOLUTION(name##_convolution, convolution, name##_sum, a->panel_width, \
                           a->segments, a->flat)
FORGE_REDUCED(half)
FORGE_REDUCED(fixed)
FORGE_REDUCED(bfloat)
FORGE_REDUCED(bfloat_tile)
FORGE_REDUCED(byte)
