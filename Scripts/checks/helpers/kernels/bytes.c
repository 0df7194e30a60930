/* Kernels on images of bytes. All are equal; Scripts/check bytes compares the scalar forms with
 * their definitions. */
#include "check.h"

static const float scales[] = {0.02f,  0.5f, 1,      3e-6f,    1e-38f, 1e38f,
                               1e-41f, 0,    -0.01f, INFINITY, NAN};
static const int64_t channel_counts[] = {1, 3, 15, 16, 17, 33, 47, 63, 64, 65, 100, 129};

static fill_kind some_fill(void) { return (fill_kind)random_below(FILLS); }

typedef struct {
  int64_t height, width, channels;
} sizes;

static sizes some_sizes(void) {
  const sizes s = {random_from(1, 5), random_from(1, 35), RANDOM_OF(channel_counts)};
  PROBLEM("%lldx%lldx%lld", (long long)s.height, (long long)s.width, (long long)s.channels);
  return s;
}

static float *some_bytes(int64_t count) {
  float *p = memory_of(count, 0);
  fill_bytes(p, count);
  return p;
}

/* Tries a trial whose result is bytes of a view, and frees its memory. */
static void finish_bytes(trial *t, const image *out) {
  t->bytes = out->bytes;
  t->comparison = AS_BLOCKED_BYTES;
  t->view = &out->view;
  t->bases[OUT] = memory_of(out->bytes, 0x41);
  free(try_forms(t));
  for (int i = 0; i < BASES; i++) free(t->bases[i]);
}

/* The same of words or floats. */
static void finish_words(trial *t, int64_t bytes, comparison comparison) {
  t->bytes = bytes;
  t->comparison = comparison;
  t->bases[OUT] = memory_of(bytes, 0x41);
  free(try_forms(t));
  for (int i = 0; i < BASES; i++) free(t->bases[i]);
}

static float *some_quantizations(int64_t count) {
  float *p = memory_of(8 * count, 0);
  for (int64_t i = 0; i < count; i++) {
    const forge_quantization q = {RANDOM_OF(scales), (int32_t)random_below(256)};
    memcpy(p + 2 * i, &q, sizeof q);
  }
  return p;
}

/* ---- products ---- */

static int64_t input_size(int64_t out, int64_t stride, int64_t kernel, int64_t dilation,
                          int64_t pad) {
  return forge_larger((out - 1) * stride + (kernel - 1) * dilation + 1 - pad, 1);
}

