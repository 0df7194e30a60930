/* Complex transforms of any size, in lanes: number i is the vectors 2*i (real) and 2*i + 1.
 *
 * The passes are Stockham's: a pass of radix r turns `stride` transforms of `length` numbers into
 * `stride*r` of `length/r`, in order, from one buffer to the other. */

static inline __attribute__((always_inline)) void FORGE_FORM(butterfly2)(lane *re, lane *im) {
  const lane a = re[0], b = im[0];
  re[0] = a + re[1], im[0] = b + im[1];
  re[1] = a - re[1], im[1] = b - im[1];
}

static inline __attribute__((always_inline)) void FORGE_FORM(butterfly3)(lane *re, lane *im) {
  const float sine = 0.866025403784438646763723f;
  const lane tr = re[1] + re[2], ti = im[1] + im[2];
  const lane dr = (re[1] - re[2]) * sine, di = (im[1] - im[2]) * sine;
  const lane mr = re[0] - tr * 0.5f, mi = im[0] - ti * 0.5f;
  re[0] += tr, im[0] += ti;
  re[1] = mr + di, im[1] = mi - dr;
  re[2] = mr - di, im[2] = mi + dr;
}

static inline __attribute__((always_inline)) void FORGE_FORM(butterfly4)(lane *re, lane *im) {
  const lane sr = re[0] + re[2], si = im[0] + im[2], dr = re[0] - re[2], di = im[0] - im[2];
  const lane tr = re[1] + re[3], ti = im[1] + im[3], er = re[1] - re[3], ei = im[1] - im[3];
  re[0] = sr + tr, im[0] = si + ti;
  re[1] = dr + ei, im[1] = di - er;
  re[2] = sr - tr, im[2] = si - ti;
  re[3] = dr - ei, im[3] = di + er;
}

static inline __attribute__((always_inline)) void FORGE_FORM(butterfly5)(lane *re, lane *im) {
  const float c1 = 0.309016994374947424102293f, c2 = -0.809016994374947424102293f;
  const float s1 = 0.951056516295153572116439f, s2 = 0.587785252292473129168706f;
  const lane ar = re[1] + re[4], ai = im[1] + im[4], br = re[2] + re[3], bi = im[2] + im[3];
  const lane cr = re[1] - re[4], ci = im[1] - im[4], dr = re[2] - re[3], di = im[2] - im[3];
  const lane pr = re[0] + ar * c1 + br * c2, pi = im[0] + ai * c1 + bi * c2;
  const lane qr = re[0] + ar * c2 + br * c1, qi = im[0] + ai * c2 + bi * c1;
  const lane ur = cr * s1 + dr * s2, ui = ci * s1 + di * s2;
  const lane vr = cr * s2 - dr * s1, vi = ci * s2 - di * s1;
  re[0] = re[0] + ar + br, im[0] = im[0] + ai + bi;
  re[1] = pr + ui, im[1] = pi - ur;
  re[4] = pr - ui, im[4] = pi + ur;
  re[2] = qr + vi, im[2] = qi - vr;
  re[3] = qr - vi, im[3] = qi + vr;
}

