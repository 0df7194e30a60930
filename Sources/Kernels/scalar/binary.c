/* Operations on two tensors, one number at a time. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* The remainder with the sign of the divisor. */
static float modulo(float a, float b) {
  const float rest = fmodf(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

float forge_combine_scalar(float a, float b, int32_t operation) {
  switch (operation) {
    case FORGE_DIVIDE: return a / b;
    case FORGE_POWER: return powf(a, b);
    case FORGE_REMAINDER_OF_DIVIDEND: return fmodf(a, b);
    case FORGE_REMAINDER_OF_DIVISOR: return modulo(a, b);
    case FORGE_EQUAL: return a == b;
    case FORGE_NOT_EQUAL: return a != b;
    case FORGE_LESS: return a < b;
    case FORGE_LESS_OR_EQUAL: return a <= b;
    case FORGE_GREATER: return a > b;
    case FORGE_GREATER_OR_EQUAL: return a >= b;
    case FORGE_AND: return a != 0 && b != 0;
    case FORGE_OR: return a != 0 || b != 0;
    case FORGE_XOR: return (a != 0) != (b != 0);
    case FORGE_ADD: return a + b;
    case FORGE_SUBTRACT: return a - b;
    case FORGE_MULTIPLY: return a * b;
    case FORGE_MAXIMUM: return a > b || isnan(a) ? a : b;
    case FORGE_MINIMUM: return a < b || isnan(a) ? a : b;
    default: return a < 0 ? a * b : a; /* FORGE_PRELU */
  }
}

/* An operand at a place of the output. An axis of size 1 repeats. */
static float operand(const forge_view *view, const forge_frame *frame, int64_t c, int64_t y,
                     int64_t x) {
  return scalar_at(view, frame, view->channels == 1 ? 0 : c, view->height == 1 ? 0 : y,
                   view->width == 1 ? 0 : x);
}

static FORGE_SCALAR_NUMBER(combined) {
  const forge_binary_arguments *a = arguments;
  return forge_combine_scalar(operand(&a->a, frame, o, y, x), operand(&a->b, frame, o, y, x),
                              a->operation);
}

FORGE_SCALAR_KERNEL(binary, combined, FORGE_LANES)

static void combine(const void *arguments, const forge_frame *frame, int64_t first, int64_t last) {
  const forge_binary_plain_arguments *a = arguments;
  const float *left = forge_start(&a->a, frame), *right = forge_start(&a->b, frame);
  float *out = forge_start(&a->out, frame);
  forge_walk walk;
  if (!forge_walk_begin_binary(&walk, a, first, last)) return;
  do {
    for (int64_t i = 0; i < walk.count; i++)
      out[walk.offsets[2] + i] = forge_activate_scalar(
        forge_combine_scalar(left[walk.offsets[0] + i * walk.steps[0]],
                             right[walk.offsets[1] + i * walk.steps[1]], a->operation),
        a->activation);
  } while (forge_walk_next(&walk));
}

FORGE_SCALAR(binary_plain) { combine(arguments, frame, first, last); }

/* Operators without a vector form. The square is by far the most frequent power. */
FORGE_SCALAR(combine_plain) {
  const forge_binary_plain_arguments *a = arguments;
  const float *right = forge_start(&a->b, frame);
  bool is_square = a->operation == FORGE_POWER && *right == 2;
  for (int32_t d = 0; d < a->rank; d++) is_square &= a->sizes[d] == 1 || a->b_strides[d] == 0;
  if (!is_square) {
    combine(arguments, frame, first, last);
    return;
  }
  forge_binary_plain_arguments square = *a;
  square.b = a->a;
  memcpy(square.b_strides, a->a_strides, sizeof square.b_strides);
  square.operation = FORGE_MULTIPLY;
  combine(&square, frame, first, last);
}
