/* Compares the products of bytes with their definition, and each form of them with the scalar one,
 * on odd sizes and extreme numbers. Scripts/check bytes builds and runs it. */
#include "forms.h"

static const float scales[] = {0.003f, 0.0001f, 1e-38f, 1e38f, 1e-41f, 0, -0.01f, INFINITY, NAN};

/* Bytes: any, or the extremes. */
static uint8_t some_byte(int kind) {
  switch (kind) {
    case 0: return (uint8_t)random_bits();
    case 1: return random_bits() & 1 ? 255 : 0;
    case 2: return 255;
    default: return 128; /* as a signed weight the least */
  }
}

static void fill(uint8_t *p, int64_t count, int kind) {
  for (int64_t i = 0; i < count; i++) p[i] = some_byte(kind);
}

static void fill_floats(float *p, int64_t count) {
  for (int64_t i = 0; i < count; i++) p[i] = (float)((int32_t)random_bits() >> 8) * 1e-5f;
}

/* One convolution and what it is made of. */
typedef struct {
  forge_quantized_convolution_arguments a;
  image in, out, residual;
  uint8_t *weights; /* as a file holds them: [output][input][tap] */
  int32_t *bias, *zeros;
  bool is_unsigned;
  int32_t in_zero;
  float *bases[BASES];
} problem;

static int64_t one_of(const int64_t *sizes, int64_t count) { return sizes[random_below(count)]; }

/* The sum of output n, by the definition. */
static int32_t defined_sum(const problem *p, int64_t n, int64_t y, int64_t x) {
  const forge_quantized_convolution_arguments *a = &p->a;
  const forge_sum_end *end = &a->end;
  const int64_t taps = (int64_t)a->kernel_height * a->kernel_width, inputs = a->in.channels;
  int64_t in_zero = p->in_zero;
  if (end->has_range)
    memcpy(&in_zero, p->bases[RANGE] + 2 * (y * a->out.width + x) * end->range_step + 1, 4);
  in_zero = (int32_t)in_zero;
  int64_t sum = p->bias ? p->bias[n] : 0;
  for (int64_t tap = 0; tap < taps; tap++)
    for (int64_t c = 0; c < inputs; c++) {
      const int64_t row = y * a->stride_y - a->pad_top + tap / a->kernel_width * a->dilation_y;
      const int64_t column = x * a->stride_x - a->pad_left + tap % a->kernel_width * a->dilation_x;
      const uint8_t *origin = (uint8_t *)p->bases[IN] + a->in.offset;
      const uint8_t byte = origin[c / 64 * a->in.block_stride + row * a->in.row_stride +
                                  column * a->pixel_bytes + c % 64];
      const uint8_t stored = p->weights[(n * inputs + c) * taps + tap];
      const int64_t weight = p->is_unsigned ? (int64_t)stored - 128 : (int8_t)stored;
      sum += ((int64_t)byte - in_zero) * (weight - (p->zeros ? p->zeros[n] : 0));
    }
  return (int32_t)(uint32_t)sum;
}

