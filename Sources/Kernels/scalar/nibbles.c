/* 4-bit weights: digits, packing, and products one at a time. */
#include "../quantized.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

int64_t forge_nibble_digit_words(const forge_nibble_digits_arguments *a) {
  return (int64_t)a->in.height * a->in.width * forge_quotient_up(a->in.channels, a->group) *
    forge_digit_group_words(a->group);
}

/* Writes the digits of up to `group` floats. */
static void write_digits(const float *x, int64_t count, int64_t group, float *to) {
  float most = 0;
  for (int64_t i = 0; i < count; i++) {
    const float magnitude = fabsf(x[i]);
    if (!(magnitude <= most)) most = magnitude;
    if (most != most) break;
  }
  forge_digit_group head = {.scale = 1};
  int8_t *digits = (int8_t *)forge_digits_of(to);
  memset(digits, 0, (size_t)(FORGE_DIGITS * group));
  if (!(most < INFINITY)) {
    head.scale = NAN;
  } else if (most > 0) {
    /* The largest has 22 bits and a sign. The factor is a normal number. */
    const int exponent = ilogbf(most) < -100 ? -100 : ilogbf(most);
    const double factor = ldexp(1, 21 - exponent);
    head.scale = ldexpf(1, exponent - 21);
    for (int64_t i = 0; i < count; i++) {
      int32_t rest = (int32_t)rint((double)x[i] * factor);
      for (int64_t d = 0; d < FORGE_DIGITS; d++) {
        const int32_t digit = ((rest + 128) & 255) - 128;
        digits[d * group + i] = (int8_t)digit;
        head.sums[d] += digit;
        rest = (rest - digit) / 256;
      }
    }
  }
  memcpy(to, &head, sizeof head);
}

FORGE_SCALAR(nibble_digits) {
  const forge_nibble_digits_arguments *a = arguments;
  const int64_t groups = forge_quotient_up(a->in.channels, a->group);
  const int64_t words = forge_digit_group_words(a->group);
  float *digits = forge_origin(&a->digits, frame);
  for (int64_t row = first; row < last; row++) {
    const float *in =
      forge_row(&a->in, frame, 0, row / a->in.width) + row % a->in.width * FORGE_LANES;
    for (int64_t g = 0; g < groups; g++) {
      float x[FORGE_LANES * FORGE_LANES];
      const int64_t from = g * a->group;
      const int64_t count = forge_smaller(a->group, a->in.channels - from);
      for (int64_t i = 0; i < count; i++)
        x[i] = in[(from + i) / FORGE_LANES * a->in.block_stride + (from + i) % FORGE_LANES];
      write_digits(x, count, a->group, digits + (row * groups + g) * words);
    }
  }
}

int64_t forge_nibble_bytes(int64_t outputs, int64_t inputs, int32_t group) {
  return forge_blocks(outputs) * FORGE_LANES * forge_quotient_up(inputs, group) * group / 2;
}

/* The weight of an input of a group, 0 ... 15. */
static int32_t nibble_at(const uint8_t *group, int64_t lane, int64_t input) {
  const uint8_t byte = group[(input / 8 * FORGE_LANES + lane) * FORGE_QUAD + input % FORGE_QUAD];
  return input % 8 < 4 ? byte & 15 : byte >> 4;
}

void forge_pack_nibbles(const uint8_t *weights, const float *scales, const uint8_t *zeros,
                        int64_t outputs, int64_t inputs, int32_t group, uint8_t *packed,
                        float *packed_scales, uint8_t *packed_zeros) {
  const int64_t groups = forge_quotient_up(inputs, group), bytes = group / 2;
  const int64_t padded = forge_blocks(outputs) * FORGE_LANES;
  memset(packed, 0, (size_t)forge_nibble_bytes(outputs, inputs, group));
  for (int64_t n = 0; n < padded; n++)
    for (int64_t g = 0; g < groups; g++) {
      const int64_t place = (n / FORGE_LANES * groups + g) * FORGE_LANES + n % FORGE_LANES;
      const bool exists = n < outputs;
      packed_scales[place] = exists ? scales[n * groups + g] : 0;
      if (packed_zeros) {
        const uint8_t pair = exists ? zeros[n * forge_quotient_up(groups, 2) + g / 2] : 0;
        packed_zeros[place] = g % 2 == 0 ? pair & 15 : pair >> 4;
      }
      if (!exists) continue;
      uint8_t *to = packed + (n / FORGE_LANES * groups + g) * bytes * FORGE_LANES;
      const uint8_t *from = weights + (n * groups + g) * bytes;
      for (int64_t i = 0; i < group; i++) {
        const int32_t nibble = i % 2 == 0 ? from[i / 2] & 15 : from[i / 2] >> 4;
        uint8_t *byte = to + (i / 8 * FORGE_LANES + n % FORGE_LANES) * FORGE_QUAD + i % FORGE_QUAD;
        *byte = (uint8_t)(*byte | (i % 8 < 4 ? nibble : nibble << 4));
      }
    }
}

static FORGE_SCALAR_NUMBER(nibble_sum) {
  const forge_nibble_product_arguments *a = arguments;
  const int64_t groups = forge_quotient_up(a->inputs, a->group);
  const int64_t words = forge_digit_group_words(a->group);
  const int64_t block = o / FORGE_LANES, lane = o % FORGE_LANES;
  const float *digits = forge_origin(&a->digits, frame) + (y * a->out.width + x) * groups * words;
  float total = 0;
  for (int64_t g = 0; g < groups; g++, digits += words) {
    const forge_digit_group head = forge_digit_group_at(digits);
    const int64_t place = (block * groups + g) * FORGE_LANES;
    const uint8_t *weights = a->weights + place * (a->group / 2);
    const int32_t zero = a->zeros ? a->zeros[place + lane] : 8;
    float parts[FORGE_DIGITS];
    for (int64_t d = 0; d < FORGE_DIGITS; d++) {
      int32_t sum = -zero * head.sums[d];
      for (int64_t i = 0; i < a->group; i++)
        sum += nibble_at(weights, lane, i) * forge_digits_of(digits)[d * a->group + i];
      parts[d] = (float)sum;
    }
    const float upper = parts[2] * 65536, middle = parts[1] * 256;
    const float sum = (upper + middle) + parts[0];
    const float scale = head.scale * a->scales[place + lane];
    const float product = sum * scale;
    total += product;
  }
  return a->offsets ? total + a->offsets[o] : total;
}

FORGE_SCALAR(nibble_product) {
  const forge_nibble_product_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  for (int64_t block = first; block < last; block++)
    for (int64_t y = 0; y < a->out.height; y++) {
      const scalar_output output = {
        &a->out, e->activation, e->has_residual ? &e->residual : NULL, FORGE_LANES, 1, false};
      const int64_t tile = block * a->out.height + y;
      scalar_tiles(&output, nibble_sum, arguments, frame, tile, tile + 1);
    }
}
