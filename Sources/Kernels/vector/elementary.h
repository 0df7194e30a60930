/* exp, exp - 1, log and related functions on vectors, with relative errors below 3e-7 unless stated
 * otherwise.
 *
 * Scripts/derivations/polynomials.py prints the coefficients. NaN gives NaN: numbers become
 * integers only by adding a constant, and comparisons with NaN are false. */

/* x = n * log(2) + r, |r| <= log(2) / 2, with log(2) in two parts (Cody and Waite). */
typedef struct {
  v16 r;
  v16 n;       /* whole numbers */
  v16 shifted; /* n + 1.5 * 2^23, which has n in its low bits */
} reduced;

/* For |x| < 2^21. Adding 1.5 * 2^23 rounds to an integer. */
FORGE_INLINE reduced reduce(v16 x) {
  const v16 shift = splat(12582912.0f);
  const v16 shifted = multiply_add(x, splat(1.44269502f), shift);
  const v16 n = shifted - shift;
  const v16 r = multiply_add(n, splat(-0.693145752f), x);
  return (reduced){multiply_add(n, splat(-1.42860677e-06f), r), n, shifted};
}

/* n as integers. */
FORGE_INLINE v16i integers(reduced a) { return (v16i)a.shifted - (v16i)splat(12582912.0f); }

/* (exp(r) - 1 - r) / r^2 for |r| <= log(2) / 2. */
FORGE_INLINE v16 exp_second_reduced(v16 r) {
  const v16 square = r * r;
  v16 p = multiply_add(splat(0.00836609956f), r, splat(0.0416668542f));
  p = multiply_add(splat(0.00138982385f), square, p);
  return multiply_add(p, square, multiply_add(splat(0.16666548f), r, splat(0.5f)));
}

/* 2^n for -126 <= n <= 127. */
FORGE_INLINE v16 power_of_2(v16i n) { return (v16)((n + 127) << 23); }

/* exp(a.r). */
FORGE_INLINE v16 exp_of_rest(reduced a) {
  const v16 y = multiply_add(exp_second_reduced(a.r), a.r, splat(1));
  return multiply_add(y, a.r, splat(1));
}

/* Returns exp(x). Overflows to inf, underflows gradually to 0: it is rounded once where it is not a
 * normal number. */
FORGE_INLINE v16 exp_of(v16 x) {
  const reduced a = reduce(clamp(x, splat(-104), splat(89)));
  const v16 y = exp_of_rest(a);
#if FORGE_HAS_SCALE
  return (v16)_mm512_scalef_ps((__m512)y, (__m512)a.n);
#else
  /* Two factors that are normal numbers. Only the second product may round. */
  const v16i n = integers(a), half = n >> 1;
  return y * power_of_2(half) * power_of_2(n - half);
#endif
}

/* factor * exp(a.r) * 2^a.n for -166 <= a.n <= 0, rounded like exp_of. */
FORGE_INLINE v16 negative_exp_of_reduced(reduced a, v16 factor) {
  const v16 y = exp_of_rest(a);
#if FORGE_HAS_SCALE
  return (v16)_mm512_scalef_ps((__m512)(y * factor), (__m512)a.n);
#else
  /* 2^(n + 40) is a normal number. */
  return y * power_of_2(integers(a) + 40) * (factor * 0x1p-40f);
#endif
}

/* Returns exp(x) for x <= 0. */
FORGE_INLINE v16 exp_of_negative(v16 x) {
  return negative_exp_of_reduced(reduce(choose(splat(-104) > x, splat(-104), x)), splat(1));
}

/* Returns exp(x) - 1 for x <= 0, accurate even for small x. */
FORGE_INLINE v16 exp_minus_1_of_negative(v16 x) {
  const reduced a = reduce(clamp(x, splat(-60), splat(0)));
  const v16 power = power_of_2(integers(a));
  const v16 y = multiply_add(exp_second_reduced(a.r), a.r * a.r, a.r);
  return multiply_add(y, power, power - 1);
}

/* log(1 + s) for 1 + s from sqrt(1/2) to sqrt(2). */
FORGE_INLINE v16 log_1_plus_reduced(v16 s) {
  v16 p = splat(-0.0763566345f);
  p = multiply_add(p, s, splat(0.127633303f));
  p = multiply_add(p, s, splat(-0.131605804f));
  p = multiply_add(p, s, splat(0.142015517f));
  p = multiply_add(p, s, splat(-0.166232988f));
  p = multiply_add(p, s, splat(0.200012341f));
  p = multiply_add(p, s, splat(-0.250008225f));
  p = multiply_add(p, s, splat(0.333333313f));
  const v16 square = s * s;
  return multiply_add(p, square * s, multiply_add(square, splat(-0.5f), s));
}

