/* Compares the kernels on images of bytes, other than products, with the scalar ones, and those
 * with their definitions, on odd sizes and extreme numbers. Scripts/check bytes builds and runs it.
 */
#include "harness.h"

static const float scales[] = {0.02f,  0.5f, 1,      3e-6f,    1e-38f, 1e38f,
                               1e-41f, 0,    -0.01f, INFINITY, NAN};
static const float numbers[] = {0,      -0.0f, 0.5f,   1.5f, 2.5f,     -0.5f,     1e-45f, 3e38f,
                                -3e38f, 1e10f, -1e10f, NAN,  INFINITY, -INFINITY, 127.5f, 32767.5f};
static const int64_t channel_counts[] = {1, 3, 15, 16, 17, 33, 47, 63, 64, 65, 100, 129};

static int64_t failures;

static void report(const char *kernel, const char *level) {
  fprintf(stderr, "%s: %s differs\n", kernel, level);
  failures++;
}

static void fill_bytes(float *p, int64_t count) {
  const bool extreme = random_below(3) == 0;
  for (int64_t i = 0; i < count; i++)
    ((uint8_t *)p)[i] = extreme ? (random_bits() & 1 ? 255 : 0) : (uint8_t)random_bits();
}

static void fill_floats(float *p, int64_t count) {
  const bool hostile = random_below(3) == 0;
  for (int64_t i = 0; i < count; i++)
    p[i] = hostile ? RANDOM_OF(numbers) : (float)((int32_t)random_bits() >> 16) / 256;
}

/* Compares outputs: words, or bytes of an image of which only the channels count. */
static bool are_equal(const image *out, const void *a, const void *b, int64_t pixel) {
  const uint8_t *x = a, *y = b;
  for (int64_t i = 0; i < out->bytes; i++) {
    if (pixel == 64 && i / out->view.block_stride * 64 + i % 64 >= out->view.channels) continue;
    if (pixel == 4) { /* floats: the bits of a NaN are not compared */
      float p, q;
      memcpy(&p, x + i / 4 * 4, 4);
      memcpy(&q, y + i / 4 * 4, 4);
      if (isnan(p) && isnan(q)) continue;
    }
    if (x[i] != y[i]) return false;
  }
  return true;
}

/* What a kernel of the list is tried with. */
typedef struct {
  const char *name;
  const void *arguments;
  int64_t tiles;
  image out;
  int64_t pixel; /* 64: bytes in blocks, 4: floats, 1: all bytes count */

} trial;

static void *run(const trial *t, forge_kernel kernel, float **bases) {
  bases[OUT] = memory_of(t->out.bytes, 0xa5);
  const forge_frame frame = {.bases = bases};
  const int64_t half = random_below(t->tiles + 1);
  kernel(t->arguments, &frame, half, t->tiles);
  kernel(t->arguments, &frame, 0, half);
  return bases[OUT];
}

/* Runs a kernel at every level. Returns the scalar output. */
#define TRY(kernel, t, bases) try_kernel(t, bases, offsetof(forge_kernel_table, kernel))
static uint8_t *try_kernel(const trial *t, float **bases, size_t field) {
  uint8_t *wanted = NULL;
  for (int level = FORGE_SCALAR; level <= FORGE_AVX512; level++) {
    const forge_kernel_table *table = forge_kernels((forge_level)level);
    if (!table) continue;
    forge_kernel kernel;
    memcpy(&kernel, (const char *)table + field, sizeof kernel);
    uint8_t *out = run(t, kernel, bases);
    if (level == FORGE_SCALAR) {
      wanted = out;
      continue;
    }
    if (!are_equal(&t->out, wanted, out, t->pixel)) report(t->name, table->name);
    free(out);
  }
  return wanted;
}

/* The byte of f, by the definition. */
static uint8_t defined_byte(double f, int32_t zero, int32_t low, int32_t high) {
  if (isnan(f)) return (uint8_t)low;
  return (uint8_t)fmin(fmax(nearbyint(f) + zero, low), high);
}

static uint8_t byte_of(const image *i, const void *base, int64_t y, int64_t x, int64_t c) {
  return ((const uint8_t *)base)[i->view.offset + c / 64 * i->view.block_stride +
                                 y * i->view.row_stride + x * 64 + c % 64];
}

