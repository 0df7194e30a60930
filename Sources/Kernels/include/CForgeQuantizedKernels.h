/* Kernels on images of bytes: quantized networks. Included by CForgeKernels.h after the tensors.
 *
 * An image of bytes is BLOCKED by 64 channels, one cache line:
 *     uint8_t [channels / 64, rounded up][height][width][64]
 * Its view counts in bytes: element (y, x, c) is at
 *     offset + c/64*block_stride + y*row_stride + x*64 + c%64
 * bytes from the base. Lanes past the last channel may hold anything, and nothing relies on them:
 * their weights are zero. A halo holds the zero point. Small images of at most 4 channels, the
 * input of a first convolution, have pixels of 4 bytes: see quantize_pixels.
 *
 * Bytes are UNSIGNED everywhere. A tensor of int8 is stored with 128 added to its numbers (all
 * bits but the highest are the same) and to its zero point. No result depends on that: differences
 * from the zero point stay the same, and -128 ... 127 becomes 0 ... 255. Weights are signed.
 *
 * All instruction sets give the same bits. Sums of products are 32-bit integers, modulo 2^32.
 * No float outside the range of an integer is converted to one: NaN gives the least byte. */
#ifndef CFORGE_QUANTIZED_KERNELS_H
#define CFORGE_QUANTIZED_KERNELS_H

/* Channels per block of an image of bytes, and the outputs of a panel of weights. */
#define FORGE_BYTE_LANES 64

/* Bytes from one pixel to the next in an image of at most 4 channels. */
#define FORGE_SMALL_PIXEL 4

/* What stands for numbers: number = scale * (byte - zero). */
typedef struct {
  float scale;
  int32_t zero;
} forge_quantization;

/* ---- convolutions and matrix products ---- */

typedef enum {
  FORGE_SUMS_TO_BYTES = 0, /* low ... high of round(sum * scales) + zero: an image of bytes */
  FORGE_SUMS_AS_INTEGERS,  /* int32_t, in an image blocked by 16 as floats are */
  FORGE_SUMS_TO_FLOATS     /* floats, in an image blocked by 16 */
} forge_sum_form;

/* The end of a sum of products. For output n of pixel p, in integers modulo 2^32,
 *   sum = products + biases[n]
 *         - zero(p) * totals[n]                   if has_range
 *         - weight_zeros[n] * (sum of p's inputs)  if weight_zeros
 * where the products are those of stored bytes. The zero point of an input that is known while
 * packing is part of biases: see forge_fold_zero. Then
 *   FORGE_SUMS_TO_BYTES: f = (float)sum * scales[n]; the result is
 *     max(low, min(high, round(f) + zero)), rounded to nearest, ties to even; `low` if f is NaN.
 *     0 <= low <= high <= 255. A ReLU or a clip is part of low and high.
 *   FORGE_SUMS_AS_INTEGERS: sum.
 *   FORGE_SUMS_TO_FLOATS: activation((float)sum * factor + offsets[n] + residual), where factor is
 *     scales[n], or scale(p) * scales[n] if has_range. Each operation is rounded.
 * Padded lanes of images blocked by 16 become zero.
 *
 * Tables have forge_quantized_outputs(outputs) numbers, zero from the last output on. */
typedef struct {
  int32_t form; /* forge_sum_form */
  int32_t zero, low, high;
  const float *scales;
  const int32_t *biases;
  const float *offsets;        /* FORGE_SUMS_TO_FLOATS; or NULL: none */
  const int32_t *totals;       /* has_range */
  const int32_t *weight_zeros; /* or NULL: all are 0 */
  /* forge_quantization of the inputs (base, offset and image_stride only, in floats): of pixel
   * (y, x) at range_step * (y * out.width + x). range_step: 1, or 0 if all have the same. */
  int32_t has_range, range_step;
  forge_view range;
  forge_epilogue epilogue; /* FORGE_SUMS_TO_FLOATS */
} forge_sum_end;