void check_quantized_convolution(void) {
  forge_quantized_convolution_arguments a = {0};
  const bool small = random_below(5) == 0, pointwise = random_below(3) == 0;
  const int64_t inputs = small ? random_from(1, 4) : RANDOM_OF(channel_counts);
  const int64_t outputs = RANDOM_OF(channel_counts);
  a.pixel_bytes = small ? FORGE_SMALL_PIXEL : FORGE_BYTE_LANES;
  a.kernel_height = pointwise ? 1 : (int32_t)random_from(1, small ? 7 : 3);
  a.kernel_width = pointwise ? 1 : (int32_t)random_from(1, small ? 7 : 3);
  a.stride_y = (int32_t)random_from(1, 2);
  a.stride_x = (int32_t)random_from(1, 2);
  a.dilation_y = (int32_t)random_from(1, 2);
  a.dilation_x = (int32_t)random_from(1, 2);
  a.flat = pointwise && random_below(2);
  if (a.flat) a.stride_x = a.stride_y = 1;
  const int64_t border = a.flat ? 0 : random_below(3);
  a.pad_top = (int32_t)random_below(border + 1);
  a.pad_left = (int32_t)random_below(border + 1);
  const int64_t height = random_from(1, 5), width = random_from(1, random_below(2) ? 7 : 41);
  a.segments = (int32_t)random_below(4);
  const image in =
    byte_image(IN, input_size(height, a.stride_y, a.kernel_height, a.dilation_y, a.pad_top),
               input_size(width, a.stride_x, a.kernel_width, a.dilation_x, a.pad_left), inputs,
               border, a.flat ? 0 : random_below(2), a.pixel_bytes);
  forge_sum_end *end = &a.end;
  end->form = (int32_t)random_below(3);
  const bool bytes = end->form == FORGE_SUMS_TO_BYTES;
  const image out = bytes ? byte_image(OUT, height, width, outputs, random_below(2), 0, 64)
                          : float_image(OUT, height, width, outputs, 0, random_below(2));
  const image residual = float_image(RESIDUAL, height, width, outputs, 0, random_below(2));
  a.in = in.view;
  a.out = out.view;
  const int64_t taps = (int64_t)a.kernel_height * a.kernel_width;
  const int64_t packed_bytes = forge_quantized_weight_bytes(outputs, taps, inputs, a.pixel_bytes);
  const int64_t count = forge_quantized_outputs(outputs);
  uint8_t *weights = (uint8_t *)some_bytes(outputs * taps * inputs);
  int32_t *zeros = random_below(3) == 0 ? memory_of(4 * outputs, 0) : NULL;
  for (int64_t n = 0; zeros && n < outputs; n++) zeros[n] = (int32_t)random_from(-128, 127);
  int8_t *packed = memory_of(packed_bytes, 0x41);
  int32_t *totals = memory_of(4 * count, 0x41), *weight_zeros = memory_of(4 * count, 0x41);
  int32_t *biases = memory_of(4 * count, 0x41);
  const forge_quantized_packing packing = {.weights = weights,
                                           .outputs = outputs,
                                           .taps = taps,
                                           .inputs = inputs,
                                           .output_stride = inputs * taps,
                                           .tap_stride = inputs,
                                           .input_stride = 1,
                                           .is_unsigned = (int32_t)random_below(2),
                                           .zeros = zeros,
                                           .pixel_bytes = a.pixel_bytes};
  forge_pack_quantized(&packing, packed, totals, weight_zeros);
  end->has_range = random_below(3) == 0;
  end->range_step = (int32_t)random_below(2);
  end->range.base = RANGE;
  forge_fold_zero(NULL, totals, end->has_range ? 0 : (int32_t)random_below(256), outputs, biases);
  float *factors = memory_of(4 * count, 0), *offsets = memory_of(4 * count, 0);
  for (int64_t n = 0; n < outputs; n++) {
    factors[n] = random_below(8) == 0 ? RANDOM_OF(scales) : 1e-4f * (float)random_from(1, 40);
    offsets[n] = random_number();
    if (random_below(9) == 0) biases[n] = INT32_MAX; /* sums are modulo 2^32 */
  }
  a.weights = packed;
  end->scales = factors;
  end->biases = biases;
  end->totals = totals;
  end->weight_zeros = zeros ? weight_zeros : NULL;
  end->offsets = random_below(2) ? offsets : NULL;
  end->zero = (int32_t)random_below(256);
  end->low = (int32_t)random_below(20);
  end->high = 255 - (int32_t)random_below(20);
  end->epilogue.residual = residual.view;
  end->epilogue.has_residual = (int32_t)random_below(2);
  if (random_below(2)) end->epilogue.activation = (forge_activation){FORGE_CLAMP, 0, 6};
  if (random_below(2)) {
    a.next = packed;
    a.next_bytes = packed_bytes;
  }
  PROBLEM("%dx%dx%d to %dx%dx%d, kernel %dx%d, stride %d %d, dilation %d %d, pixel %d, form %d, "
          "flat %d, range %d, zeros %d, segments %d",
          a.in.height, a.in.width, a.in.channels, a.out.height, a.out.width, a.out.channels,
          a.kernel_height, a.kernel_width, a.stride_y, a.stride_x, a.dilation_y, a.dilation_x,
          a.pixel_bytes, end->form, a.flat, end->has_range, zeros != NULL, a.segments);
  trial t = {.arguments = &a, .tiles = forge_quantized_convolution_tiles(&a)};
  t.bases[IN] = some_bytes(in.bytes);
  t.bases[RESIDUAL] = filled_image(&residual, EVEN);
  t.bases[RANGE] = some_quantizations(height * width);
  if (bytes)
    finish_bytes(&t, &out);
  else
    finish_words(&t, out.bytes, end->form == FORGE_SUMS_AS_INTEGERS ? AS_WORDS : AS_FLOATS);
  free(weights);
  free(zeros);
  free(packed);
  free(totals);
  free(weight_zeros);
  free(biases);
  free(factors);
  free(offsets);
}