static float float_of(const image *i, const float *base, int64_t y, int64_t x, int64_t c) {
  return base[i->view.offset + c / 16 * i->view.block_stride + y * i->view.row_stride + x * 16 +
              c % 16];
}

typedef struct {
  int64_t height, width, channels;
} sizes;

static sizes some_sizes(void) {
  return (sizes){1 + random_below(5), 1 + random_below(35), RANDOM_OF(channel_counts)};
}

static void check_quantize(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, random_below(2));
  const image out = byte_image(OUT, s.height, s.width, s.channels, random_below(2), 0, 64);
  float *bases[BASES] = {0};
  bases[IN] = memory_of(in.bytes, 0);
  fill_floats(bases[IN], in.bytes / 4);
  forge_quantize_arguments a = {.in = in.view,
                                .out = out.view,
                                .scale = RANDOM_OF(scales),
                                .zero = (int32_t)random_below(256),
                                .high = 255,
                                .range = {.base = RANGE}};
  if (random_below(2)) a.low = a.zero;
  const forge_quantization q = {RANDOM_OF(scales), (int32_t)random_below(256)};
  bases[RANGE] = memory_of(sizeof q, 0);
  memcpy(bases[RANGE], &q, sizeof q);
  a.has_range = (int32_t)random_below(2);
  const trial t = {"quantize", &a, forge_quantize_tiles(&a), out, 64};
  uint8_t *got = TRY(quantize, &t, bases);
  const forge_quantization used = a.has_range ? q : (forge_quantization){a.scale, a.zero};
  for (int64_t y = 0; y < s.height; y++)
    for (int64_t x = 0; x < s.width; x++)
      for (int64_t c = 0; c < s.channels; c++) {
        const float f = float_of(&in, bases[IN], y, x, c) / used.scale;
        if (byte_of(&out, got, y, x, c) != defined_byte((double)f, used.zero, a.low, a.high)) {
          report(t.name, "the definition");
          y = s.height, x = s.width, c = s.channels;
        }
      }
  free(got);
  free(bases[IN]);
  free(bases[RANGE]);
}

static void check_dequantize(void) {
  const sizes s = some_sizes();
  const image in = byte_image(IN, s.height, s.width, s.channels, random_below(2), 0, 64);
  const image out = float_image(OUT, s.height, s.width, s.channels, random_below(2));
  float *bases[BASES] = {0};
  bases[IN] = memory_of(in.bytes, 0);
  fill_bytes(bases[IN], in.bytes);
  const forge_dequantize_arguments a = {
    .in = in.view, .out = out.view, .scale = RANDOM_OF(scales), .zero = (int32_t)random_below(256)};
  const trial t = {"dequantize", &a, forge_dequantize_tiles(&a), out, 4};
  float *got = (float *)TRY(dequantize, &t, bases);
  for (int64_t y = 0; y < s.height; y++)
    for (int64_t x = 0; x < s.width; x++)
      for (int64_t c = 0; c < s.channels; c++) {
        const float f = (float)(byte_of(&in, bases[IN], y, x, c) - a.zero) * a.scale;
        const float g = float_of(&out, got, y, x, c);
        if (f != g && !(isnan(f) && isnan(g))) {
          report(t.name, "the definition");
          y = s.height, x = s.width, c = s.channels;
        }
      }
  free(got);
  free(bases[IN]);
}

