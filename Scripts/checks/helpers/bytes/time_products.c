/* Prints how many products of bytes each form computes a second, for the shapes of networks:
 * pixels x outputs x inputs, requantized to bytes. Scripts/check bytes builds and runs it. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "forms.h"

#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The least time of a step in seconds. */
static double least_time(forge_kernel kernel, const void *arguments, const forge_frame *frame,
                         int64_t tiles) {
  double least = INFINITY, spent = 0;
  for (int i = 0; i < 2000 && (spent < 0.15 || i < 5); i++) {
    const double start = now();
    kernel(arguments, frame, 0, tiles);
    const double time = now() - start;
    least = time < least ? time : least;
    spent += time;
  }
  return least;
}

typedef struct {
  int64_t height, width, outputs, inputs, kernel, stride, pixel;
} shape;

static void time_convolution(const byte_form *forms, int count, shape s) {
  const bool flat = s.kernel == 1 && s.stride == 1;
  const int64_t border = s.kernel / 2;
  const int64_t in_height = (s.height - 1) * s.stride + s.kernel - 2 * border;
  const int64_t in_width = (s.width - 1) * s.stride + s.kernel - 2 * border;
  const image in = byte_image(IN, in_height, in_width, s.inputs, border, 0, s.pixel);
  const image out = byte_image(OUT, s.height, s.width, s.outputs, 0, 0, 64);
  const int64_t bytes =
    forge_quantized_weight_bytes(s.outputs, s.kernel * s.kernel, s.inputs, (int32_t)s.pixel);
  int8_t *weights = memory_of(bytes, 0);
  for (int64_t i = 0; i < bytes; i++) weights[i] = (int8_t)random_bits();
  const int64_t padded = forge_quantized_outputs(s.outputs);
  float *scales = memory_of(padded * 4, 0);
  int32_t *biases = memory_of(padded * 4, 0);
  for (int64_t i = 0; i < padded; i++) scales[i] = 0.001f;
  float *bases[BASES] = {0};
  bases[IN] = memory_of(in.bytes, 0);
  bases[OUT] = memory_of(out.bytes, 0);
  for (int64_t i = 0; i < in.bytes; i++) ((uint8_t *)bases[IN])[i] = (uint8_t)random_bits();
  const forge_quantized_convolution_arguments a = {
    .in = in.view,
    .out = out.view,
    .weights = weights,
    .end = {.zero = 128, .high = 255, .scales = scales, .biases = biases},
    .kernel_height = (int32_t)s.kernel,
    .kernel_width = (int32_t)s.kernel,
    .stride_y = (int32_t)s.stride,
    .stride_x = (int32_t)s.stride,
    .dilation_y = 1,
    .dilation_x = 1,
    .pad_top = (int32_t)border,
    .pad_left = (int32_t)border,
    .pixel_bytes = (int32_t)s.pixel,
    .segments = 1,
    .flat = flat,
  };
  const forge_frame frame = {.bases = bases};
  const double products = (double)(s.height * s.width * s.outputs * s.inputs * s.kernel * s.kernel);
  printf("%4lldx%-4lld %4lld %4lld %lldx%lld/%lld", (long long)s.height, (long long)s.width,
         (long long)s.outputs, (long long)s.inputs, (long long)s.kernel, (long long)s.kernel,
         (long long)s.stride);
  for (int i = 0; i < count; i++)
    if (forms[i].runs)
      printf(" %8.1f",
             1e-9 * products /
               least_time(forms[i].convolution, &a, &frame, forge_quantized_convolution_tiles(&a)));
  printf("\n");
  fflush(stdout);
  free(weights);
  free(scales);
  free(biases);
  free(bases[IN]);
  free(bases[OUT]);
}

static void time_depthwise(const byte_form *forms, int count, int64_t size, int64_t channels,
                           int64_t kernel, int64_t stride) {
  const image in = byte_image(IN, size * stride, size * stride, channels, 0, 0, 64);
  const image out = byte_image(OUT, size, size, channels, 0, 0, 64);
  const int64_t bytes = forge_quantized_depthwise_bytes(channels, kernel, kernel);
  int8_t *weights = memory_of(bytes, 3);
  const int64_t padded = forge_quantized_outputs(channels);
  float *scales = memory_of(padded * 4, 0);
  int32_t *biases = memory_of(padded * 4, 0);
  float *bases[BASES] = {0};
  bases[IN] = memory_of(in.bytes, 7);
  bases[OUT] = memory_of(out.bytes, 0);
  const forge_quantized_depthwise_arguments a = {
    .in = in.view,
    .out = out.view,
    .weights = weights,
    .scales = scales,
    .biases = biases,
    .high = 255,
    .kernel_height = (int32_t)kernel,
    .kernel_width = (int32_t)kernel,
    .stride_y = (int32_t)stride,
    .stride_x = (int32_t)stride,
    .dilation_y = 1,
    .dilation_x = 1,
    .pad_top = (int32_t)kernel / 2,
    .pad_left = (int32_t)kernel / 2,
  };
  const forge_frame frame = {.bases = bases};
  printf("depthwise %lldx%lld/%lld %3lld %4lld", (long long)kernel, (long long)kernel,
         (long long)stride, (long long)size, (long long)channels);
  for (int i = 0; i < count; i++)
    if (forms[i].runs)
      printf(" %8.1f",
             1e-9 * (double)(size * size * channels * kernel * kernel) /
               least_time(forms[i].depthwise, &a, &frame, forge_quantized_depthwise_tiles(&a)));
  printf("\n");
  fflush(stdout);
  free(weights);
  free(scales);
  free(biases);
  free(bases[IN]);
  free(bases[OUT]);
}