void check_quantized_depthwise(void) {
  static const int32_t kernels[] = {1, 2, 3, 3, 3, 4, 5, 5, 7};
  forge_quantized_depthwise_arguments a = {.kernel_height = RANDOM_OF(kernels),
                                           .kernel_width = RANDOM_OF(kernels),
                                           .stride_y = (int32_t)random_from(1, 3),
                                           .stride_x = (int32_t)random_from(1, 3),
                                           .dilation_y = (int32_t)random_from(1, 2),
                                           .dilation_x = (int32_t)random_from(1, 2),
                                           .pad_top = (int32_t)random_below(4),
                                           .pad_left = (int32_t)random_below(4),
                                           .in_zero = (int32_t)random_below(256),
                                           .zero = (int32_t)random_below(256),
                                           .low = (int32_t)random_below(20),
                                           .high = 255 - (int32_t)random_below(20)};
  if (random_below(2)) { /* windows that are streamed */
    a.kernel_width = 3;
    a.dilation_x = 1;
    a.stride_x = (int32_t)random_from(1, 2);
  }
  const int64_t c = RANDOM_OF(channel_counts);
  const image in = byte_image(IN, random_from(1, 7), random_from(1, 19), c, 0, random_below(2), 64);
  const image out =
    byte_image(OUT, random_from(1, 6), random_from(1, 19), c, random_below(2), 0, 64);
  a.in = in.view;
  a.out = out.view;
  const int64_t taps = (int64_t)a.kernel_height * a.kernel_width;
  uint8_t *weights = (uint8_t *)some_bytes(c * taps);
  float *factors = memory_of(4 * c, 0);
  int32_t *bias = memory_of(4 * c, 0);
  for (int64_t i = 0; i < c; i++) {
    factors[i] = random_below(8) == 0 ? RANDOM_OF(scales) : 2e-3f * (float)random_from(1, 40);
    bias[i] = (int32_t)random_bits() >> 16;
  }
  int8_t *packed =
    memory_of(forge_quantized_depthwise_bytes(c, a.kernel_height, a.kernel_width), 0x41);
  float *packed_scales = memory_of(4 * forge_quantized_outputs(c), 0x41);
  int32_t *packed_biases = memory_of(4 * forge_quantized_outputs(c), 0x41);
  const forge_quantized_packing packing = {.weights = weights,
                                           .outputs = c,
                                           .taps = taps,
                                           .inputs = 1,
                                           .output_stride = taps,
                                           .tap_stride = 1,
                                           .is_unsigned = (int32_t)random_below(2),
                                           .pixel_bytes = 64};
  forge_pack_quantized_depthwise(&packing, a.kernel_height, a.kernel_width, factors, bias,
                                 a.in_zero, packed, packed_scales, packed_biases);
  a.weights = packed;
  a.scales = packed_scales;
  a.biases = packed_biases;
  PROBLEM("%dx%dx%d to %dx%d, kernel %dx%d, stride %d %d, dilation %d %d, pad %d %d", a.in.height,
          a.in.width, a.in.channels, a.out.height, a.out.width, a.kernel_height, a.kernel_width,
          a.stride_y, a.stride_x, a.dilation_y, a.dilation_x, a.pad_top, a.pad_left);
  trial t = {.arguments = &a, .tiles = forge_quantized_depthwise_tiles(&a)};
  t.bases[IN] = some_bytes(in.bytes);
  finish_bytes(&t, &out);
  free(weights);
  free(factors);
  free(bias);
  free(packed);
  free(packed_scales);
  free(packed_biases);
}

/* ---- weights of 4 bits ---- */

typedef struct {
  image in;
  int32_t group;
  float *numbers;
  forge_nibble_digits_arguments a;
} digits_problem;

static digits_problem some_digits(void) {
  static const int32_t groups[] = {16, 32, 64, 128, 256};
  digits_problem p = {.group = RANDOM_OF(groups)};
  const int64_t height = random_from(1, 2), width = random_from(1, 7), n = random_from(1, 300);
  p.in = float_image(IN, height, width, n, 0, random_below(2));
  p.numbers = filled_image(&p.in, some_fill());
  p.a = (forge_nibble_digits_arguments){p.in.view, {.base = OUT}, p.group};
  PROBLEM("%lldx%lldx%lld in groups of %d", (long long)height, (long long)width, (long long)n,
          p.group);
  return p;
}

void check_nibble_digits(void) {
  digits_problem p = some_digits();
  trial t = {.arguments = &p.a, .tiles = forge_nibble_digits_tiles(&p.a)};
  t.bases[IN] = p.numbers;
  finish_words(&t, 4 * forge_nibble_digit_words(&p.a), AS_WORDS);
}