static void check_pixels(void) {
  const int64_t height = 1 + random_below(4), width = 1 + random_below(40);
  const int64_t channels = 1 + random_below(4);
  const bool is_bytes = random_below(3) == 0;
  forge_quantize_pixels_arguments a = {
    .in = {.base = IN,
           .height = (int32_t)height,
           .width = (int32_t)width,
           .channels = (int32_t)channels,
           .row_stride = width * channels},
    .in_is_bytes = is_bytes,
    .flip = random_below(2) ? 128 : 0,
    .scale = RANDOM_OF(scales),
    .zero = (int32_t)random_below(256),
    .high = 255,
    .top = (int32_t)random_below(4),
    .left = (int32_t)random_below(4),
    .bottom = (int32_t)random_below(4),
    .right = (int32_t)random_below(4),
  };
  const int64_t row = (a.left + width + a.right) * 4;
  const image out = {.view = {.base = OUT,
                              .height = (int32_t)height,
                              .width = (int32_t)width,
                              .channels = (int32_t)channels,
                              .offset = a.top * row + a.left * 4,
                              .row_stride = row},
                     .bytes = (a.top + height + a.bottom) * row};
  a.out = out.view;
  float *bases[BASES] = {0};
  const int64_t count = height * width * channels;
  bases[IN] = memory_of(is_bytes ? count : 4 * count, 0);
  if (is_bytes)
    fill_bytes(bases[IN], count);
  else
    fill_floats(bases[IN], count);
  const trial t = {"quantize_pixels", &a, forge_quantize_pixels_tiles(&a), out, 1};
  uint8_t *got = TRY(quantize_pixels, &t, bases);
  for (int64_t i = 0; i < out.bytes; i++) {
    const int64_t y = i / row - a.top, x = i % row / 4 - a.left, c = i % 4;
    uint8_t wanted = (uint8_t)a.zero;
    const int64_t at = (y * width + x) * channels + c;
    if (y >= 0 && y < height && x >= 0 && x < width && c < channels)
      wanted = is_bytes ? ((uint8_t *)bases[IN])[at] ^ (uint8_t)a.flip
                        : defined_byte((double)(bases[IN][at] / a.scale), a.zero, 0, 255);
    if (got[i] != wanted) {
      report(t.name, "the definition");
      break;
    }
  }
  free(got);
  free(bases[IN]);
}

static void check_moves(void) {
  const sizes s = some_sizes();
  const image blocked = byte_image(OUT, s.height, s.width, s.channels, 2, 0, 64);
  const forge_view plain = {.base = IN,
                            .height = (int32_t)s.height,
                            .width = (int32_t)s.width,
                            .channels = (int32_t)s.channels,
                            .row_stride = s.width * s.channels};
  float *bases[BASES] = {0};
  const int64_t count = s.height * s.width * s.channels;
  bases[IN] = memory_of(count, 0);
  fill_bytes(bases[IN], count);
  const forge_byte_block_arguments in = {plain, blocked.view, 128};
  const trial t = {"byte_block", &in, forge_byte_block_tiles(&in), blocked, 64};
  uint8_t *there = TRY(byte_block, &t, bases);
  uint8_t table[256];
  for (int i = 0; i < 256; i++) table[i] = (uint8_t)(i * 7 + 3);
  /* Through a table, into the middle of another image, and back. */
  const int64_t first = random_below(70);
  const image wide = byte_image(OUT, s.height, s.width, s.channels + first + 5, 1, 0, 64);
  float *original = bases[IN];
  bases[IN] = (float *)there;
  const forge_byte_copy_channels_arguments copy = {
    .in = blocked.view, .out = wide.view, .first_channel = (int32_t)first, .table = table};
  forge_byte_copy_channels_arguments from = copy;
  from.in.base = IN;
  const trial moved = {"byte_copy_channels", &from, forge_byte_copy_channels_tiles(&from), wide,
                       64};
  uint8_t *got = TRY(byte_copy_channels, &moved, bases);
  for (int64_t i = 0; i < count; i++) {
    const int64_t y = i / s.channels / s.width, x = i / s.channels % s.width, c = i % s.channels;
    const uint8_t byte = ((uint8_t *)original)[i] ^ 128;
    if (byte_of(&blocked, there, y, x, c) != byte ||
        byte_of(&wide, got, y, x, first + c) != table[byte]) {
      report("byte_block or byte_copy_channels", "the definition");
      break;
    }
  }
  free(got);
  const image back = {.view = plain, .bytes = count};
  forge_byte_unblock_arguments out = {blocked.view, plain, 128};
  out.in.base = IN;
  out.out.base = OUT;
  const trial returned = {"byte_unblock", &out, forge_byte_unblock_tiles(&out), back, 1};
  got = TRY(byte_unblock, &returned, bases);
  if (memcmp(got, original, (size_t)count) != 0) report("byte_unblock", "the definition");
  free(got);
  forge_byte_lookup_arguments lookup = {blocked.view, blocked.view, table};
  lookup.in.base = IN;
  const trial looked = {"byte_lookup", &lookup, forge_byte_lookup_tiles(&lookup), blocked, 64};
  got = TRY(byte_lookup, &looked, bases);
  for (int64_t i = 0; i < count; i++) {
    const int64_t y = i / s.channels / s.width, x = i / s.channels % s.width, c = i % s.channels;
    if (byte_of(&blocked, got, y, x, c) != table[byte_of(&blocked, there, y, x, c)]) {
      report("byte_lookup", "the definition");
      break;
    }
  }
  free(got);
  const forge_byte_halo_arguments halo = {blocked.view, 2, 1, 2, 2, 77};
  const trial filled = {"byte_halo", &halo, forge_byte_halo_tiles(&halo), blocked, 1};
  got = TRY(byte_halo, &filled, bases);
  int64_t border = 0;
  for (int64_t i = 0; i < blocked.bytes; i++) border += got[i] == 77;
  const int64_t blocks = forge_byte_blocks(s.channels);
  if (border != blocks * 64 * ((s.height + 4) * (s.width + 3) - s.height * s.width))
    report("byte_halo", "the definition");
  free(got);
  free(there);
  free(original);
}

