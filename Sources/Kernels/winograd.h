/* Winograd's minimal filtering F(n, r): n outputs of a filter of r taps from alpha = n + r - 1
 * products instead of n * r (S. Winograd, "Arithmetic Complexity of Computations", 1980; A. Lavin
 * and S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015).
 *
 * The construction of Toom and Cook over alpha - 1 points and infinity, or over alpha points for
 * alpha = 7, transposed:
 *     y = A^T ((G g) * (B^T d))
 * Let M(x) be the product of (x - p) over all points. Row i of B^T holds the coefficients of M(x) /
 * (x - p_i), the row of infinity those of M(x). Row i of G is 1, p_i, p_i^2 ... over the product of
 * p_i - p_j. Column i of A^T is 1, p_i, p_i^2 ... Infinity takes the last of each. In two
 * dimensions both sides are transformed along both axes.
 *
 * All points but 0 come in pairs +p and -p, which share their even and odd halves (alpha = 5 has
 * +1, -1 and a single 2; alpha = 7 does without infinity). All are multiples of 1/8 up to 3 and
 * exact in floats. For alpha up to 10 they give the smallest error of a whole convolution (relative
 * L2 against double precision, positive inputs, random filters); for 12 they magnify errors least
 * by analysis. */
#ifndef FORGE_WINOGRAD_H
#define FORGE_WINOGRAD_H

#define FORGE_MOST_POINTS 12

/* The numbers of an axis of `alpha` points, where z is x squared. */
typedef struct {
  int pairs;          /* of points +p and -p */
  float point[5];     /* p of each pair */
  float shared[6];    /* product over all pairs of z - p^2; lowest power first */
  float others[5][5]; /* per pair the product over the other pairs */
} forge_winograd_axis;

/* Whether infinity is one of the points. */
static inline int forge_winograd_has_infinity(int alpha) { return alpha != 7; }

/* Indexed by alpha. The code adds the single point of alpha = 5. Scripts/derivations/winograd.py
 * prints it. */
static const forge_winograd_axis forge_winograd_axes[FORGE_MOST_POINTS + 1] = {
  [4] = {1, {1}, {-1, 1}, {{1}}},
  [5] = {1, {1}, {-1, 1}, {{1}}},
  [6] = {2, {0.625f, 1.5f}, {0.87890625f, -2.640625f, 1}, {{-2.25f, 1}, {-0.390625f, 1}}},
  [7] = {3,
         {0.5f, 1.125f, 3},
         {-2.84765625f, 13.95703125f, -10.515625f, 1},
         {{11.390625f, -10.265625f, 1}, {2.25f, -9.25f, 1}, {0.31640625f, -1.515625f, 1}}},
  [8] = {3,
         {1, 0.5f, 2}, /* 1 first: it needs no product */
         {-1, 5.25f, -5.25f, 1},
         {{1, -4.25f, 1}, {4, -5, 1}, {0.25f, -1.25f, 1}}},
  [10] = {4,
          {0.5f, 0.75f, 1.25f, 2},
          {0.87890625f, -5.8603515625f, 10.91015625f, -6.375f, 1},
          {{-3.515625f, 9.37890625f, -6.125f, 1},
           {-1.5625f, 7.640625f, -5.8125f, 1},
           {-0.5625f, 3.390625f, -4.8125f, 1},
           {-0.2197265625f, 1.41015625f, -2.375f, 1}}},
  [12] = {5,
          {1, 0.375f, 0.75f, 1.5f, 2.5f},
          {-1.11236572265625f, 11.67242431640625f, -30.67822265625f, 29.3212890625f, -10.203125f,
           1},
          {{1.11236572265625f, -10.56005859375f, 20.1181640625f, -9.203125f, 1},
           {7.91015625f, -26.75390625f, 27.90625f, -10.0625f, 1},
           {1.9775390625f, -17.2353515625f, 23.8984375f, -9.640625f, 1},
           {0.494384765625f, -4.968017578125f, 11.4267578125f, -7.953125f, 1},
           {0.177978515625f, -1.839111328125f, 4.6142578125f, -3.953125f, 1}}},
};

#endif