static problem problem_of(void) {
  static const int64_t channels[] = {1,  2,  3,  5,  13, 16,  17,  31,  48,  63,
                                     64, 65, 67, 96, 97, 127, 128, 131, 192, 259};
  const int64_t all = sizeof channels / sizeof *channels;
  problem p = {.is_unsigned = random_below(2)};
  forge_quantized_convolution_arguments *a = &p.a;
  forge_sum_end *end = &a->end;
  const bool small = random_below(5) == 0, pointwise = random_below(3) == 0;
  const int64_t inputs = small ? 1 + random_below(4) : one_of(channels, all);
  const int64_t outputs = one_of(channels, all);
  a->pixel_bytes = small ? FORGE_SMALL_PIXEL : FORGE_BYTE_LANES;
  a->kernel_height = pointwise ? 1 : (int32_t)(1 + random_below(small ? 7 : 3));
  a->kernel_width = pointwise ? 1 : (int32_t)(1 + random_below(small ? 7 : 3));
  a->stride_y = (int32_t)(1 + random_below(2));
  a->stride_x = (int32_t)(1 + random_below(2));
  a->dilation_y = random_below(4) == 0 ? 2 : 1;
  a->dilation_x = random_below(4) == 0 ? 2 : 1;
  a->flat = pointwise && random_below(2);
  if (a->flat) a->stride_x = a->stride_y = 1;
  const int64_t border = a->flat ? 0 : random_below(3);
  a->pad_top = (int32_t)random_below(border + 1);
  a->pad_left = (int32_t)random_below(border + 1);
  const int64_t height = 1 + random_below(random_below(2) ? 3 : 9);
  const int64_t width = 1 + random_below(random_below(2) ? 13 : 53);
  a->segments = (int32_t)random_below(4);
  /* The windows of all outputs are inside the image and its border. */
  const int64_t tall = (height - 1) * a->stride_y + (a->kernel_height - 1) * a->dilation_y + 1;
  const int64_t wide = (width - 1) * a->stride_x + (a->kernel_width - 1) * a->dilation_x + 1;
  p.in = byte_image(IN, forge_larger(tall - a->pad_top, 1), forge_larger(wide - a->pad_left, 1),
                    inputs, border, a->flat ? 0 : random_below(2), a->pixel_bytes);
  a->in = p.in.view;
  static const int32_t forms[] = {FORGE_SUMS_TO_BYTES, FORGE_SUMS_TO_BYTES, FORGE_SUMS_AS_INTEGERS,
                                  FORGE_SUMS_TO_FLOATS};
  end->form = RANDOM_OF(forms);
  const int64_t gap = random_below(3);
  p.out = end->form == FORGE_SUMS_TO_BYTES ? byte_image(OUT, height, width, outputs, gap, 0, 64)
                                           : float_image(OUT, height, width, outputs, gap);
  a->out = p.out.view;
  p.residual = float_image(RESIDUAL, height, width, outputs, random_below(2));
  end->epilogue.residual = p.residual.view;
  p.bases[IN] = memory_of(p.in.bytes, 0);
  fill((uint8_t *)p.bases[IN], p.in.bytes, (int)random_below(4));
  p.bases[RESIDUAL] = memory_of(p.residual.bytes, 0);
  fill_floats(p.bases[RESIDUAL], p.residual.bytes / 4);

  /* Weights and tables. */
  const int64_t taps = (int64_t)a->kernel_height * a->kernel_width;
  const int64_t count = forge_quantized_outputs(outputs);
  p.weights = memory_of(outputs * inputs * taps, 0);
  fill(p.weights, outputs * inputs * taps, (int)random_below(4));
  p.in_zero = (int32_t)random_below(256);
  if (random_below(2)) {
    p.bias = memory_of(outputs * 4, 0);
    for (int64_t n = 0; n < outputs; n++)
      p.bias[n] = random_below(8) == 0 ? INT32_MAX : (int32_t)random_bits() >> 12;
  }
  if (random_below(4) == 0) {
    p.zeros = memory_of(outputs * 4, 0);
    for (int64_t n = 0; n < outputs; n++) p.zeros[n] = (int32_t)random_below(256) - 128;
  }
  int32_t *totals = memory_of(count * 4, 0x55), *biases = memory_of(count * 4, 0x55);
  int32_t *weight_zeros = memory_of(count * 4, 0x55);
  int8_t *packed =
    memory_of(forge_quantized_weight_bytes(outputs, taps, inputs, a->pixel_bytes), 0x55);
  const forge_quantized_packing packing = {
    .weights = p.weights,
    .outputs = outputs,
    .taps = taps,
    .inputs = inputs,
    .output_stride = inputs * taps,
    .tap_stride = 1,
    .input_stride = taps,
    .is_unsigned = p.is_unsigned,
    .zeros = p.zeros,
    .pixel_bytes = a->pixel_bytes,
  };
  forge_pack_quantized(&packing, packed, totals, weight_zeros);
  end->has_range = random_below(4) == 0;
  end->range_step = (int32_t)random_below(2);
  end->range.base = RANGE;
  const int64_t ranges = height * width;
  p.bases[RANGE] = memory_of(ranges * 8, 0);
  for (int64_t i = 0; i < ranges; i++) {
    const forge_quantization q = {RANDOM_OF(scales), (int32_t)random_below(256)};
    memcpy(p.bases[RANGE] + 2 * i, &q, sizeof q);
  }
  forge_fold_zero(p.bias, totals, end->has_range ? 0 : p.in_zero, outputs, biases);
  float *factors = memory_of(count * 4, 0), *offsets = memory_of(count * 4, 0);
  for (int64_t n = 0; n < outputs; n++)
    factors[n] = random_below(8) == 0 ? RANDOM_OF(scales) : 0.0002f * (float)(1 + random_below(40));
  fill_floats(offsets, outputs);
  a->weights = packed;
  end->scales = factors;
  end->biases = biases;
  end->totals = totals;
  end->weight_zeros = p.zeros ? weight_zeros : NULL;
  if (!p.zeros) free(weight_zeros);
  end->offsets = offsets;
  end->zero = (int32_t)random_below(256);
  end->low = random_below(2) ? 0 : (int32_t)random_below(256);
  end->high = random_below(2) ? 255 : end->low + (int32_t)random_below(256 - end->low);
  end->epilogue.has_residual = (int32_t)random_below(2);
  if (random_below(2)) end->epilogue.activation = (forge_activation){FORGE_CLAMP, 0, 6};
  if (random_below(4) == 0) {
    a->next = packed;
    a->next_bytes = forge_quantized_weight_bytes(outputs, taps, inputs, a->pixel_bytes);
  }
  return p;
}