/* Prints the bytes of weights and scales that are read a second. */
static void time_nibbles(const byte_form *forms, int count, int64_t inputs, int64_t outputs,
                         int64_t rows, int32_t group) {
  const image in = float_image(IN, 1, rows, inputs, 0), out = float_image(OUT, 1, rows, outputs, 0);
  const int64_t bytes = forge_nibble_bytes(outputs, inputs, group), groups = inputs / group;
  uint8_t *weights = memory_of(bytes, 0x5a);
  float *scales = memory_of(outputs * groups * 4, 0);
  float *bases[BASES] = {0};
  bases[IN] = memory_of(in.bytes, 1);
  bases[OUT] = memory_of(out.bytes, 0);
  const forge_nibble_digits_arguments d = {in.view, {.base = RANGE}, group};
  bases[RANGE] = memory_of(forge_nibble_digit_words(&d) * 4, 0);
  const forge_frame frame = {.bases = bases};
  const double digits = least_time(forge_kernels(FORGE_SCALAR)->nibble_digits, &d, &frame, rows);
  const forge_nibble_product_arguments a = {.digits = {.base = RANGE},
                                            .out = out.view,
                                            .weights = weights,
                                            .scales = scales,
                                            .inputs = inputs,
                                            .group = group};
  printf("4 bits %lldx%lldx%lld /%-3d ", (long long)rows, (long long)inputs, (long long)outputs,
         group);
  for (int i = 0; i < count; i++)
    if (forms[i].runs)
      printf(" %8.1f",
             1e-9 * (double)(bytes + outputs * groups * 4) /
               least_time(forms[i].nibbles, &a, &frame, forge_nibble_product_tiles(&a)));
  printf("   10^9 bytes a second; digits take %.1f us\n", 1e6 * digits);
  fflush(stdout);
  free(weights);
  free(scales);
  for (int i = IN; i < BASES; i++) free(bases[i]);
}

#if defined(__x86_64__)
/* Products a second of vpdpbusd on registers alone. */
__attribute__((target("avx512vnni,avx512f"))) static double peak_of_quads(void) {
  double least = INFINITY;
  enum { TIMES = 100000, SUMS = 24 };
  for (int run = 0; run < 20; run++) {
    const double start = now();
    for (int i = 0; i < TIMES; i++)
      __asm__ volatile(".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23\n"
                       "vpdpbusd %%zmm30, %%zmm31, %%zmm\\n\n"
                       ".endr" ::
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
                           "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "xmm16",
                           "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23");
    const double time = now() - start;
    least = time < least ? time : least;
  }
  return 64e-9 * SUMS * TIMES / least;
}
#endif

int main(void) {
  byte_form forms[8];
  const int count = forms_of(forms);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vnni"))
    printf("peak of vpdpbusd: %.1f 10^9 products a second\n", peak_of_quads());
#endif
  printf("%-26s", "10^9 products a second");
  for (int i = 0; i < count; i++)
    if (forms[i].runs) printf(" %8.10s", forms[i].name);
  printf("\n");
  static const shape shapes[] = {
    {56, 56, 64, 64, 1, 1, 64},   {56, 56, 64, 256, 1, 1, 64},   {28, 28, 128, 512, 1, 1, 64},
    {28, 28, 512, 128, 1, 1, 64}, {14, 14, 256, 1024, 1, 1, 64}, {14, 14, 1024, 256, 1, 1, 64},
    {7, 7, 512, 2048, 1, 1, 64},  {1, 128, 768, 768, 1, 1, 64},  {1, 128, 3072, 768, 1, 1, 64},
    {112, 112, 96, 16, 1, 1, 64}, {56, 56, 24, 96, 1, 1, 64},    {28, 28, 192, 32, 1, 1, 64},
    {56, 56, 64, 64, 3, 1, 64},   {28, 28, 128, 128, 3, 1, 64},  {14, 14, 256, 256, 3, 1, 64},
    {7, 7, 512, 512, 3, 1, 64},   {28, 28, 128, 128, 3, 2, 64},  {112, 112, 64, 3, 7, 2, 4},
    {112, 112, 32, 3, 3, 2, 4},   {1, 1, 1000, 2048, 1, 1, 64},  {1, 1, 4096, 4096, 1, 1, 64},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    time_convolution(forms, count, shapes[i]);
  time_depthwise(forms, count, 112, 32, 3, 1);
  time_depthwise(forms, count, 56, 96, 3, 2);
  time_depthwise(forms, count, 28, 192, 3, 1);
  time_depthwise(forms, count, 14, 384, 3, 1);
  time_depthwise(forms, count, 7, 960, 3, 1);
  time_depthwise(forms, count, 14, 672, 5, 1);
  time_depthwise(forms, count, 28, 144, 5, 2);
  time_nibbles(forms, count, 4096, 4096, 1, 32);
  time_nibbles(forms, count, 4096, 4096, 1, 128);
  time_nibbles(forms, count, 4096, 1024, 4, 32);
  return 0;
}