/* The transforms of one twiddle; the first one of a pass, 1, needs no products. */
#define FORGE_COLUMN(radix, is_turned)                              \
  for (int64_t j = 0; j < stride; j++) {                            \
    lane re[radix], im[radix];                                      \
    _Pragma("unroll") for (int k = 0; k < radix; k++) {             \
      re[k] = in[2 * (j + stride * (q + count * k))];               \
      im[k] = in[2 * (j + stride * (q + count * k)) + 1];           \
    }                                                               \
    FORGE_FORM(butterfly##radix)(re, im);                           \
    lane *to = out + 2 * (j + stride * radix * q);                  \
    to[0] = re[0], to[1] = im[0];                                   \
    _Pragma("unroll") for (int k = 1; k < radix; k++) {             \
      if (is_turned) {                                              \
        const float c = turns[2 * k - 2], s = turns[2 * k - 1];     \
        to[2 * stride * k] = re[k] * c - im[k] * s;                 \
        to[2 * stride * k + 1] = re[k] * s + im[k] * c;             \
      } else {                                                      \
        to[2 * stride * k] = re[k], to[2 * stride * k + 1] = im[k]; \
      }                                                             \
    }                                                               \
  }

#define FORGE_PASS(radix)                                                              \
  static void FORGE_FORM(pass##radix)(const forge_pass *pass, const lane *restrict in, \
                                      lane *restrict out) {                            \
    const int64_t count = pass->length / radix, stride = pass->stride;                 \
    for (int64_t q = 0; q < count; q++) {                                              \
      const float *turns = pass->twiddles + 2 * (radix - 1) * q;                       \
      if (q == 0) {                                                                    \
        FORGE_COLUMN(radix, 0)                                                         \
      } else {                                                                         \
        FORGE_COLUMN(radix, 1)                                                         \
      }                                                                                \
    }                                                                                  \
  }

FORGE_PASS(2)
FORGE_PASS(3)
FORGE_PASS(4)
FORGE_PASS(5)

/* A pass of another prime radix: sums and differences of the numbers k and radix - k. */
static void FORGE_FORM(pass_any)(const forge_pass *pass, const lane *restrict in,
                                 lane *restrict out) {
  const int64_t radix = pass->radix, half = radix / 2;
  const int64_t count = pass->length / radix, stride = pass->stride;
  for (int64_t q = 0; q < count; q++) {
    const float *turns = pass->twiddles + 2 * (radix - 1) * q;
    for (int64_t j = 0; j < stride; j++) {
      lane sums[FORGE_LARGEST_RADIX + 1], differences[FORGE_LARGEST_RADIX + 1];
      const lane ar = in[2 * (j + stride * q)], ai = in[2 * (j + stride * q) + 1];
      lane *to = out + 2 * (j + stride * radix * q);
      lane re = ar, im = ai;
      for (int64_t k = 1; k <= half; k++) {
        const lane *low = in + 2 * (j + stride * (q + count * k));
        const lane *high = in + 2 * (j + stride * (q + count * (radix - k)));
        sums[2 * k] = low[0] + high[0], sums[2 * k + 1] = low[1] + high[1];
        differences[2 * k] = low[0] - high[0], differences[2 * k + 1] = low[1] - high[1];
        re += sums[2 * k], im += sums[2 * k + 1];
      }
      to[0] = re, to[1] = im;
      for (int64_t m = 1; m <= half; m++) {
        lane pr = ar, pi = ai, ur = {0}, ui = {0};
        for (int64_t k = 1; k <= half; k++) {
          const float *root = pass->roots + 2 * (m * k % radix);
          pr += sums[2 * k] * root[0], pi += sums[2 * k + 1] * root[0];
          /* -i times the sine, which the root has with a minus. */
          ur -= differences[2 * k + 1] * root[1], ui += differences[2 * k] * root[1];
        }
        const lane lr = pr + ur, li = pi + ui, hr = pr - ur, hi = pi - ui;
        const float *low = turns + 2 * (m - 1), *high = turns + 2 * (radix - m - 1);
        to[2 * stride * m] = lr * low[0] - li * low[1];
        to[2 * stride * m + 1] = lr * low[1] + li * low[0];
        to[2 * stride * (radix - m)] = hr * high[0] - hi * high[1];
        to[2 * stride * (radix - m) + 1] = hr * high[1] + hi * high[0];
      }
    }
  }
}

/* Transforms `in`, which is overwritten; returns where the result lies, `in` or `other`. */
static lane *FORGE_FORM(passes)(const forge_fourier *f, lane *in, lane *other) {
  for (int32_t i = 0; i < f->pass_count; i++) {
    const forge_pass *pass = f->passes + i;
    switch (pass->radix) {
      case 2: FORGE_FORM(pass2)(pass, in, other); break;
      case 3: FORGE_FORM(pass3)(pass, in, other); break;
      case 4: FORGE_FORM(pass4)(pass, in, other); break;
      case 5: FORGE_FORM(pass5)(pass, in, other); break;
      default: FORGE_FORM(pass_any)(pass, in, other);
    }
    lane *swapped = in;
    in = other;
    other = swapped;
  }
  return in;
}

/* As passes, for any size. Bluestein's algorithm makes a convolution of the transform: it
 * multiplies by a chirp, convolves with the conjugate chirp, and multiplies by the chirp again. */
static lane *FORGE_FORM(fourier)(const forge_fourier *f, lane *in, lane *other) {
  const forge_fourier *inner = f->inner;
  if (!inner) return FORGE_FORM(passes)(f, in, other);
  for (int64_t i = 0; i < f->size; i++) {
    const float c = f->chirp[2 * i], s = f->chirp[2 * i + 1];
    const lane re = in[2 * i], im = in[2 * i + 1];
    in[2 * i] = re * c - im * s, in[2 * i + 1] = re * s + im * c;
  }
  memset(in + 2 * f->size, 0, (size_t)(2 * (inner->size - f->size)) * sizeof(lane));
  lane *middle = FORGE_FORM(passes)(inner, in, other);
  other = middle == in ? other : in;
  /* The inverse transform is the conjugate of that of the conjugate. */
  for (int64_t i = 0; i < inner->size; i++) {
    const float c = f->kernel[2 * i], s = f->kernel[2 * i + 1];
    const lane re = middle[2 * i], im = middle[2 * i + 1];
    middle[2 * i] = re * c - im * s, middle[2 * i + 1] = -(re * s + im * c);
  }
  lane *result = FORGE_FORM(passes)(inner, middle, other);
  for (int64_t i = 0; i < f->size; i++) {
    const float c = f->chirp[2 * i], s = f->chirp[2 * i + 1];
    const lane re = result[2 * i], im = -result[2 * i + 1];
    result[2 * i] = re * c - im * s, result[2 * i + 1] = re * s + im * c;
  }
  return result;
}