void check_nibble_product(void) {
  digits_problem p = some_digits();
  const int64_t inputs = p.in.view.channels, outputs = random_from(1, 70);
  const int64_t groups = forge_quotient_up(inputs, p.group), blocks = forge_blocks(outputs);
  const image out = float_image(OUT, p.in.view.height, p.in.view.width, outputs, 0, 1);
  const image residual = float_image(RESIDUAL, out.view.height, out.view.width, outputs, 0, 0);
  uint8_t *weights = (uint8_t *)some_bytes(outputs * groups * p.group / 2);
  float *factors = memory_of(4 * outputs * groups, 0);
  fill_numbers(factors, outputs * groups, random_below(2) ? EVEN : UNEVEN);
  const bool has_zeros = random_below(2);
  uint8_t *zeros = (uint8_t *)some_bytes(outputs * ((groups + 1) / 2));
  uint8_t *packed = memory_of(forge_nibble_bytes(outputs, inputs, p.group), 0x41);
  float *packed_scales = memory_of(blocks * groups * 64, 0x41);
  uint8_t *packed_zeros = memory_of(blocks * groups * 16, 0x41);
  float *offsets = memory_of(4 * blocks * 16, 0);
  fill_numbers(offsets, outputs, EVEN);
  forge_pack_nibbles(weights, factors, has_zeros ? zeros : NULL, outputs, inputs, p.group, packed,
                     packed_scales, has_zeros ? packed_zeros : NULL);
  const forge_nibble_product_arguments a = {
    .digits = {.base = RANGE},
    .out = out.view,
    .weights = packed,
    .scales = packed_scales,
    .zeros = has_zeros ? packed_zeros : NULL,
    .offsets = random_below(2) ? offsets : NULL,
    .inputs = inputs,
    .group = p.group,
    .epilogue = {random_below(2) ? (forge_activation){FORGE_CLAMP, 0, 6} : (forge_activation){0},
                 (int32_t)random_below(2), residual.view}};
  trial t = {.arguments = &a, .tiles = forge_nibble_product_tiles(&a)};
  p.a.digits.base = RANGE;
  t.bases[IN] = p.numbers;
  t.bases[RANGE] = memory_of(4 * forge_nibble_digit_words(&p.a), 0);
  t.bases[RESIDUAL] = filled_image(&residual, EVEN);
  const forge_frame frame = {.bases = t.bases};
  forge_kernels(FORGE_SCALAR)->nibble_digits(&p.a, &frame, 0, forge_nibble_digits_tiles(&p.a));
  finish_words(&t, out.bytes, AS_FLOATS);
  free(weights);
  free(factors);
  free(zeros);
  free(packed);
  free(packed_scales);
  free(packed_zeros);
  free(offsets);
}

/* ---- floats to bytes and back ---- */

void check_quantize(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 0, random_below(2));
  const image out = byte_image(OUT, s.height, s.width, s.channels, random_below(2), 0, 64);
  const forge_quantize_arguments a = {.in = in.view,
                                      .out = out.view,
                                      .scale = RANDOM_OF(scales),
                                      .zero = (int32_t)random_below(256),
                                      .low = (int32_t)random_below(20),
                                      .high = 255 - (int32_t)random_below(20),
                                      .has_range = (int32_t)random_below(2),
                                      .range = {.base = RANGE}};
  trial t = {.arguments = &a, .tiles = forge_quantize_tiles(&a)};
  t.bases[IN] = filled_image(&in, some_fill());
  t.bases[RANGE] = some_quantizations(1);
  finish_bytes(&t, &out);
}

void check_dequantize(void) {
  const sizes s = some_sizes();
  const image in = byte_image(IN, s.height, s.width, s.channels, random_below(2), 0, 64);
  const image out = float_image(OUT, s.height, s.width, s.channels, 0, random_below(2));
  const forge_dequantize_arguments a = {.in = in.view,
                                        .out = out.view,
                                        .scale = RANDOM_OF(scales),
                                        .zero = (int32_t)random_below(256),
                                        .has_range = (int32_t)random_below(2),
                                        .range = {.base = RANGE}};
  trial t = {.arguments = &a, .tiles = forge_dequantize_tiles(&a)};
  t.bases[IN] = some_bytes(in.bytes);
  t.bases[RANGE] = some_quantizations(1);
  finish_words(&t, out.bytes, AS_FLOATS);
}

