/* The transforms of Winograd's convolutions along one axis: see ../winograd.h. alpha and n are
 * constants, so that only additions and multiply-adds remain of the loops and tables. */

FORGE_INLINE float power_of(float p, int exponent) {
  float power = 1;
#pragma clang loop unroll(full)
  for (int i = 0; i < exponent; i++) power *= p;
  return power;
}

/* Returns sum + coefficient * d, by an addition if possible, because additions have ports of their
 * own. */
FORGE_INLINE v16 add_product(v16 sum, float coefficient, v16 d) {
  if (coefficient == 0) return sum;
  if (coefficient == 1) return sum + d;
  if (coefficient == -1) return sum - d;
  return multiply_add(splat(coefficient), d, sum);
}

/* Evaluates the polynomial with these coefficients, the highest 1, on every other number. */
FORGE_INLINE v16 every_other(const v16 *d, const float *coefficients, const int degree) {
  v16 sum = d[2 * degree];
#pragma clang loop unroll(full)
  for (int i = degree - 1; i >= 0; i--) sum = add_product(sum, coefficients[i], d[2 * i]);
  return sum;
}

/* Computes even + p * odd and even - p * odd. */
FORGE_INLINE void both_signs(v16 even, v16 odd, float p, v16 *plus_p, v16 *minus_p) {
  if (p == 1) {
    *plus_p = even + odd;
    *minus_p = even - odd;
  } else {
    *plus_p = multiply_add(splat(p), odd, even);
    *minus_p = multiply_add(splat(-p), odd, even);
  }
}

/* Computes out = B^T d for alpha numbers. out is not d. */
FORGE_INLINE void transform_input(const v16 *d, v16 *out, const int alpha) {
  if (alpha == 1) {
    out[0] = d[0];
  } else if (alpha == 5) { /* all rows but that of the point 2 hold a factor x - 2 */
    v16 t[4];
#pragma clang loop unroll(full)
    for (int i = 0; i < 4; i++) t[i] = multiply_add(splat(-2), d[i], d[i + 1]);
    out[0] = t[2] - t[0];
    out[1] = t[2] + t[1];
    out[2] = t[2] - t[1];
    out[3] = d[3] - d[1];
    out[4] = t[3] - t[1];
  } else {
    const forge_winograd_axis *axis = &forge_winograd_axes[alpha];
    out[0] = every_other(d, axis->shared, axis->pairs);
    if (forge_winograd_has_infinity(alpha))
      out[alpha - 1] = every_other(d + 1, axis->shared, axis->pairs);
#pragma clang loop unroll(full)
    for (int k = 0; k < axis->pairs; k++) {
      const v16 even = every_other(d + 2, axis->others[k], axis->pairs - 1);
      const v16 odd = every_other(d + 1, axis->others[k], axis->pairs - 1);
      both_signs(even, odd, axis->point[k], &out[1 + 2 * k], &out[2 + 2 * k]);
    }
  }
}

/* Computes out = A^T m, n numbers from alpha. out is not m. */
FORGE_INLINE void transform_output(const v16 *m, v16 *out, const int n, const int alpha) {
  if (alpha == 1) {
    out[0] = m[0];
    return;
  }
  const forge_winograd_axis *axis = &forge_winograd_axes[alpha];
  v16 sum[5], difference[5];
#pragma clang loop unroll(full)
  for (int k = 0; k < axis->pairs; k++) {
    sum[k] = m[1 + 2 * k] + m[2 + 2 * k];
    difference[k] = m[1 + 2 * k] - m[2 + 2 * k];
  }
#pragma clang loop unroll(full)
  for (int i = 0; i < n; i++) {
    v16 y = i % 2 == 0 ? sum[0] : difference[0];
    const float first = power_of(axis->point[0], i);
    if (first != 1) y *= splat(first);
#pragma clang loop unroll(full)
    for (int k = 1; k < axis->pairs; k++)
      y = add_product(y, power_of(axis->point[k], i), i % 2 == 0 ? sum[k] : difference[k]);
    if (alpha == 5) y = add_product(y, power_of(2, i), m[3]);
    if (i == 0) y += m[0];
    if (i == n - 1 && forge_winograd_has_infinity(alpha)) y += m[alpha - 1];
    out[i] = y;
  }
}
