/* Functions of each element of a plain tensor. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

static float sign_of(float x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

static float sigmoid_of(float x) { return 1 / (1 + expf(-x)); }

static float shrunk(float x, float bias, float lambda) {
  return isnan(x) ? x : x < -lambda ? x + bias : x > lambda ? x - bias : 0;
}

/* log(1 + exp(x)) without overflow. */
static float softplus_of(float x) { return x > 0 ? x + log1pf(expf(-x)) : log1pf(expf(x)); }

/* The nearest number with `dropped` bits less of the significand, the even one of two. */
static float rounded(float x, int32_t dropped) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint32_t lowest = UINT32_C(1) << dropped;
  bits = (bits + lowest / 2 - 1 + (bits >> dropped & 1)) & ~(lowest - 1);
  float result;
  memcpy(&result, &bits, sizeof result);
  return isnan(x) ? x : result;
}

static float half_of(float x) {
  const float size = fabsf(x);
  /* Below 2^-14 all numbers of binary16 are multiples of 2^-24, as those of Float from 0.5 to 1. */
  if (size < 0x1p-14f) return copysignf((size + 0.5f) - 0.5f, x);
  return size >= 65520 ? copysignf(INFINITY, x) : rounded(x, 13);
}

/* The loop is inside of each case, so that the compiler can vectorize simple ones. */
#define FORGE_EACH(expression)          \
  for (int64_t i = from; i < to; i++) { \
    const float x = in[i];              \
    out[i] = (expression);              \
  }                                     \
  break;

FORGE_SCALAR(unary_plain) {
  const forge_unary_plain_arguments *k = arguments;
  const float *in = forge_start(&k->in, frame);
  float *out = forge_start(&k->out, frame);
  const float a = k->a, b = k->b;
  const int64_t from = first * FORGE_PLAIN_TILE;
  const int64_t to = forge_smaller(last * FORGE_PLAIN_TILE, k->count);
  switch ((forge_unary_function)k->function) {
    case FORGE_UNARY_ABSOLUTE: FORGE_EACH(fabsf(x))
    case FORGE_UNARY_NEGATE: FORGE_EACH(-x)
    case FORGE_UNARY_SIGN: FORGE_EACH(sign_of(x))
    case FORGE_UNARY_RECIPROCAL: FORGE_EACH(1 / x)
    case FORGE_UNARY_SQUARE_ROOT: FORGE_EACH(sqrtf(x))
    case FORGE_UNARY_RECIPROCAL_SQUARE_ROOT: FORGE_EACH(1 / sqrtf(x))
    case FORGE_UNARY_SQUARE: FORGE_EACH(x * x)
    case FORGE_UNARY_EXPONENTIAL: FORGE_EACH(expf(x))
    case FORGE_UNARY_LOGARITHM: FORGE_EACH(logf(x))
    case FORGE_UNARY_FLOOR: FORGE_EACH(floorf(x))
    case FORGE_UNARY_CEILING: FORGE_EACH(ceilf(x))
    case FORGE_UNARY_ROUND: FORGE_EACH(rintf(x))
    case FORGE_UNARY_TRUNCATE: FORGE_EACH(truncf(x))
    case FORGE_UNARY_ERROR_FUNCTION: FORGE_EACH(erff(x))
    case FORGE_UNARY_SINE: FORGE_EACH(sinf(x))
    case FORGE_UNARY_COSINE: FORGE_EACH(cosf(x))
    case FORGE_UNARY_TANGENT: FORGE_EACH(tanf(x))
    case FORGE_UNARY_ARCSINE: FORGE_EACH(asinf(x))
    case FORGE_UNARY_ARCCOSINE: FORGE_EACH(acosf(x))
    case FORGE_UNARY_ARCTANGENT: FORGE_EACH(atanf(x))
    case FORGE_UNARY_HYPERBOLIC_SINE: FORGE_EACH(sinhf(x))
    case FORGE_UNARY_HYPERBOLIC_COSINE: FORGE_EACH(coshf(x))
    case FORGE_UNARY_HYPERBOLIC_ARCSINE: FORGE_EACH(asinhf(x))
    case FORGE_UNARY_HYPERBOLIC_ARCCOSINE: FORGE_EACH(acoshf(x))
    case FORGE_UNARY_HYPERBOLIC_ARCTANGENT: FORGE_EACH(atanhf(x))
    case FORGE_UNARY_SOFTSIGN: FORGE_EACH(isinf(x) ? copysignf(1, x) : x / (1 + fabsf(x)))
    case FORGE_UNARY_LOGICAL_NOT: FORGE_EACH(x == 0 ? 1 : 0)
    case FORGE_UNARY_IS_NONZERO: FORGE_EACH(x == 0 ? 0 : 1)
    case FORGE_UNARY_IS_NAN: FORGE_EACH(isnan(x) ? 1 : 0)
    case FORGE_UNARY_ROUND_TO_HALF: FORGE_EACH(half_of(x))
    case FORGE_UNARY_ROUND_TO_BFLOAT16: FORGE_EACH(rounded(x, 16))
    case FORGE_UNARY_IS_INFINITE: FORGE_EACH(isinf(x) ? (x > 0 ? a : b) : 0)
    case FORGE_UNARY_THRESHOLDED_RELU: FORGE_EACH(x > a || isnan(x) ? x : 0)
    case FORGE_UNARY_SCALED_ELU: FORGE_EACH(x > 0 ? b * x : b * (a * expm1f(x)))
    case FORGE_UNARY_CELU: FORGE_EACH(x > 0 ? x : a * expm1f(x / a))
    case FORGE_UNARY_SWISH: FORGE_EACH(x * sigmoid_of(a * x))
    case FORGE_UNARY_SHRINK: FORGE_EACH(shrunk(x, a, b))
    case FORGE_UNARY_SCALED_TANH: FORGE_EACH(a * tanhf(b * x))
    case FORGE_UNARY_PARAMETRIC_SOFTPLUS: FORGE_EACH(a * softplus_of(b * x))
  }
}