/* log(1 + u) for u from 0 to 1: above sqrt(2), log(2) + log((1 + u) / 2). */
FORGE_INLINE v16 log_1_plus_fraction(v16 u) {
  const v16i above = u > 0.414213562f;
  const v16 s = choose(above, (u - 1) * 0.5f, u);
  return log_1_plus_reduced(s) + keep(above, splat(0.693147181f));
}

/* Returns log(x) for normal numbers above 0, NaN for NaN. */
FORGE_INLINE v16 log_of(v16 x) {
  /* x = 2^n * m, m from sqrt(1/2) to sqrt(2): 0x3f3504f3 is sqrt(1/2). */
  const v16i n = ((v16i)x - 0x3f3504f3) >> 23;
  const v16 m = (v16)((v16i)x - (n << 23));
  const v16 exponent = __builtin_convertvector(n, v16);
  v16 y = log_1_plus_reduced(m - 1);
  y = multiply_add(exponent, splat(1.42860677e-06f), y);
  y = multiply_add(exponent, splat(0.693145752f), y);
  return choose(x == x, y, x);
}

FORGE_INLINE v16 sigmoid_of(v16 x) {
  const v16 e = exp_of_negative(negative(x)); /* at most 1: nothing overflows, nothing cancels */
  return choose(x < 0, e, splat(1)) / (1 + e);
}

/* tanh(|x|) = -t / (2 + t), t = exp(-2 |x|) - 1. */
FORGE_INLINE v16 tanh_of(v16 x) {
  const v16 t = exp_minus_1_of_negative(magnitude(x) * -2);
  const v16 y = magnitude(t / (2 + t));
  return (v16)((v16i)y | ((v16i)x & INT32_MIN));
}

/* log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)). */
FORGE_INLINE v16 softplus_of(v16 x) {
  const v16 e = exp_of_negative(negative(x));
  return choose(x < 0, splat(0), x) + log_1_plus_fraction(e);
}

/* tanh(log(1 + e)) = n / (n + 2), n = e (e + 2), e = exp(x). It is 1 before n overflows. */
FORGE_INLINE v16 mish_of(v16 x) {
  const v16 e = exp_of(choose(x > 40, splat(40), x));
  const v16 n = multiply_add(e, e, e + e);
  return x * (n / (n + 2));
}

/* The normal distribution (1 + erf(x / sqrt(2))) / 2 from its tail for x < 0, exp(-x^2 / 2) N(|x|)
 * / D(|x|), with positive coefficients. exp turns an absolute error into a relative one, so the
 * rounding error of x^2 is compensated. Relative error below 3e-7 for x > -2, below 5e-7 in the
 * tail. */
FORGE_INLINE v16 normal_of(v16 x) {
  v16 z = magnitude(x);
  z = choose(splat(15) < z, splat(15), z); /* the tail is 0 in floats from 14.5 */
  const v16 square = z * z;
  v16 n = multiply_add(splat(0.0408810228f), z, splat(0.183968931f));
  n = multiply_add(splat(0.00415320322f), square, n);
  n = multiply_add(n, square, multiply_add(splat(0.439283311f), z, splat(0.5f)));
  v16 d = multiply_add(splat(0.0104104253f), z, splat(0.102479637f));
  d = multiply_add(d, square, multiply_add(splat(0.471408129f), z, splat(1.20554769f)));
  d = multiply_add(d, square, multiply_add(splat(1.67645168f), z, splat(1)));
  /* z^2 = high^2 + (z - high) (z + high). The square of `high`, of few bits, is exact. */
  const v16 high = (v16)((v16i)z & ~0xfff);
  reduced a = reduce(high * high * -0.5f);
  a.r += (z - high) * (z + high) * -0.5f;
  const v16 tail = negative_exp_of_reduced(a, n / d);
  return choose((v16i)x < 0, tail, 1 - tail);
}

/* erf(x) = x P(x^2) up to 1, 1 - 2 Phi(-sqrt(2) x) beyond. */
FORGE_INLINE v16 error_function_of(v16 x) {
  const v16 z = magnitude(x), square = z * z;
  v16 p = splat(-0.000562679197f);
  p = multiply_add(p, square, splat(0.00491649518f));
  p = multiply_add(p, square, splat(-0.0267104749f));
  p = multiply_add(p, square, splat(0.112801537f));
  p = multiply_add(p, square, splat(-0.37612322f));
  p = multiply_add(p, square, splat(1.12837911f));
  const v16 far = 1 - 2 * normal_of(z * -1.41421356f);
  return choose(z < 1, p * x, (v16)((v16i)far | ((v16i)x & INT32_MIN)));
}
