/* The part of check_products.c for weights of 4 bits: included there. */

static int check_nibbles(const byte_form *forms, int count) {
  static const int32_t groups_of[] = {16, 32, 64, 128, 256};
  const int32_t group = RANDOM_OF(groups_of);
  const int64_t inputs = 1 + random_below(400), outputs = 1 + random_below(70);
  const int64_t groups = (inputs + group - 1) / group, blocks = (outputs + 15) / 16;
  const int64_t height = 1 + random_below(2), width = 1 + random_below(7);
  const image in = float_image(IN, height, width, inputs, random_below(2));
  const image out = float_image(OUT, height, width, outputs, random_below(2));
  problem p = {.in_zero = 0};
  p.bases[IN] = memory_of(in.bytes, 0);
  fill_floats(p.bases[IN], in.bytes / 4);
  if (random_below(4) == 0)
    for (int64_t i = 0; i < in.bytes / 4; i++)
      p.bases[IN][i] = random_below(50) == 0 ? RANDOM_OF(scales) : p.bases[IN][i] * 1e-30f;
  uint8_t *weights = memory_of(outputs * groups * group / 2, 0);
  fill(weights, outputs * groups * group / 2, (int)random_below(3));
  float *factors = memory_of(outputs * groups * 4, 0);
  fill_floats(factors, outputs * groups);
  const bool has_zeros = random_below(2);
  uint8_t *zeros = memory_of(outputs * ((groups + 1) / 2), 0);
  fill(zeros, outputs * ((groups + 1) / 2), 0);
  uint8_t *packed = memory_of(forge_nibble_bytes(outputs, inputs, group), 9);
  float *packed_scales = memory_of(blocks * groups * 64, 9);
  uint8_t *packed_zeros = memory_of(blocks * groups * 16, 9);
  forge_pack_nibbles(weights, factors, has_zeros ? zeros : NULL, outputs, inputs, group, packed,
                     packed_scales, has_zeros ? packed_zeros : NULL);
  const forge_nibble_digits_arguments d = {in.view, {.base = RANGE}, group};
  p.bases[RANGE] = memory_of(forge_nibble_digit_words(&d) * 4, 9);
  const forge_frame frame = {.bases = p.bases};
  forge_kernels(FORGE_SCALAR)->nibble_digits(&d, &frame, 0, forge_nibble_digits_tiles(&d));
  const forge_nibble_product_arguments a = {.digits = {.base = RANGE},
                                            .out = out.view,
                                            .weights = packed,
                                            .scales = packed_scales,
                                            .zeros = has_zeros ? packed_zeros : NULL,
                                            .inputs = inputs,
                                            .group = group};
  const int64_t tiles = forge_nibble_product_tiles(&a);
  float *wanted = run(&p, forge_kernels(FORGE_SCALAR)->nibble_product, &a, tiles, out.bytes);
  int failed = 0;
  for (int64_t i = 0; i < height * width * outputs && !failed; i++) {
    const int64_t n = i % outputs, x = i / outputs % width, y = i / outputs / width;
    double sum = 0, magnitudes = 0;
    for (int64_t k = 0; k < inputs; k++) {
      const int64_t g = k / group;
      const uint8_t byte = weights[(n * groups + g) * (group / 2) + k % group / 2];
      const uint8_t pair = zeros[n * ((groups + 1) / 2) + g / 2];
      const int32_t zero = !has_zeros ? 8 : g % 2 == 0 ? pair & 15 : pair >> 4;
      const int32_t weight = (k % 2 == 0 ? byte & 15 : byte >> 4) - zero;
      const double number =
        (double)
          p.bases[IN][k / 16 * in.view.block_stride + y * in.view.row_stride + x * 16 + k % 16];
      sum += number * weight * (double)factors[n * groups + g];
      /* An error is relative to the largest of a group. */
      double most = 0;
      for (int64_t j = g * group; j < forge_smaller((g + 1) * group, inputs); j++)
        most = fmax(most,
                    fabs((double)p.bases[IN][j / 16 * in.view.block_stride +
                                             y * in.view.row_stride + x * 16 + j % 16]));
      magnitudes += most * 15 * fabs((double)factors[n * groups + g]);
    }
    const float got =
      wanted[n / 16 * out.view.block_stride + y * out.view.row_stride + x * 16 + n % 16];
    /* NaN and infinity in a row give NaN. A result beyond the floats may be infinite. */
    failed = isfinite(sum) && magnitudes < 1e37
      ? !(fabs((double)got - sum) <= magnitudes * 5e-7 + 1e-30)
      : !isfinite(sum) && isfinite(got);
    if (failed)
      fprintf(stderr, "nibbles: %g instead of %g, of magnitudes %g\n", (double)got, sum,
              magnitudes);
  }
  for (int i = 0; i < count; i++) {
    if (!forms[i].runs) continue;
    uint8_t *got = run(&p, forms[i].nibbles, &a, tiles, out.bytes);
    const int64_t wrong = differences(&a.out, out.bytes, (uint8_t *)wanted, got, false);
    if (wrong > 0) {
      fprintf(stderr, "%s: %lld numbers: nibbles %lld x %lld, group %d\n", forms[i].name,
              (long long)wrong, (long long)inputs, (long long)outputs, group);
      failed = 1;
    }
    free(got);
  }
  free(wanted);
  free(weights);
  free(factors);
  free(zeros);
  free(packed);
  free(packed_scales);
  free(packed_zeros);
  free(p.bases[IN]);
  free(p.bases[RANGE]);
  return failed;
}