static void free_problem(problem *p) {
  free(p->bases[IN]);
  free(p->bases[RESIDUAL]);
  free(p->bases[RANGE]);
  free(p->weights);
  free(p->bias);
  free(p->zeros);
  free((void *)p->a.weights);
  free((void *)p->a.end.totals);
  free((void *)p->a.end.biases);
  free((void *)p->a.end.weight_zeros);
  free((void *)p->a.end.scales);
  free((void *)p->a.end.offsets);
}

/* Runs a kernel in two halves of its tiles, the later first. Returns its output. */
static void *run(const problem *p, forge_kernel kernel, const void *arguments, int64_t tiles,
                 int64_t bytes) {
  float *bases[BASES];
  memcpy(bases, p->bases, sizeof bases);
  bases[OUT] = memory_of(bytes, 0xa5);
  const forge_frame frame = {.bases = bases};
  const int64_t half = random_below(tiles + 1);
  kernel(arguments, &frame, half, tiles);
  kernel(arguments, &frame, 0, half);
  return bases[OUT];
}

static void describe(const problem *p, const char *name) {
  const forge_quantized_convolution_arguments *a = &p->a;
  fprintf(
    stderr,
    "%s: %d x %d x %d to %d x %d x %d, kernel %d x %d, stride %d %d, dilation %d %d, pixel %d, "
    "form %d, flat %d, range %d, weight zeros %d\n",
    name, a->in.height, a->in.width, a->in.channels, a->out.height, a->out.width, a->out.channels,
    a->kernel_height, a->kernel_width, a->stride_y, a->stride_x, a->dilation_y, a->dilation_x,
    a->pixel_bytes, a->end.form, a->flat, a->end.has_range, a->end.weight_zeros != NULL);
}

/* Compares two outputs of bytes but for the padded lanes, or of words. */
static int64_t differences(const forge_view *view, int64_t bytes, const uint8_t *a,
                           const uint8_t *b, bool is_bytes) {
  int64_t count = 0;
  if (!is_bytes) {
    for (int64_t i = 0; i < bytes / 4; i++) {
      float x, y;
      memcpy(&x, a + 4 * i, 4);
      memcpy(&y, b + 4 * i, 4);
      /* The bits of a NaN are not compared. */
      count += memcmp(&x, &y, 4) != 0 && !(isnan(x) && isnan(y));
    }
    return count;
  }
  for (int64_t i = 0; i < bytes; i++) {
    const int64_t block = i / view->block_stride, lane = i % 64;
    if (block * 64 + lane < view->channels) count += a[i] != b[i];
  }
  return count;
}