static void check_binary(void) {
  const sizes s = some_sizes();
  const image out = byte_image(OUT, s.height, s.width, s.channels, 1, 0, 64);
  const bool repeats = random_below(3) == 0;
  const image a = byte_image(IN, s.height, s.width, s.channels, 0, 0, 64);
  const image b = repeats
    ? byte_image(OTHER, 1, 1, s.channels, 0, 0, 64)
    : byte_image(OTHER, s.height, s.width, s.channels, random_below(2), 0, 64);
  float *bases[BASES] = {0};
  bases[IN] = memory_of(a.bytes, 0);
  bases[OTHER] = memory_of(b.bytes, 0);
  fill_bytes(bases[IN], a.bytes);
  fill_bytes(bases[OTHER], b.bytes);
  const forge_quantized_binary_arguments p = {
    .a = a.view,
    .b = b.view,
    .out = out.view,
    .operation = (int32_t)random_below(2),
    .a_factor = RANDOM_OF(scales),
    .b_factor = RANDOM_OF(scales),
    .a_zero = (int32_t)random_below(256),
    .b_zero = (int32_t)random_below(256),
    .zero = (int32_t)random_below(256),
    .low = (int32_t)random_below(20),
    .high = 255 - (int32_t)random_below(20),
  };
  const trial t = {"quantized_binary", &p, forge_quantized_binary_tiles(&p), out, 64};
  uint8_t *got = TRY(quantized_binary, &t, bases);
  for (int64_t i = 0; i < s.height * s.width * s.channels; i++) {
    const int64_t y = i / s.channels / s.width, x = i / s.channels % s.width, c = i % s.channels;
    const int32_t left = byte_of(&a, bases[IN], y, x, c) - p.a_zero;
    const int32_t right = byte_of(&b, bases[OTHER], repeats ? 0 : y, repeats ? 0 : x, c) - p.b_zero;
    volatile float f = (float)left * p.a_factor, g = (float)right * p.b_factor;
    f = p.operation == FORGE_BYTES_ADD ? f + g : (float)(left * right) * p.a_factor;
    f = f + (float)p.zero;
    if (byte_of(&out, got, y, x, c) != defined_byte((double)f, 0, p.low, p.high)) {
      report(t.name, "the definition");
      break;
    }
  }
  free(got);
  free(bases[IN]);
  free(bases[OTHER]);
}

