/* Convolutions whose weights are not floats: IEEE halves, bf16, int8, and fixed point of 24 bits,
 * which is as exact as floats for the weights that forge_pack_fixed accepts.
 *
 * Tensors between steps stay blocked floats. A step of its own converts the input of a bf16 or int8
 * convolution to WORDS of 32 bits:
 *   bf16: a word is a pair of channels, the even one in the low half; a block has 8 words
 *   int8: a word is four channels, the first in the lowest byte; a block has 4 words
 *     word [blocks][top + height + bottom][left + width + right][8 or 4]
 * For AMX a block of bf16 is 32 channels:
 *     word [blocks of 32][top + height + bottom][left + width + right][16]
 * The step also writes the border of zeros. A view of words counts in words, its pixels lie 8, 4
 * or 16 apart, and `offset` is that of the interior. Lanes past the last channel are zero.
 *
 * Weights are packed as for a convolution of floats, with words in place of input channels:
 *   [panel][ky][kx][in blocks * 8, 4 or 16][panel_width] words.
 *
 * NaN and infinity have defined results: no float outside the range of an integer is converted to
 * one. */
#ifndef CFORGE_PRECISION_H
#define CFORGE_PRECISION_H

#include "CForgeKernels.h"

typedef enum {
  FORGE_WEIGHTS_FLOATS = 0,
  FORGE_WEIGHTS_HALVES,  /* IEEE halves */
  FORGE_WEIGHTS_BFLOATS, /* bf16 */
  FORGE_WEIGHTS_BYTES,   /* int8 */
  FORGE_WEIGHTS_FIXED    /* fixed point of 24 bits */
} forge_weight_form;

/* Blocked -> words.
 *
 * bfloat_input and bfloat_tile_input round to nearest even. Tiles: block * (top + height + bottom)
 * + row.
 *
 * byte_range and byte_input map the range of an image, or with `flat` of each pixel, to 0...255:
 *   scale = (max - min) / 255, zero = round(-min / scale), q = round(x / scale) + zero, clamped to
 *     0...255, where zero is in the range
 * Zero is exact. A range too small to divide by counts as zeros. NaN or infinity in the range gives
 * NaN as scale and as all outputs of the convolution that read it. `range` (base and offset only,
 * in the arena) has forge_byte_range_floats.
 *
 * With `flat`, byte_range writes the conversion of each pixel: scale, 1 / scale, and zero as int32.
 * Tiles: FORGE_RANGE_PIXELS pixels of a row. Otherwise it finds the smallest and the largest number
 * of each row of a block. Tiles: block * height + row.
 *
 * byte_input converts the numbers. Tiles: as bfloat_input. Without `flat` the first tile writes the
 * conversion of the image. */
typedef struct {
  forge_view in, out;
  int32_t top, left, bottom, right; /* the border of zeros around `out` */
  forge_view range;                 /* int8 only */
  int32_t flat;                     /* as forge_convolution_arguments'; then there is no border */
} forge_words_arguments;

/* Plain image of few channels -> words for AMX, in which a pixel is a row of a window: the
 * kernel_width * in.channels numbers of row y of the window of output column x are the channels of
 * pixel (y, x), and zero where the window leaves the image. `out` has as many columns as the
 * convolution, whose kernel is then one column wide. `top` and `bottom`: rows of zeros.
 * Tiles: rows, those of zeros included. */
typedef struct {
  forge_view in, out;
  int32_t kernel_width, stride_x, pad_left, top, bottom;
} forge_patch_words_arguments;

/* The channels of a block of words for AMX. */
#define FORGE_TILE_CHANNELS 32

/* The pixels of a tile of byte_range with `flat`. */
#define FORGE_RANGE_PIXELS 16

/* Convolutions by forge_convolution_arguments, with weights that are not floats. Sums are floats.
 * For int8 they are exact 32-bit integers, enough for 66,310 products.
 *
 *   half_convolution: one output pixel, one segment. in: blocked floats. weights: uint16_t halves
 *     [panel][ky][kx][in blocks * 16][panel_width], divided by the output's `scales`, a power of
 *     two; out = scale * sum + bias.
 *   fixed_convolution: one output pixel, one segment. in: blocked floats. weights: 24 bits each,
 *     [panel][ky][kx][in blocks * 16][192 bytes]; out = scale * sum + bias.
 *     panel_width: FORGE_FIXED_PANEL_WIDTH.
 *   bfloat_convolution: in: words of bf16.
 *   bfloat_tile_convolution: the same, in blocks of 32 channels.
 *   byte_convolution: in: words of int8, whose conversion is in `range`, with `flat` that of each
 *     pixel. weights: int8_t, divided by the output's `scales`; `totals`: the sum of each output's
 *     weights.
 *     out = scale(in) * scales * (sum - zero * totals) + bias.
 *
 * scales, totals: [panels * panel_width]. `flat` is for a pointwise convolution of stride 1 whose
 * words have no border: all pixels form one row, cut into `segments`. out and residual may still
 * have gaps between rows. */

/* Recurrent cells by forge_recurrent_arguments, with weights that are not floats: fixed_recurrent,
 * half_recurrent, bfloat_recurrent, byte_recurrent. Values and sums are floats, the product of a
 * gate is scale * sum. */

/* The outputs per panel of 24-bit weights. */
#define FORGE_FIXED_PANEL_WIDTH 64