static int check_definition(const problem *p, const uint8_t *out) {
  const forge_quantized_convolution_arguments *a = &p->a;
  const forge_sum_end *end = &a->end;
  for (int64_t y = 0; y < a->out.height; y++)
    for (int64_t x = 0; x < a->out.width; x++)
      for (int64_t n = 0; n < a->out.channels; n++) {
        const int32_t sum = defined_sum(p, n, y, x);
        bool equal = true;
        const int64_t place =
          a->out.offset + n / 16 * a->out.block_stride + y * a->out.row_stride + x * 16 + n % 16;
        if (end->form == FORGE_SUMS_AS_INTEGERS) {
          equal = memcmp(out + 4 * place, &sum, 4) == 0;
        } else if (end->form == FORGE_SUMS_TO_BYTES) {
          const double f = (double)((float)sum * end->scales[n]);
          double whole = isnan(f) ? end->low : nearbyint(f) + end->zero;
          whole = fmin(fmax(whole, end->low), end->high);
          equal = out[a->out.offset + n / 64 * a->out.block_stride + y * a->out.row_stride +
                      x * 64 + n % 64] == (uint8_t)whole;
        } else {
          float factor = end->scales[n], value;
          if (end->has_range)
            factor = p->bases[RANGE][2 * (y * a->out.width + x) * end->range_step] * factor;
          memcpy(&value, out + 4 * place, 4);
          float wanted = (float)sum * factor;
          wanted += end->offsets[n];
          const forge_view *r = &end->epilogue.residual;
          if (end->epilogue.has_residual)
            wanted +=
              p->bases[RESIDUAL][n / 16 * r->block_stride + y * r->row_stride + x * 16 + n % 16];
          if (end->epilogue.activation.kind == FORGE_CLAMP && !isnan(wanted))
            wanted = fminf(fmaxf(wanted, 0), 6);
          equal = value == wanted || (isnan(value) && isnan(wanted));
        }
        if (!equal) {
          describe(p, "scalar differs from the definition");
          return 1;
        }
      }
  return 0;
}

static int check_convolution(const byte_form *forms, int count) {
  problem p = problem_of();
  const bool is_bytes = p.a.end.form == FORGE_SUMS_TO_BYTES;
  const int64_t tiles = forge_quantized_convolution_tiles(&p.a);
  uint8_t *wanted =
    run(&p, forge_kernels(FORGE_SCALAR)->quantized_convolution, &p.a, tiles, p.out.bytes);
  int failed = check_definition(&p, wanted);
  for (int i = 0; i < count; i++) {
    if (!forms[i].runs) continue;
    uint8_t *out = run(&p, forms[i].convolution, &p.a, tiles, p.out.bytes);
    const int64_t wrong = differences(&p.a.out, p.out.bytes, wanted, out, is_bytes);
    if (wrong > 0) {
      fprintf(stderr, "%lld numbers: ", (long long)wrong);
      describe(&p, forms[i].name);
      failed = 1;
    }
    free(out);
  }
  free(wanted);
  free_problem(&p);
  return failed;
}

/* ---- depthwise ---- */

