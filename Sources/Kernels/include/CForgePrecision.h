/* Convolutions whose weights are not floats: of lower precision, which are IEEE halves, bf16
 * arithmetic and int8 arithmetic, and fixed-point numbers of 24 bits, which are as exact as
 * floats where forge_pack_fixed takes them.
 *
 * Tensors between steps stay float and blocked, as CForgeKernels.h has them. What a convolution
 * of bf16 or int8 reads is brought to WORDS of 32 bits first, by a step of its own:
 *   bf16: a word is a pair of channels, the even one in the low half; 8 words hold a block of 16
 *     channels
 *   int8: a word is four channels, the first in the lowest byte; 4 words hold a block
 *     word [blocks][top + height + bottom][left + width + right][8 or 4]
 * with a border of zeros, which the step writes, too: it reads no halo. A view of words counts in
 * words, and its pixels lie 8 or 4 apart; `offset` is that of the interior as always. Lanes past
 * the last channel are zero.
 *
 * Weights are packed as for a plain convolution with words in place of input channels:
 *   [panel][ky][kx][in blocks * 8 or 4][panel_width] words.
 *
 * No number is ever converted from float to an integer by an instruction or cast that it may be
 * out of range for: NaN and infinity are defined everywhere. */
#ifndef CFORGE_PRECISION_H
#define CFORGE_PRECISION_H

#include "CForgeKernels.h"

/* Blocked -> words.
 *
 * bfloat_input rounds to nearest, ties to even. Tiles: block * (top + height + bottom) + row.
 *
 * byte_range finds the smallest and the largest number of each row, zero among them (tiles: block
 * * height + row); then byte_input maps all of the image's range to 0...255:
 *   scale = (max - min) / 255, zero = round(-min / scale), q = round(x / scale) + zero, kept in
 *     0...255
 * Zero is mapped exactly. A range too small to be divided by counts as zeros. With NaN or
 * infinity in the image scale is NaN, and so is every output of the convolution. range (base and
 * offset only, in the arena) has forge_byte_range_floats: scale, zero as int32, and from the 16th
 * on the rows' ranges. Tiles as bfloat_input's; the first also writes scale and zero. */
typedef struct {
  forge_view in, out;
  int32_t top, left, bottom, right; /* the border of zeros around `out` */
  forge_view range;                 /* int8 only */
} forge_words_arguments;

/* Convolution as forge_convolution_arguments has it, with weights that are not floats; sums are
 * float or, for int8, exact integers of 32 bits, which 66,310 products fit.
 *
 *   half_convolution: one output pixel. in: blocked floats. weights: uint16_t halves
 *     [panel][ky][kx][in blocks * 16][panel_width], each output's divided by its `scales`, a
 *     power of two; out = scale * sum + bias.
 *   fixed_convolution: one output pixel. in: blocked floats. weights: 24 bits each,
 *     [panel][ky][kx][in blocks * 8 pairs of channels][192 bytes]; out = scale * sum + bias.
 *     panel_width: FORGE_FIXED_PANEL_WIDTH.
 *   bfloat_convolution: in: words of bf16.
 *   byte_convolution: in: words of int8. weights: int8_t, each output's divided by its `scales`;
 *     `totals`: the sum of each output's weights. out = scale(in) * scales * (sum - zero *
 *     totals) + bias.
 *
 * scales, totals, bias: [panels * panel_width]. With `flat`, a pointwise convolution of stride 1
 * whose words have no border, all pixels are one row, cut into `segments`; out and residual may
 * have gaps between rows all the same. Tiles: (panel * rows + y) * segments + segment, rows being
 * 1 with `flat`, else out.height. */
typedef struct {
  forge_view in, out;
  const void *weights;
  const float *bias, *scales;
  const int32_t *totals;
  int32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_top,
    pad_left;
  int32_t panel_width;
  int32_t segments;
  int32_t flat;
  forge_view range; /* int8 only */
  forge_epilogue epilogue;
  const float *next; /* as forge_convolution_arguments' */
  int64_t next_floats;
} forge_reduced_convolution_arguments;

/* The outputs of a panel of weights of 24 bits. */
#define FORGE_FIXED_PANEL_WIDTH 32

/* The most products a sum of int8 may have: 66310 * 255 * 127 is below 2^31. */
#define FORGE_MOST_BYTE_PRODUCTS 66310

int64_t forge_words_tiles(const forge_words_arguments *);
int64_t forge_byte_range_tiles(const forge_words_arguments *);
int64_t forge_byte_range_floats(int64_t height, int64_t channels);
int64_t forge_reduced_convolution_tiles(const forge_reduced_convolution_arguments *);

/* ---- packing: from [outputs][taps][inputs] ---- */

/* Halves, rounded to nearest even after division by the output's scale: the power of two that
 * brings its largest weight to 1...2, so that none overflows. A weight that is not finite stays so.
 */
void forge_pack_half(const float *weights, uint16_t *packed, float *scales, int64_t outputs,
                     int64_t taps, int64_t inputs, int64_t panel_width);

/* Fixed-point numbers of 24 bits, an output's being multiples of its `scales`. packed: bytes, 3
 * for each of [panels * 32][taps][in blocks * 16]. A weight is off by the output's largest over
 * 2^23 at most, and by 0.3 of that as the root of the mean square. Gives 0, and packs nothing of
 * use, where
 *   for some output the latter is above `accuracy` times the median of the weights that are not
 *     zero (rounded down to
 *   a power of two): a few large weights, whose inputs may be zero, do not hide the errors of the
 *     others; or
 *   for some input of a tap all outputs' errors together (L2) are above `accuracy` times its
 *     weights: where these are
 *   small, the input may be large; or
 *   a weight is not finite, or beyond 2^126.
 * A sum is of inputs times integers below 2^31 and scaled at the end: it overflows where the
 * scaled one passes the output's largest weight times 2^97. A weight of zero may be taken for
 * half a unit. threads: see CForgeKernels.h. */
int32_t forge_pack_fixed(const float *weights, void *packed, float *scales, int64_t outputs,
                         int64_t taps, int64_t inputs, double accuracy, int32_t threads);

/* Pairs of bf16, rounded to nearest even. packed: words. */
void forge_pack_bfloat(const float *weights, uint32_t *packed, int64_t outputs, int64_t taps,
                       int64_t inputs, int64_t panel_width);

/* Quads of int8: round(weight / scale), scale = the output's largest weight / 127; totals: their
 * sums. An output with a weight that is not finite has scale NaN. packed: words. */
void forge_pack_byte(const float *weights, uint32_t *packed, float *scales, int32_t *totals,
                     int64_t outputs, int64_t taps, int64_t inputs, int64_t panel_width);

/* ---- dispatch ---- */

/* The kernels of weights that are not floats; NULL where the machine or the level has none. */
typedef struct {
  FORGE_PRECISION_KERNELS(FORGE_DECLARE_FIELD)
} forge_precision_table;

/* Of a level that is there. The scalar level has all, the same arithmetic one number at a time:
 * what the others are checked against. */
forge_precision_table forge_precision_kernels(forge_level level);

#endif