void check_quantize_pixels(void) {
  const int64_t height = random_from(1, 4), width = random_from(1, 40), n = random_from(1, 4);
  const bool is_bytes = random_below(3) == 0;
  forge_quantize_pixels_arguments a = {.in = plain_image(IN, height, width, n).view,
                                       .in_is_bytes = is_bytes,
                                       .flip = random_below(2) ? 128 : 0,
                                       .scale = RANDOM_OF(scales),
                                       .zero = (int32_t)random_below(256),
                                       .low = (int32_t)random_below(20),
                                       .high = 250,
                                       .top = (int32_t)random_below(4),
                                       .left = (int32_t)random_below(4),
                                       .bottom = (int32_t)random_below(4),
                                       .right = (int32_t)random_below(4)};
  const int64_t row = (a.left + width + a.right) * 4, bytes = (a.top + height + a.bottom) * row;
  a.out = (forge_view){.base = OUT,
                       .height = (int32_t)height,
                       .width = (int32_t)width,
                       .channels = (int32_t)n,
                       .offset = a.top * row + a.left * 4,
                       .row_stride = row};
  PROBLEM("pixels %lldx%lldx%lld, bytes %d", (long long)height, (long long)width, (long long)n,
          is_bytes);
  trial t = {.arguments = &a, .tiles = forge_quantize_pixels_tiles(&a)};
  const int64_t count = height * width * n;
  t.bases[IN] = is_bytes ? some_bytes(count) : memory_of(4 * count, 0);
  if (!is_bytes) fill_numbers(t.bases[IN], count, some_fill());
  finish_words(&t, bytes, AS_WORDS);
}

void check_float_range(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 0, random_below(2));
  const forge_float_range_arguments a = {in.view, {.base = OUT}};
  trial t = {.arguments = &a, .tiles = forge_float_range_tiles(&a)};
  t.bases[IN] = filled_image(&in, some_fill());
  finish_words(&t, 4 * forge_float_range_words(&a), AS_WORDS);
}

void check_dynamic_range(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 0, random_below(2));
  const forge_float_range_arguments r = {in.view, {.base = OTHER}};
  /* The numbers follow the quantization. */
  const forge_dynamic_range_arguments a = {.rows = {.base = OTHER},
                                           .range = {.base = OUT},
                                           .numbers = {.base = OUT, .offset = 2},
                                           .count = forge_float_range_tiles(&r),
                                           .has_numbers = 1};
  trial t = {.arguments = &a, .tiles = 1};
  t.bases[IN] = filled_image(&in, some_fill());
  t.bases[OTHER] = memory_of(4 * forge_float_range_words(&r), 0);
  const forge_frame frame = {.bases = t.bases};
  forge_kernels(FORGE_SCALAR)->float_range(&r, &frame, 0, a.count);
  finish_words(&t, sizeof(forge_quantization) + 2 * sizeof(float), AS_FLOATS);
}

/* ---- moves ---- */

void check_byte_block(void) {
  const sizes s = some_sizes();
  const image out = byte_image(OUT, s.height, s.width, s.channels, 1, 1, 64);
  const forge_byte_block_arguments a = {plain_image(IN, s.height, s.width, s.channels).view,
                                        out.view, random_below(2) ? 128 : 0};
  trial t = {.arguments = &a, .tiles = forge_byte_block_tiles(&a)};
  t.bases[IN] = some_bytes(s.height * s.width * s.channels);
  finish_bytes(&t, &out);
}

void check_byte_unblock(void) {
  const sizes s = some_sizes();
  const image in = byte_image(IN, s.height, s.width, s.channels, 1, 1, 64);
  const forge_byte_unblock_arguments a = {
    in.view, plain_image(OUT, s.height, s.width, s.channels).view, random_below(2) ? 128 : 0};
  trial t = {.arguments = &a, .tiles = forge_byte_unblock_tiles(&a)};
  t.bases[IN] = some_bytes(in.bytes);
  const image out = {.view = a.out, .bytes = s.height * s.width * s.channels};
  image whole = out; /* all bytes count */
  whole.view.block_stride = out.bytes;
  whole.view.channels = FORGE_BYTE_LANES;
  finish_bytes(&t, &whole);
}

