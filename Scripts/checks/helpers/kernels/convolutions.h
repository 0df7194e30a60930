/* A convolution of floats and what it is made of. */
#ifndef CONVOLUTIONS_H
#define CONVOLUTIONS_H

#include "check.h"

typedef struct {
  forge_convolution_arguments a; /* with packed weights */
  image in, out, residual;
  int64_t inputs, outputs, taps;
  float *weights; /* [outputs][taps][inputs] */
  float *packed;
  int64_t packed_floats, padded; /* padded: outputs of all panels */
  float *bias;                   /* [padded] */
  fill_kind fill;
  float *bases[BASES];
} convolution;

typedef struct {
  int64_t most_inputs, most_outputs;
  int64_t channel_multiple;                    /* of inputs and outputs */
  int32_t kernel_height, kernel_width, stride; /* 0: any */
  bool no_dilation, one_pixel;
} convolution_limits;

convolution convolution_of(const convolution_limits *limits);
void free_convolution(convolution *c);

/* The sums of magnitudes, by the scalar kernel, of `OUT`. Must be freed. */
float *magnitudes_of_convolution(const convolution *c);

/* The rows or columns of an input whose windows give `out` rows. */
int64_t input_size(int64_t out, int64_t stride, int64_t kernel, int64_t dilation, int64_t pad);

void describe_convolution(const convolution *c, const char *more);

#endif