static int check_depthwise(const byte_form *forms, int count) {
  static const int64_t channels[] = {1, 16, 31, 64, 65, 96, 131};
  static const int32_t kernels[] = {1, 2, 3, 3, 3, 4, 5, 5, 7};
  problem p = {.is_unsigned = random_below(2)};
  const int64_t c = RANDOM_OF(channels);
  const int64_t height = 1 + random_below(9), width = 1 + random_below(19);
  forge_quantized_depthwise_arguments a = {
    .kernel_height = RANDOM_OF(kernels),
    .kernel_width = RANDOM_OF(kernels),
    .stride_y = (int32_t)(1 + random_below(3)),
    .stride_x = (int32_t)(1 + random_below(3)),
    .dilation_y = random_below(4) == 0 ? 2 : 1,
    .dilation_x = random_below(4) == 0 ? 2 : 1,
    .pad_top = (int32_t)random_below(4),
    .pad_left = (int32_t)random_below(4),
    .in_zero = (int32_t)random_below(256),
    .zero = (int32_t)random_below(256),
    .high = 128 + (int32_t)random_below(128),
  };
  a.low = random_below(2) ? 0 : (int32_t)random_below(a.high);
  const image in = byte_image(IN, height, width, c, 0, random_below(2), 64);
  const image out =
    byte_image(OUT, 1 + random_below(7), 1 + random_below(19), c, random_below(2), 0, 64);
  a.in = in.view;
  a.out = out.view;
  p.bases[IN] = memory_of(in.bytes, 0);
  fill((uint8_t *)p.bases[IN], in.bytes, (int)random_below(4));
  const int64_t taps = (int64_t)a.kernel_height * a.kernel_width;
  const int64_t padded = forge_quantized_outputs(c);
  p.weights = memory_of(c * taps, 0);
  fill(p.weights, c * taps, (int)random_below(4));
  float *factors = memory_of(c * 4, 0);
  p.bias = memory_of(c * 4, 0);
  for (int64_t i = 0; i < c; i++) {
    factors[i] = random_below(8) == 0 ? RANDOM_OF(scales) : 0.002f * (float)(1 + random_below(40));
    p.bias[i] = (int32_t)random_bits() >> 16;
  }
  int8_t *packed =
    memory_of(forge_quantized_depthwise_bytes(c, a.kernel_height, a.kernel_width), 9);
  float *packed_scales = memory_of(padded * 4, 9);
  int32_t *packed_biases = memory_of(padded * 4, 9);
  const forge_quantized_packing packing = {.weights = p.weights,
                                           .outputs = c,
                                           .taps = taps,
                                           .inputs = 1,
                                           .output_stride = taps,
                                           .tap_stride = 1,
                                           .is_unsigned = p.is_unsigned,
                                           .pixel_bytes = 64};
  forge_pack_quantized_depthwise(&packing, a.kernel_height, a.kernel_width, factors, p.bias,
                                 a.in_zero, packed, packed_scales, packed_biases);
  a.weights = packed;
  a.scales = packed_scales;
  a.biases = packed_biases;
  const int64_t tiles = forge_quantized_depthwise_tiles(&a);
  uint8_t *wanted = run(&p, forge_kernels(FORGE_SCALAR)->quantized_depthwise, &a, tiles, out.bytes);
  int failed = 0;
  for (int64_t y = 0; y < a.out.height && !failed; y++)
    for (int64_t x = 0; x < a.out.width && !failed; x++)
      for (int64_t n = 0; n < c && !failed; n++) {
        int64_t sum = p.bias[n];
        for (int64_t tap = 0; tap < taps; tap++) {
          const int64_t row = y * a.stride_y - a.pad_top + tap / a.kernel_width * a.dilation_y;
          const int64_t column = x * a.stride_x - a.pad_left + tap % a.kernel_width * a.dilation_x;
          if (row < 0 || row >= height || column < 0 || column >= width) continue;
          const uint8_t byte =
            ((uint8_t *)p.bases[IN])[n / 64 * a.in.block_stride + row * a.in.row_stride +
                                     column * 64 + n % 64];
          const uint8_t stored = p.weights[n * taps + tap];
          sum +=
            ((int64_t)byte - a.in_zero) * (p.is_unsigned ? (int64_t)stored - 128 : (int8_t)stored);
        }
        const double f = (double)((float)(int32_t)sum * factors[n]);
        double whole = isnan(f) ? a.low : nearbyint(f) + a.zero;
        whole = fmin(fmax(whole, a.low), a.high);
        failed = wanted[a.out.offset + n / 64 * a.out.block_stride + y * a.out.row_stride + x * 64 +
                        n % 64] != (uint8_t)whole;
        if (failed) fprintf(stderr, "scalar depthwise differs from the definition\n");
      }
  for (int i = 0; i < count; i++) {
    if (!forms[i].runs) continue;
    uint8_t *got = run(&p, forms[i].depthwise, &a, tiles, out.bytes);
    const int64_t wrong = differences(&a.out, out.bytes, wanted, got, true);
    if (wrong > 0) {
      fprintf(stderr,
              "%s: %lld numbers: depthwise %d x %d of %d x %d x %d, stride %d %d, pad %d %d\n",
              forms[i].name, (long long)wrong, a.kernel_height, a.kernel_width, a.in.height,
              a.in.width, a.in.channels, a.stride_y, a.stride_x, a.pad_top, a.pad_left);
      failed = 1;
    }
    free(got);
  }
  free(wanted);
  free(packed);
  free(packed_scales);
  free(packed_biases);
  free(factors);
  free(p.bases[IN]);
  free(p.weights);
  free(p.bias);
  return failed;
}

#include "check_nibbles.h"

int main(int count, char **words) {
  const int64_t rounds = count > 1 ? atoll(words[1]) : 400;
  byte_form forms[8];
  const int all = forms_of(forms);
  for (int i = 0; i < all; i++)
    printf("bytes: %s %s\n", forms[i].name,
           forms[i].runs ? "is tried" : "is SKIPPED: this processor lacks its instructions");
  int64_t failures = 0;
  for (int64_t i = 0; i < rounds && failures < 10; i++) {
    failures += check_convolution(forms, all);
    failures += check_depthwise(forms, all);
    failures += check_nibbles(forms, all);
  }
  printf("bytes: %lld products of each kind, %lld differences\n", (long long)rounds,
         (long long)failures);
  return failures > 0;
}