/* Convolution of bytes (cross-correlation): the pixels, windows and tiles of
 * forge_convolution_arguments. All pixels read are in the interior or in the halo of `in`.
 * in: bytes, pixel_bytes from pixel to pixel: 64, or FORGE_SMALL_PIXEL with at most 4 channels.
 * weights: from forge_pack_quantized. A matrix product [rows x K] * [K x N] is a pointwise
 * convolution of an image of `rows` pixels and K channels.
 * With `flat`, for windows of one pixel, stride 1 and an `in` without gaps between rows, all pixels
 * form one row. out and residual may have gaps.
 * Each row is cut into `segments`, 1 or more.
 * Tiles: (panel * rows + y) * segments + segment, where rows is 1 with `flat`, else out.height. */
typedef struct {
  forge_view in, out;
  const int8_t *weights;
  forge_sum_end end;
  int32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_top,
    pad_left;
  int32_t pixel_bytes;
  int32_t segments;
  int32_t flat;
  const int8_t *next; /* the first weights of a later step, to be prefetched; or NULL */
  int64_t next_bytes;
} forge_quantized_convolution_arguments;

/* Depthwise convolution with multiplier 1. weights, scales, biases: from
 * forge_pack_quantized_depthwise, in its order of channels. Pixels outside the image count as the
 * zero point in_zero and are not read. Result: as FORGE_SUMS_TO_BYTES.
 * Tiles: block * out.height + y. */
typedef struct {
  forge_view in, out;
  const int8_t *weights;
  const float *scales;
  const int32_t *biases;
  int32_t in_zero, zero, low, high;
  int32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_top,
    pad_left;
} forge_quantized_depthwise_arguments;

/* ---- floats to bytes and back ---- */

/* Floats blocked by 16 -> bytes:
 *   byte = max(low, min(high, round(x / scale) + zero)), ties to even; `low` if x / scale is NaN.
 * With has_range scale and zero are those of `range`. Tiles: rows of blocks of 64
 * (block * height + y). */
typedef struct {
  forge_view in, out;
  float scale;
  int32_t zero, low, high;
  int32_t has_range;
  forge_view range; /* forge_quantization; base, offset and image_stride only, in floats */
} forge_quantize_arguments;

/* Bytes -> floats blocked by 16: scale * (byte - zero). Padded lanes become zero. Tiles: as
 * forge_quantize_arguments, of `in`. */
typedef struct {
  forge_view in, out;
  float scale;
  int32_t zero;
  int32_t has_range;
  forge_view range;
} forge_dequantize_arguments;

/* A plain image of at most 4 channels -> pixels of 4 bytes, with their border of zero points. in:
 * floats, quantized as by forge_quantize_arguments; or with in_is_bytes bytes (the view counts
 * them), to which `flip`, 0 or 128, is applied by exclusive or. Channels that `in` lacks become
 * `zero`. `out` is the interior. Tiles: top + height + bottom rows. */
typedef struct {
  forge_view in, out;
  int32_t in_is_bytes, flip;
  float scale;
  int32_t zero, low, high;
  int32_t top, left, bottom, right;
} forge_quantize_pixels_arguments;

/* Plain bytes -> blocked bytes and back, with `flip` as above. Tiles: block * height + y of the
 * blocked image; of byte_unblock: rows. */
typedef struct {
  forge_view in, out;
  int32_t flip;
} forge_byte_block_arguments;
typedef forge_byte_block_arguments forge_byte_unblock_arguments;

/* Fills the border of a blocked image of bytes with `value`: see forge_clear_halo_arguments. */
typedef struct {
  forge_view out;
  int32_t top, left, bottom, right;
  int32_t value;
} forge_byte_halo_arguments;

/* The smallest and the largest number of each row of a block of 16: `rows` has
 * forge_float_range_words words. Tiles: block * height + y. */
typedef struct {
  forge_view in;
  forge_view rows; /* base and offset only, in the arena */
} forge_float_range_arguments;
int64_t forge_float_range_words(const forge_float_range_arguments *);

