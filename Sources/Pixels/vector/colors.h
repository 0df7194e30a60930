/* Colors of frames, orders of channels, and alpha. Pixels that do not fill a vector are left to the
 * scalar form. */

/* Stores sixteen colors as whole pixels: the light of y, and what u and v add. */
#define FORGE_STORE_COLORS(y, red, green, blue, m, out)                           \
  do {                                                                            \
    const i32x16 raised_ = FORGE_WIDE(i32x16, FORGE_LOAD(u8x16, y)) - (m)->black; \
    const i32x16 light_ =                                                         \
      __builtin_elementwise_max(raised_, (i32x16){0}) * (m)->y_scale + (1 << 19); \
    const i32x16 r_ = FORGE_AS_BYTES((light_ + (red)) >> 20);                     \
    const i32x16 g_ = FORGE_AS_BYTES((light_ + (green)) >> 20);                   \
    const i32x16 b_ = FORGE_AS_BYTES((light_ + (blue)) >> 20);                    \
    FORGE_STORE(out, r_ | g_ << 8 | b_ << 16 | (int32_t)0xFF000000);              \
  } while (0)

/* What u and v add to red, green and blue: of 8 lanes, or of 16. */
#define FORGE_CHROMA(type, u, v, m)                                          \
  const type u_ = FORGE_WIDE(type, u) - 128, v_ = FORGE_WIDE(type, v) - 128; \
  const type red = v_ * (m)->v_red;                                          \
  const type green = v_ * (m)->v_green + u_ * (m)->u_green;                  \
  const type blue = u_ * (m)->u_blue;

static void FORGE_FORM(from_planar)(const uint8_t *y, const uint8_t *u, const uint8_t *v,
                                    int64_t count, const forge_color_matrix *matrix, uint8_t *out) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    FORGE_CHROMA(i32x8, FORGE_LOAD(u8x8, u + i / 2), FORGE_LOAD(u8x8, v + i / 2), matrix)
    FORGE_STORE_COLORS(y + i, FORGE_TWICE(red), FORGE_TWICE(green), FORGE_TWICE(blue), matrix,
                       out + 4 * i);
  }
  if (i < count)
    forge_pixel_rows_scalar.from_planar(y + i, u + i / 2, v + i / 2, count - i, matrix,
                                        out + 4 * i);
}

static void FORGE_FORM(from_paired)(const uint8_t *y, const uint8_t *u, const uint8_t *v,
                                    int64_t count, const forge_color_matrix *matrix, uint8_t *out) {
  const uint8_t *pairs = u < v ? u : v;
  const bool exchanged = v < u;
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const u8x16 all = FORGE_LOAD(u8x16, pairs + i);
    const u8x8 even = __builtin_shufflevector(all, all, 0, 2, 4, 6, 8, 10, 12, 14);
    const u8x8 odd = __builtin_shufflevector(all, all, 1, 3, 5, 7, 9, 11, 13, 15);
    FORGE_CHROMA(i32x8, exchanged ? odd : even, exchanged ? even : odd, matrix)
    FORGE_STORE_COLORS(y + i, FORGE_TWICE(red), FORGE_TWICE(green), FORGE_TWICE(blue), matrix,
                       out + 4 * i);
  }
  if (i < count)
    forge_pixel_rows_scalar.from_paired(y + i, u + i, v + i, count - i, matrix, out + 4 * i);
}

static void FORGE_FORM(from_full)(const uint8_t *y, const uint8_t *u, const uint8_t *v,
                                  int64_t count, const forge_color_matrix *matrix, uint8_t *out) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    FORGE_CHROMA(i32x16, FORGE_LOAD(u8x16, u + i), FORGE_LOAD(u8x16, v + i), matrix)
    FORGE_STORE_COLORS(y + i, red, green, blue, matrix, out + 4 * i);
  }
  if (i < count)
    forge_pixel_rows_scalar.from_full(y + i, u + i, v + i, count - i, matrix, out + 4 * i);
}

/* ---- orders of channels ---- */

/* Four pixels of three bytes from 16, of which the last 4 are not used; 255 stands behind. */
#define FORGE_FROM_THREE(name, r, g, b)                                                       \
  static void FORGE_FORM(name)(const uint8_t *in, int64_t count, uint8_t *out) {              \
    const u8x16 opaque = (u8x16){0} + 255;                                                    \
    int64_t i = 0;                                                                            \
    for (; i + 6 <= count; i += 4) {                                                          \
      const u8x16 all = FORGE_LOAD(u8x16, in + 3 * i);                                        \
      FORGE_STORE(out + 4 * i,                                                                \
                  __builtin_shufflevector(all, opaque, r, g, b, 16, r + 3, g + 3, b + 3, 16,  \
                                          r + 6, g + 6, b + 6, 16, r + 9, g + 9, b + 9, 16)); \
    }                                                                                         \
    if (i < count) forge_pixel_rows_scalar.name(in + 3 * i, count - i, out + 4 * i);          \
  }
FORGE_FROM_THREE(from_rgb, 0, 1, 2)
FORGE_FROM_THREE(from_bgr, 2, 1, 0)
#undef FORGE_FROM_THREE

