/* Shared by the kernels on images of bytes: see include/CForgeQuantizedKernels.h. */
#ifndef FORGE_QUANTIZED_H
#define FORGE_QUANTIZED_H

#include "words.h"

/* Inputs whose products are added at once, and the quads of a block. */
enum { FORGE_QUAD = 4, FORGE_BLOCK_QUADS = FORGE_BYTE_LANES / FORGE_QUAD };

/* ---- places ---- */

static inline int64_t forge_byte_blocks(int64_t channels) {
  return forge_quotient_up(channels, FORGE_BYTE_LANES);
}

/* Row 0, column 0, channel 0 of the interior of an image of bytes. */
static inline uint8_t *forge_byte_origin(const forge_view *view, const forge_frame *frame) {
  return (uint8_t *)frame->bases[view->base] + view->offset + frame->image * view->image_stride;
}

/* Column 0 of row y of a block. */
static inline uint8_t *forge_byte_row(const forge_view *view, const forge_frame *frame,
                                      int64_t block, int64_t y) {
  return forge_byte_origin(view, frame) + block * view->block_stride + y * view->row_stride;
}

/* Entry `at` of the quantizations at `view`. */
static inline forge_quantization forge_quantization_at(const forge_view *view,
                                                       const forge_frame *frame, int64_t at) {
  forge_quantization q;
  memcpy(&q, forge_origin(view, frame) + at * 2, sizeof q);
  return q;
}

/* ---- weights ---- */

/* The outputs of a panel's vectors, of which the panel from `output` on has 1 to 4. */
static inline int64_t forge_panel_width(int64_t outputs, int64_t panel) {
  return forge_smaller(forge_blocks(outputs - panel * FORGE_BYTE_LANES) * FORGE_LANES,
                       FORGE_BYTE_LANES);
}

/* The quads of a tap. */
static inline int64_t forge_tap_quads(int64_t inputs, int64_t pixel_bytes) {
  return pixel_bytes == FORGE_SMALL_PIXEL ? 1 : forge_byte_blocks(inputs) * FORGE_BLOCK_QUADS;
}

/* The place of channel `lane` of a block in the packed weights of a depthwise convolution. Joining
 * the bytes of four rows within each sixteen gives this order, and narrowing sums undoes it. */
static inline int64_t forge_depthwise_place(int64_t lane) {
  return lane % 16 / 4 * 16 + lane / 16 * 4 + lane % 4;
}

/* ---- 4-bit weights ---- */

enum { FORGE_DIGITS = 3 };

/* A group of a row of digits: its scale, the sums of its digits, and [3][group] digits. */
typedef struct {
  float scale;
  int32_t sums[FORGE_DIGITS];
} forge_digit_group;

/* The words of a group of digits. */
static inline int64_t forge_digit_group_words(int64_t group) {
  return (int64_t)(sizeof(forge_digit_group) + FORGE_DIGITS * (size_t)group) / 4;
}

/* Returns the digits of a group. */
static inline const int8_t *forge_digits_of(const float *group) {
  return (const int8_t *)(group + sizeof(forge_digit_group) / sizeof(float));
}

static inline forge_digit_group forge_digit_group_at(const float *group) {
  forge_digit_group head;
  memcpy(&head, group, sizeof head);
  return head;
}

/* ---- rounding ---- */

/* Beyond it, every f gives the least or the greatest byte. */
#define FORGE_BYTE_BOUND 32767.0f

/* Adding it rounds a number below 2^22 to an integer in the low bits. */
#define FORGE_ROUND_WORDS 12582912.0f

/* Returns max(low, min(high, round(f) + zero)), `low` for NaN. */
static inline uint8_t forge_byte_of(float f, int32_t zero, int32_t low, int32_t high) {
  if (!(f > -FORGE_BYTE_BOUND)) return (uint8_t)low;
  const int32_t whole = (int32_t)rintf(f < FORGE_BYTE_BOUND ? f : FORGE_BYTE_BOUND) + zero;
  return (uint8_t)(whole < low ? low : whole > high ? high : whole);
}

/* ---- ranges ---- */

/* The quantization of numbers from `least` to `most`, as forge_ordered has them: see
 * forge_dynamic_range_arguments. */
static inline forge_quantization forge_quantization_of(int32_t least, int32_t most) {
  const float low = forge_float_of((uint32_t)forge_ordered(least));
  const float high = forge_float_of((uint32_t)forge_ordered(most));
  forge_quantization q = {1, 0};
  if (high != low) {
    q.scale = (high - low) / 255;
    const float zero = -low / q.scale;
    if (zero > 0) q.zero = (int32_t)rintf(zero < 255 ? zero : 255);
  }
  return q;
}

/* ---- functions of levels ---- */

/* Applies an activation to blocked pixels, for the files that have products of bytes alone. */
#define FORGE_PIXEL_ACTIVATION(level)                                                            \
  void forge_activate_pixels_##level(const float *in, float *out, int64_t pixels, int64_t lanes, \
                                     const forge_activation *activation)
FORGE_PIXEL_ACTIVATION(baseline);
FORGE_PIXEL_ACTIVATION(avx2);
FORGE_PIXEL_ACTIVATION(avx512);
#define FORGE_DEFINE_PIXEL_ACTIVATION(level) \
  FORGE_PIXEL_ACTIVATION(level) { activate(in, out, pixels, lanes, activation); }

/* Runs the cells of blocks of units, for the same files. form: a recurrent_form. */
#define FORGE_RECURRENT_BLOCKS_OF(level)                                                     \
  void forge_recurrent_blocks_##level(const forge_recurrent_arguments *a,                    \
                                      const forge_frame *frame, int64_t first, int64_t last, \
                                      const void *form)
FORGE_RECURRENT_BLOCKS_OF(baseline);
FORGE_RECURRENT_BLOCKS_OF(avx2);
FORGE_RECURRENT_BLOCKS_OF(avx512);
#define FORGE_DEFINE_RECURRENT_BLOCKS(level) \
  FORGE_RECURRENT_BLOCKS_OF(level) { recurrent_blocks(a, frame, first, last, form); }

/* The kernels for processors with further instructions. */
#define FORGE_DECLARE_PRODUCTS(form)             \
  FORGE_KERNEL_FOR(quantized_convolution, form); \
  FORGE_KERNEL_FOR(quantized_depthwise, form);   \
  FORGE_KERNEL_FOR(dynamic_recurrent, form);     \
  FORGE_KERNEL_FOR(nibble_product, form);
FORGE_DECLARE_PRODUCTS(avxvnni)
FORGE_DECLARE_PRODUCTS(avx512vnni)
FORGE_DECLARE_PRODUCTS(avx512amx)
FORGE_DECLARE_PRODUCTS(dotprod)
FORGE_DECLARE_PRODUCTS(i8mm)

#endif