/* The most products of a sum of int8: 66310 * 255 * 127 is below 2^31. */
#define FORGE_MOST_BYTE_PRODUCTS 66310

int64_t forge_words_tiles(const forge_words_arguments *);
int64_t forge_wide_words_tiles(const forge_words_arguments *); /* of bfloat_tile_input */
int64_t forge_patch_words_tiles(const forge_patch_words_arguments *);
int64_t forge_byte_range_tiles(const forge_words_arguments *);
int64_t forge_byte_range_floats(const forge_words_arguments *);

/* ---- packing: from [outputs][taps][inputs] ---- */

/* Halves, rounded to nearest even after division by the output's scale, the power of two that
 * brings its largest weight to 1...2. Weights that are not finite stay so. */
void forge_pack_half(const float *weights, uint16_t *packed, float *scales, int64_t outputs,
                     int64_t taps, int64_t inputs, int64_t panel_width);

/* Fixed-point numbers of 24 bits, multiples of their output's `scales`. packed: bytes, 3 for each
 * of [panels * 64][taps][in blocks * 16]. The error of a weight is at most the output's largest
 * weight over 2^23; its root mean square is 0.3 of that. Returns 0, with nothing useful packed, if
 *   for some output the root mean square exceeds `accuracy` times the median of its nonzero
 *     weights (rounded down to a power of two): a few large weights, whose inputs may be zero, must
 *     not hide the errors of the others; or
 *   for some input of a tap the error of all outputs together (L2) exceeds `accuracy` times its
 *     weights: an input with small weights may be large; or
 *   a weight is not finite, or beyond 2^126.
 * A sum multiplies inputs by integers below 2^31 and is scaled at the end. It overflows where the
 * scaled sum exceeds the output's largest weight times 2^97. A weight of zero may become half a
 * unit. powers: whether scales are the next powers of two, with errors of up to twice the size.
 * threads: see CForgePacking.h. */
int32_t forge_pack_fixed(const float *weights, void *packed, float *scales, int64_t outputs,
                         int64_t taps, int64_t inputs, double accuracy, int32_t powers,
                         int32_t threads);

/* The weights that forge_pack_fixed packs with powers of two, as floats in the layout of
 * forge_pack_convolution. Products with a power of two are exact, so sums in the same order have
 * the same bits, unless they overflow above or have inputs or results below 2^-110. packed: see
 * forge_pack_convolution. scales: of forge_rounded_scales floats. */
int32_t forge_pack_rounded(const float *weights, float *packed, float *scales, int64_t outputs,
                           int64_t taps, int64_t inputs, int64_t panel_width, double accuracy,
                           int32_t threads);
int64_t forge_rounded_scales(int64_t outputs, int64_t panel_width);

/* The weights that forge_pack_half packs, as floats in the layout of forge_pack_convolution. Sums
 * in the same order have the same bits, unless the results are below 2^-126 times a scale. */
void forge_pack_rounded_half(const float *weights, float *packed, int64_t outputs, int64_t taps,
                             int64_t inputs, int64_t panel_width, int32_t threads);

/* Pairs of bf16, rounded to nearest even. packed: words. */
void forge_pack_bfloat(const float *weights, uint32_t *packed, int64_t outputs, int64_t taps,
                       int64_t inputs, int64_t panel_width);

/* The same in blocks of 32 inputs. threads: see CForgePacking.h. */
void forge_pack_wide_bfloat(const float *weights, uint32_t *packed, int64_t outputs, int64_t taps,
                            int64_t inputs, int64_t panel_width, int32_t threads);

/* Quads of int8: round(weight / scale), where scale is the output's largest weight / 127. totals:
 * their sums. The scale is NaN if a weight is not finite. packed: words. */
void forge_pack_byte(const float *weights, uint32_t *packed, float *scales, int32_t *totals,
                     int64_t outputs, int64_t taps, int64_t inputs, int64_t panel_width);

/* Recurrent weights, or those of a projection, in a form other than floats. */
typedef struct {
  const float *weights;             /* [blocks][units][inputs] */
  int32_t form;                     /* forge_weight_form */
  int32_t gates, first_gates;       /* all gates, and those of the first round of a time */
  int32_t threads;                  /* see CForgePacking.h */
  int64_t blocks[FORGE_MOST_GATES]; /* of each gate */
  int64_t units, inputs;
  double accuracy; /* of FORGE_WEIGHTS_FIXED */
} forge_recurrent_packing;

/* The number of floats of the packed weights, and of their scales. */
int64_t forge_recurrent_packed_floats(const forge_recurrent_packing *);
int64_t forge_recurrent_scale_floats(const forge_recurrent_packing *);

/* Packs as forge_recurrent_arguments describes. A unit's gate is an output of the functions above,
 * with the same scales. Returns 0, with nothing useful packed, for 24-bit weights that
 * forge_pack_fixed would not accept. */
int32_t forge_pack_recurrent(const forge_recurrent_packing *, void *packed, float *scales);

/* ---- dispatch ---- */

/* The kernels of weights that are not floats, NULL where the machine or the level has none. */
typedef struct {
  FORGE_PRECISION_KERNELS(FORGE_DECLARE_FIELD)
} forge_precision_table;

/* For a level that this machine has. The scalar level has all kernels, to check the others. */
forge_precision_table forge_precision_kernels(forge_level level);

/* The table of a processor without AVX512-VBMI2, to check that its results are bit-identical. */
forge_precision_table forge_precision_kernels_without_vbmi2(forge_level level);

#endif