/* Four bytes of each pixel in another order. */
#define FORGE_OF_FOUR(name, a, b, c, d)                                                           \
  static void FORGE_FORM(name)(const uint8_t *in, int64_t count, uint8_t *out) {                  \
    int64_t i = 0;                                                                                \
    for (; i + 8 <= count; i += 8) {                                                              \
      const u8x32 v = FORGE_LOAD(u8x32, in + 4 * i);                                              \
      FORGE_STORE(out + 4 * i,                                                                    \
                  __builtin_shufflevector(v, v, a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8,    \
                                          b + 8, c + 8, d + 8, a + 12, b + 12, c + 12, d + 12,    \
                                          a + 16, b + 16, c + 16, d + 16, a + 20, b + 20, c + 20, \
                                          d + 20, a + 24, b + 24, c + 24, d + 24, a + 28, b + 28, \
                                          c + 28, d + 28));                                       \
    }                                                                                             \
    if (i < count) forge_pixel_rows_scalar.name(in + 4 * i, count - i, out + 4 * i);              \
  }
FORGE_OF_FOUR(exchange, 2, 1, 0, 3)
FORGE_OF_FOUR(from_argb, 1, 2, 3, 0)
FORGE_OF_FOUR(to_argb, 3, 0, 1, 2)
#undef FORGE_OF_FOUR

/* Three bytes of each of four pixels; the 4 bytes that are stored behind them are written again by
 * the next pixels, so that the last ones are left to the scalar form. */
#define FORGE_TO_THREE(name, r, g, b)                                                              \
  static void FORGE_FORM(name)(const uint8_t *in, int64_t count, uint8_t *out) {                   \
    int64_t i = 0;                                                                                 \
    for (; i + 6 <= count; i += 4) {                                                               \
      const u8x16 v = FORGE_LOAD(u8x16, in + 4 * i);                                               \
      FORGE_STORE(out + 3 * i,                                                                     \
                  __builtin_shufflevector(v, v, r, g, b, r + 4, g + 4, b + 4, r + 8, g + 8, b + 8, \
                                          r + 12, g + 12, b + 12, 3, 7, 11, 15));                  \
    }                                                                                              \
    if (i < count) forge_pixel_rows_scalar.name(in + 4 * i, count - i, out + 3 * i);               \
  }
FORGE_TO_THREE(to_rgb, 0, 1, 2)
FORGE_TO_THREE(to_bgr, 2, 1, 0)
#undef FORGE_TO_THREE

/* ---- alpha and gray ---- */

static void FORGE_FORM(fill_alpha)(uint8_t *row, int64_t count) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16)
    FORGE_STORE(row + 4 * i, FORGE_LOAD(u32x16, row + 4 * i) | 0xFF000000u);
  forge_pixel_rows_scalar.fill_alpha(row + 4 * i, count - i);
}

/* Each alpha four times. */
#define FORGE_ALPHAS(v) \
  __builtin_shufflevector(v, v, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15)

/* The nearest whole numbers to products / 255. */
#define FORGE_OVER_255(product) (((product) + 128 + (((product) + 128) >> 8)) >> 8)

static void FORGE_FORM(blend)(uint8_t *row, int64_t count, const uint8_t *background) {
  const uint16_t b0 = background[0], b1 = background[1], b2 = background[2];
  const u16x16 under = {b0, b1, b2, 0, b0, b1, b2, 0, b0, b1, b2, 0, b0, b1, b2, 0};
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const u8x16 pixels = FORGE_LOAD(u8x16, row + 4 * i);
    const u16x16 alpha = FORGE_WIDE(u16x16, FORGE_ALPHAS(pixels));
    const u16x16 sum = FORGE_WIDE(u16x16, pixels) * alpha + (255 - alpha) * under;
    const u8x16 mixed = FORGE_WIDE(u8x16, FORGE_OVER_255(sum));
    const u8x16 opaque = (u8x16){0} + 255;
    FORGE_STORE(row + 4 * i,
                __builtin_shufflevector(mixed, opaque, 0, 1, 2, 16, 4, 5, 6, 16, 8, 9, 10, 16, 12,
                                        13, 14, 16));
  }
  forge_pixel_rows_scalar.blend(row + 4 * i, count - i, background);
}

static void FORGE_FORM(premultiply)(uint8_t *row, int64_t count) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const u8x16 pixels = FORGE_LOAD(u8x16, row + 4 * i);
    const u16x16 product = FORGE_WIDE(u16x16, pixels) * FORGE_WIDE(u16x16, FORGE_ALPHAS(pixels));
    const u8x16 mixed = FORGE_WIDE(u8x16, FORGE_OVER_255(product));
    FORGE_STORE(row + 4 * i,
                __builtin_shufflevector(mixed, pixels, 0, 1, 2, 19, 4, 5, 6, 23, 8, 9, 10, 27, 12,
                                        13, 14, 31));
  }
  forge_pixel_rows_scalar.premultiply(row + 4 * i, count - i);
}

static void FORGE_FORM(luminance)(const uint8_t *in, int64_t count, uint8_t *out) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    const u32x16 v = FORGE_LOAD(u32x16, in + 4 * i);
    const u32x16 sum = (v & 255) * 19595 + (v >> 8 & 255) * 38470 + (v >> 16 & 255) * 7471 + 0x8000;
    FORGE_STORE(out + i, FORGE_WIDE(u8x16, sum >> 16));
  }
  forge_pixel_rows_scalar.luminance(in + 4 * i, count - i, out + i);
}
