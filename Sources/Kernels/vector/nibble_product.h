/* Products with 4-bit weights: see forge_nibble_product_arguments. A vector of weights is 16
 * outputs by eight inputs. As unsigned bytes they are multiplied with the digits of a row, which
 * are signed. */

/* The products of the digits of a group of `rows` rows, a constant; digits[r]: of row r. */
FORGE_INLINE void add_nibble_group(const forge_nibble_product_arguments *a,
                                   const float *const *digits, const uint8_t *weights, v16 scales,
                                   v16i zeros, v16 *total, const int rows) {
  v16i sum[FORGE_NIBBLE_ROWS][FORGE_DIGITS];
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++)
#pragma clang loop unroll(full)
    for (int d = 0; d < FORGE_DIGITS; d++) sum[r][d] = (v16i){0};
  const int64_t group = a->group;
  for (int64_t i = 0; i < group; i += 8, weights += FORGE_BYTE_LANES) {
    const v16i both = load_integers(weights);
    const quad_inputs low = small_inputs_of(both & 0x0f0f0f0f);
    const quad_inputs high = small_inputs_of((v16i)((v16u)both >> 4) & 0x0f0f0f0f);
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++)
#pragma clang loop unroll(full)
      for (int d = 0; d < FORGE_DIGITS; d++) {
        const int8_t *at = forge_digits_of(digits[r]) + d * group + i;
        sum[r][d] = add_quads(sum[r][d], low, weights_of(splat_quad(at)));
        sum[r][d] = add_quads(sum[r][d], high, weights_of(splat_quad(at + FORGE_QUAD)));
      }
  }
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const forge_digit_group head = forge_digit_group_at(digits[r]);
    v16 parts[FORGE_DIGITS];
#pragma clang loop unroll(full)
    for (int d = 0; d < FORGE_DIGITS; d++) parts[d] = floats_of(sum[r][d] - zeros * head.sums[d]);
    const v16 whole = (parts[2] * 65536 + parts[1] * 256) + parts[0];
    total[r] += whole * (splat(head.scale) * scales);
  }
}

/* Computes `rows` rows from `row` on of a block of outputs. */
FORGE_INLINE void nibble_rows(const forge_nibble_product_arguments *a, const forge_frame *frame,
                              int64_t block, int64_t row, const int rows) {
  const int64_t groups = forge_quotient_up(a->inputs, a->group);
  const int64_t words = forge_digit_group_words(a->group);
  const float *digits[FORGE_NIBBLE_ROWS];
  v16 total[FORGE_NIBBLE_ROWS];
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    digits[r] = forge_origin(&a->digits, frame) + (row + r) * groups * words;
    total[r] = splat(0);
  }
  const int64_t place = block * groups * FORGE_LANES;
  const uint8_t *weights = a->weights + place * (a->group / 2);
  const float *scales = a->scales + place;
  const uint8_t *zeros = a->zeros ? a->zeros + place : NULL;
  for (int64_t g = 0; g < groups; g++) {
    const v16i zero = zeros ? words_of(zeros + g * FORGE_LANES) : splat_word(8);
    add_nibble_group(a, digits, weights, load(scales + g * FORGE_LANES), zero, total, rows);
    weights += a->group / 2 * FORGE_LANES;
#pragma clang loop unroll(full)
    for (int r = 0; r < rows; r++) digits[r] += words;
  }
  const forge_epilogue *e = &a->epilogue;
  const int64_t lanes = a->out.channels - block * FORGE_LANES;
#pragma clang loop unroll(full)
  for (int r = 0; r < rows; r++) {
    const int64_t y = (row + r) / a->out.width, x = (row + r) % a->out.width * FORGE_LANES;
    float *out = forge_row(&a->out, frame, block, y) + x;
    v16 value = total[r];
    if (a->offsets) value += load(a->offsets + block * FORGE_LANES);
    if (e->has_residual) value += load(forge_row(&e->residual, frame, block, y) + x);
    if (e->activation.kind == FORGE_CLAMP)
      value = clamp(value, splat(e->activation.a), splat(e->activation.b));
    store(out, keep(first_lanes(lanes), value));
    if (e->activation.kind != FORGE_CLAMP && e->activation.kind != FORGE_LINEAR)
      FORGE_ACTIVATE_PIXELS(out, out, 1, lanes, &e->activation);
  }
}

FORGE_KERNEL(nibble_product) {
  const forge_nibble_product_arguments *a = arguments;
  const int64_t rows = (int64_t)a->out.height * a->out.width;
  for (int64_t block = first; block < last; block++) {
    int64_t row = 0;
    for (; row + FORGE_NIBBLE_ROWS <= rows; row += FORGE_NIBBLE_ROWS)
      nibble_rows(a, frame, block, row, FORGE_NIBBLE_ROWS);
    for (; row < rows; row++) nibble_rows(a, frame, block, row, 1);
  }
}