/* The forge_quantization of an image from the ranges of its rows, as DynamicQuantizeLinear:
 *   low = min(0, least), high = max(0, largest), scale = (high - low) / 255 (1 if that is 0),
 *   zero = round(max(0, min(255, -low / scale))), ties to even
 * NaN in the image gives the scale NaN. count: tiles of float_range. With has_numbers `numbers`
 * becomes two floats, the scale and the zero point. Tiles: 1. */
typedef struct {
  forge_view rows, range, numbers; /* base, offset and image_stride only */
  int64_t count;
  int32_t has_numbers;
} forge_dynamic_range_arguments;

/* ---- images of bytes ---- */

typedef enum {
  FORGE_BYTES_ADD = 0, /* f = (a - a_zero) * a_factor + (b - b_zero) * b_factor */
  FORGE_BYTES_MULTIPLY /* f = (float)((a - a_zero) * (b - b_zero)) * a_factor */
} forge_byte_operation;

/* max(low, min(high, round(f + zero))), ties to even; `low` if f is NaN. Each operation of f is
 * rounded. The factors of an addition are the quotients of an operand's scale and the output's.
 * That of a multiplication is the product of the operands' scales over the output's. Each size of a
 * and b is that of the output or 1; channels are equal. out may be a or b of its shape.
 * Tiles: block * out.height + y. */
typedef struct {
  forge_view a, b, out;
  int32_t operation; /* forge_byte_operation */
  float a_factor, b_factor;
  int32_t a_zero, b_zero, zero, low, high;
} forge_quantized_binary_arguments;

/* Pooling of windows clipped to the interior: no halo is read. Tiles: block * out.height + y.
 *   FORGE_POOL_MAXIMUM: the largest byte, in_zero if the window is empty.
 *   FORGE_POOL_AVERAGE_INSIDE, FORGE_POOL_AVERAGE_ALL: max(low, min(high, round(f) + zero)), ties
 *     to even, where f = (float)(sum of (byte - in_zero)) * (factor / (float)count) and count is
 *     as for floats. `factor` is the input's scale over the output's. */
typedef struct {
  forge_view in, out;
  int32_t kind; /* forge_pooling_kind */
  int32_t kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_top,
    pad_left;
  float factor;
  int32_t in_zero, zero, low, high;
} forge_quantized_pooling_arguments;

/* out = table[in]: any function of one number. table: uint8_t [256]. out may be in.
 * Tiles: block * height + y. */
typedef struct {
  forge_view in, out;
  const uint8_t *table;
} forge_byte_lookup_arguments;

/* Channel c of `in` becomes channel first_channel + c of `out`, through `table` unless that is
 * NULL. Other channels keep their values. Tiles: rows. */
typedef struct {
  forge_view in, out;
  int32_t first_channel;
  const uint8_t *table;
} forge_byte_copy_channels_arguments;

/* ---- 4-bit weights ---- */

/* Products of floats and 4-bit weights, whose groups of neighboring inputs have a scale each
 * (MatMulNBits). A step before writes the floats as integers of three signed digits:
 *   x = digits * 2^-exponent of the group, where the largest of the group has 23 bits
 * so that sums of products are exact within a group, and as exact as those of floats over all.
 *
 * in: floats blocked by 16, each pixel a row. digits (base and offset only, in the arena) has
 * forge_nibble_digit_words words. NaN or infinity in a group gives NaN as the results of its row.
 * group: a multiple of 16, at most 256. The last group may be cut. Tiles: rows (y * width + x). */
typedef struct {
  forge_view in;
  forge_view digits;
  int32_t group;
} forge_nibble_digits_arguments;
int64_t forge_nibble_digit_words(const forge_nibble_digits_arguments *);