static void check_pooling(void) {
  const sizes s = some_sizes();
  const image in = byte_image(IN, s.height, s.width, s.channels, random_below(2), 0, 64);
  const image out =
    byte_image(OUT, 1 + random_below(5), 1 + random_below(9), s.channels, random_below(2), 0, 64);
  float *bases[BASES] = {0};
  bases[IN] = memory_of(in.bytes, 0);
  fill_bytes(bases[IN], in.bytes);
  const bool global = random_below(4) == 0;
  const forge_quantized_pooling_arguments a = {
    .in = in.view,
    .out = out.view,
    .kind = (int32_t)random_below(3),
    .kernel_height = global ? (int32_t)s.height : (int32_t)(1 + random_below(4)),
    .kernel_width = global ? (int32_t)s.width : (int32_t)(1 + random_below(4)),
    .stride_y = (int32_t)(1 + random_below(3)),
    .stride_x = (int32_t)(1 + random_below(3)),
    .dilation_y = (int32_t)(1 + random_below(2)),
    .dilation_x = (int32_t)(1 + random_below(2)),
    .pad_top = (int32_t)random_below(3),
    .pad_left = (int32_t)random_below(3),
    .factor = RANDOM_OF(scales),
    .in_zero = (int32_t)random_below(256),
    .zero = (int32_t)random_below(256),
    .low = (int32_t)random_below(20),
    .high = 255 - (int32_t)random_below(20),
  };
  const trial t = {"quantized_pooling", &a, forge_quantized_pooling_tiles(&a), out, 64};
  uint8_t *got = TRY(quantized_pooling, &t, bases);
  for (int64_t i = 0; i < (int64_t)a.out.height * a.out.width * s.channels; i++) {
    const int64_t x = i / s.channels % a.out.width, y = i / s.channels / a.out.width;
    const int64_t c = i % s.channels;
    int64_t sum = 0, count = 0, largest = 0;
    for (int64_t tap = 0; tap < (int64_t)a.kernel_height * a.kernel_width; tap++) {
      const int64_t row = y * a.stride_y - a.pad_top + tap / a.kernel_width * a.dilation_y;
      const int64_t column = x * a.stride_x - a.pad_left + tap % a.kernel_width * a.dilation_x;
      if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
      const uint8_t byte = byte_of(&in, bases[IN], row, column, c);
      largest = byte > largest ? byte : largest;
      sum += byte - a.in_zero;
      count++;
    }
    uint8_t wanted = count > 0 ? (uint8_t)largest : (uint8_t)a.in_zero;
    if (a.kind != FORGE_POOL_MAXIMUM) {
      const int64_t all = (int64_t)a.kernel_height * a.kernel_width;
      const int64_t n = a.kind == FORGE_POOL_AVERAGE_ALL ? all : count > 0 ? count : 1;
      volatile float factor = a.factor / (float)n;
      wanted = defined_byte((double)((float)sum * factor), a.zero, a.low, a.high);
    }
    if (byte_of(&out, got, y, x, c) != wanted) {
      report(t.name, "the definition");
      break;
    }
  }
  free(got);
  free(bases[IN]);
}

static void check_range(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, random_below(2));
  float *bases[BASES] = {0};
  bases[IN] = memory_of(in.bytes, 0);
  fill_floats(bases[IN], in.bytes / 4);
  const forge_float_range_arguments a = {in.view, {.base = OUT}};
  const image rows = {.bytes = 4 * forge_float_range_words(&a)};
  const trial t = {"float_range", &a, forge_float_range_tiles(&a), rows, 1};
  bases[OTHER] = (float *)TRY(float_range, &t, bases);
  const forge_dynamic_range_arguments d = {
    .rows = {.base = OTHER}, .range = {.base = OUT}, .count = t.tiles};
  const image range = {.bytes = sizeof(forge_quantization)};
  const trial u = {"dynamic_range", &d, 1, range, 4};
  forge_quantization *got = (forge_quantization *)TRY(dynamic_range, &u, bases);
  float low = 0, high = 0;
  bool has_nan = false;
  for (int64_t i = 0; i < s.height * s.width * s.channels; i++) {
    const float x =
      float_of(&in, bases[IN], i / s.channels / s.width, i / s.channels % s.width, i % s.channels);
    has_nan |= isnan(x);
    low = x < low ? x : low;
    high = x > high ? x : high;
  }
  if (has_nan) {
    if (!isnan(got->scale)) report(u.name, "the definition for NaN");
  } else {
    volatile float scale = high == low ? 1 : (high - low) / 255;
    volatile float zero = 0 - low / scale;
    const float whole = isnan(zero) ? 0 : nearbyintf(fminf(fmaxf(zero, 0), 255));
    if (got->scale != scale || got->zero != (int32_t)whole) report(u.name, "the definition");
  }
  free(got);
  free(bases[OTHER]);
  free(bases[IN]);
}

int main(int count, char **words) {
  const int64_t rounds = count > 1 ? atoll(words[1]) : 400;
  void (*const checks[])(void) = {check_quantize, check_dequantize, check_pixels, check_moves,
                                  check_binary,   check_pooling,    check_range};
  for (int64_t i = 0; i < rounds && failures < 10; i++)
    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++) checks[k]();
  printf("bytes: %lld images of each kind, %lld differences\n", (long long)rounds,
         (long long)failures);
  return failures > 0;
}
