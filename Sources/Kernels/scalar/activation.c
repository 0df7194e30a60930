/* Activations, one number at a time: computed in double precision, rounded once to float.
 *
 * All levels agree on special values:
 *   NaN gives NaN, and no finite number gives NaN.
 *   An infinity gives the limit, except that -inf gives NaN (as -inf * 0 does) where the activation
 *   is x times a factor that approaches 0: hard swish, swish, mish, gelu, gelu_tanh. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* Returns NaN for NaN, because comparisons with NaN are false. */
static double clamp(double x, double low, double high) {
  x = low > x ? low : x;
  return high < x ? high : x;
}

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

float forge_activate_scalar(float value, forge_activation activation) {
  const double x = value, a = activation.a, b = activation.b;
  switch (activation.kind) {
    case FORGE_CLAMP: return (float)clamp(x, a, b);
    case FORGE_LEAKY_RELU: return (float)(x < 0 ? a * x : x);
    case FORGE_ELU: return (float)(x < 0 ? a * expm1(x) : b * x);
    case FORGE_SIGMOID: return (float)sigmoid(x);
    case FORGE_TANH: return (float)tanh(x);
    case FORGE_HARD_SIGMOID: return (float)clamp(a * x + b, 0, 1);
    case FORGE_HARD_SWISH: return (float)(x * clamp(a * x + b, 0, 1));
    case FORGE_SWISH: return (float)(x * sigmoid(a * x));
    case FORGE_MISH: return (float)(x * tanh(log1p(exp(x))));
    case FORGE_GELU: return (float)(x / 2 * erfc(x * -0.70710678118654752440));
    /* 1 + tanh(u) = 2 sigmoid(2 u), without the cancellation for u < 0; 2 sqrt(2/pi) = 1.5957... */
    case FORGE_GELU_TANH:
      return (float)(x * sigmoid(1.59576912160573071176 * (x + 0.044715 * x * x * x)));
    case FORGE_SOFTPLUS: return (float)(clamp(x, 0, INFINITY) + log1p(exp(-fabs(x))));
    default: return value;
  }
}

static FORGE_SCALAR_NUMBER(number) {
  return scalar_at(&((const forge_activation_arguments *)arguments)->in, frame, o, y, x);
}

FORGE_SCALAR_KERNEL(activation, number, FORGE_LANES)

/* A scale and a bias per channel (batch normalization that could not be folded). */
static FORGE_SCALAR_NUMBER(scaled) {
  const forge_affine_arguments *a = arguments;
  return scalar_at(&a->in, frame, o, y, x) * a->scale[o] + a->bias[o];
}

FORGE_SCALAR_KERNEL(affine, scaled, FORGE_LANES)

FORGE_SCALAR(activation_plain) {
  const forge_activation_plain_arguments *a = arguments;
  const float *in = forge_start(&a->in, frame);
  float *out = forge_start(&a->out, frame);
  for (int64_t i = first * FORGE_PLAIN_TILE; i < forge_smaller(last * FORGE_PLAIN_TILE, a->count);
       i++)
    out[i] = forge_activate_scalar(in[i], a->activation);
}