void check_byte_halo(void) {
  const sizes s = some_sizes();
  const image out = byte_image(OUT, s.height, s.width, s.channels, 3, 1, 64);
  const forge_byte_halo_arguments a = {out.view,
                                       (int32_t)random_below(4),
                                       (int32_t)random_below(4),
                                       (int32_t)random_below(4),
                                       (int32_t)random_below(4),
                                       (int32_t)random_below(256)};
  trial t = {.arguments = &a, .tiles = forge_byte_halo_tiles(&a)};
  finish_words(&t, out.bytes, AS_WORDS);
}

void check_byte_copy_channels(void) {
  const sizes s = some_sizes();
  const int64_t first = random_below(70);
  const image in = byte_image(IN, s.height, s.width, s.channels, 1, 1, 64);
  const image out =
    byte_image(OUT, s.height, s.width, first + s.channels + random_below(20), 1, 0, 64);
  uint8_t table[256];
  fill_bytes(table, sizeof table);
  const forge_byte_copy_channels_arguments a = {in.view, out.view, (int32_t)first,
                                                random_below(2) ? table : NULL};
  trial t = {.arguments = &a, .tiles = forge_byte_copy_channels_tiles(&a)};
  t.bases[IN] = some_bytes(in.bytes);
  finish_bytes(&t, &out);
}

/* ---- arithmetic ---- */

void check_byte_lookup(void) {
  const sizes s = some_sizes();
  const image in = byte_image(IN, s.height, s.width, s.channels, 1, 0, 64);
  const image out = byte_image(OUT, s.height, s.width, s.channels, 0, 1, 64);
  uint8_t *table = (uint8_t *)some_bytes(256);
  const forge_byte_lookup_arguments a = {in.view, out.view, table};
  trial t = {.arguments = &a, .tiles = forge_byte_lookup_tiles(&a)};
  t.bases[IN] = some_bytes(in.bytes);
  finish_bytes(&t, &out);
  free(table);
}

void check_quantized_binary(void) {
  const sizes s = some_sizes();
  const bool repeats = random_below(3) == 0;
  const image a = byte_image(IN, s.height, s.width, s.channels, 0, 1, 64);
  const image b =
    byte_image(OTHER, repeats ? 1 : s.height, repeats ? 1 : s.width, s.channels, 0, 0, 64);
  const image out = byte_image(OUT, s.height, s.width, s.channels, 1, 0, 64);
  const forge_quantized_binary_arguments p = {.a = a.view,
                                              .b = b.view,
                                              .out = out.view,
                                              .operation = (int32_t)random_below(2),
                                              .a_factor = RANDOM_OF(scales),
                                              .b_factor = RANDOM_OF(scales),
                                              .a_zero = (int32_t)random_below(256),
                                              .b_zero = (int32_t)random_below(256),
                                              .zero = (int32_t)random_below(256),
                                              .low = (int32_t)random_below(20),
                                              .high = 250};
  trial t = {.arguments = &p, .tiles = forge_quantized_binary_tiles(&p)};
  t.bases[IN] = some_bytes(a.bytes);
  t.bases[OTHER] = some_bytes(b.bytes);
  finish_bytes(&t, &out);
}

void check_quantized_pooling(void) {
  const sizes s = some_sizes();
  const image in = byte_image(IN, s.height, s.width, s.channels, random_below(2), 0, 64);
  const image out = byte_image(OUT, random_from(1, 5), random_from(1, 9), s.channels, 0, 1, 64);
  const bool global = random_below(4) == 0;
  const forge_quantized_pooling_arguments a = {
    .in = in.view,
    .out = out.view,
    .kind = (int32_t)random_below(3),
    .kernel_height = global ? (int32_t)s.height : (int32_t)random_from(1, 4),
    .kernel_width = global ? (int32_t)s.width : (int32_t)random_from(1, 4),
    .stride_y = (int32_t)random_from(1, 3),
    .stride_x = (int32_t)random_from(1, 3),
    .dilation_y = (int32_t)random_from(1, 2),
    .dilation_x = (int32_t)random_from(1, 2),
    .pad_top = (int32_t)random_below(3),
    .pad_left = (int32_t)random_below(3),
    .factor = RANDOM_OF(scales),
    .in_zero = (int32_t)random_below(256),
    .zero = (int32_t)random_below(256),
    .low = (int32_t)random_below(20),
    .high = 250};
  trial t = {.arguments = &a, .tiles = forge_quantized_pooling_tiles(&a)};
  t.bases[IN] = some_bytes(in.bytes);
  finish_bytes(&t, &out);
}