/* out(n) = the sum over groups, in their order, of
 *   scales * scale of the digits * sum of digits * (weight - zero)
 * and then offsets[n], the residual and the activation. weights, scales, zeros: from
 * forge_pack_nibbles; zeros may be NULL for 8. out: blocked by 16. rows: of digits. offsets: float
 * [out.channels, rounded up to 16], or NULL. Tiles: blocks of 16 outputs. */
typedef struct {
  forge_view digits, out;
  const uint8_t *weights;
  const float *scales;
  const uint8_t *zeros;
  const float *offsets;
  int64_t inputs;
  int32_t group;
  forge_epilogue epilogue;
} forge_nibble_product_arguments;

/* ---- packing ---- */

/* Weights as files hold them: weight (output, tap, input) is the byte at
 * output*output_stride + tap*tap_stride + input*input_stride. Taps are the pixels of the window,
 * row by row. */
typedef struct {
  const uint8_t *weights;
  int64_t outputs, taps, inputs; /* depthwise: inputs is 1 */
  int64_t output_stride, tap_stride, input_stride;
  int32_t is_unsigned;  /* weights are bytes of 0 ... 255: 128 is subtracted from them */
  const int32_t *zeros; /* the zero point of each output, 128 subtracted likewise; or NULL: 0 */
  int32_t pixel_bytes;  /* of the image that they are multiplied with */
} forge_quantized_packing;

/* The numbers of a table of `outputs` outputs: a multiple of 64. */
int64_t forge_quantized_outputs(int64_t outputs);

/* The bytes of packed weights. */
int64_t forge_quantized_weight_bytes(int64_t outputs, int64_t taps, int64_t inputs,
                                     int32_t pixel_bytes);

/* Packs the weights of a convolution:
 *   [panel of 64 outputs][tap][input blocks * 16, or 1 for small pixels][panel's width][4 inputs]
 * zero where padded. The last panel's width is the number of its outputs, rounded up to 16.
 * totals: of each output the sum of its weights less their zero point. weight_zeros: a table for
 * forge_sum_end, or NULL; only needed if a zero point is not 0. */
void forge_pack_quantized(const forge_quantized_packing *, int8_t *packed, int32_t *totals,
                          int32_t *weight_zeros);

/* biases[n] = bias[n] - zero * totals[n]. bias: int32_t [outputs], or NULL for zeros. biases,
 * totals: tables. */
void forge_fold_zero(const int32_t *bias, const int32_t *totals, int32_t zero, int64_t outputs,
                     int32_t *biases);

/* 4-bit weights as MatMulNBits has them: byte (output, group, i) holds inputs 2i (its lower
 * half) and 2i + 1 of the group; scales [outputs][groups]; zeros: two groups of an output in a
 * byte, [outputs][groups / 2, rounded up], or NULL for 8.
 * packed: uint8_t [outputs / 16][groups][group / 8][16][4], input 8j + b of the group in the lower
 * and 8j + 4 + b in the upper half of byte b of j. packed_scales, packed_zeros: [outputs / 16]
 * [groups][16]. All sizes are rounded up; packed_zeros is NULL if zeros is. */
void forge_pack_nibbles(const uint8_t *weights, const float *scales, const uint8_t *zeros,
                        int64_t outputs, int64_t inputs, int32_t group, uint8_t *packed,
                        float *packed_scales, uint8_t *packed_zeros);
int64_t forge_nibble_bytes(int64_t outputs, int64_t inputs, int32_t group);

/* The bytes of packed weights of a depthwise convolution. */
int64_t forge_quantized_depthwise_bytes(int64_t channels, int64_t kernel_height,
                                        int64_t kernel_width);

/* Packs weights, whose zero points are 0, and the tables of the kernel. scales, bias: of
 * each channel; bias may be NULL. in_zero: the input's zero point, folded into packed_biases. */
void forge_pack_quantized_depthwise(const forge_quantized_packing *, int64_t kernel_height,
                                    int64_t kernel_width, const float *scales, const int32_t *bias,
                                    int32_t in_zero, int8_t *packed, float *packed_scales,
                                    int32_t *packed_biases);

#endif
