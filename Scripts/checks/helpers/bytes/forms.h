/* The forms of the products of bytes that this program can try. */
#ifndef FORMS_H
#define FORMS_H

#include "harness.h"

static inline int forms_of(byte_form forms[8]) {
  int count = 0;
  static const char *const names[] = {"scalar", "baseline", "avx2", "avx512"};
  for (int level = FORGE_BASELINE; level <= FORGE_AVX512; level++) {
    const forge_kernel_table *table =
      forge_kernels_with((forge_level)level, FORGE_PRODUCTS_OF_PAIRS);
    forms[count++] = (byte_form){names[level], table ? table->quantized_convolution : NULL,
                                 table ? table->quantized_depthwise : NULL,
                                 table ? table->nibble_product : NULL, table != NULL};
  }
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool quads = __builtin_cpu_supports("avx512vnni") && forge_kernels(FORGE_AVX512);
  forms[count++] =
    (byte_form){"avx512vnni", forge_quantized_convolution_avx512vnni,
                forge_quantized_depthwise_avx512vnni, forge_nibble_product_avx512vnni, quads};
#if defined(FORGE_TRY_AVXVNNI)
  const bool narrow = quads;
  const char *const narrow_name = "avxvnni (as AVX-512 has its instruction)";
#else
  const bool narrow = __builtin_cpu_supports("avxvnni") && forge_kernels(FORGE_AVX2);
  const char *const narrow_name = "avxvnni";
#endif
  forms[count++] =
    (byte_form){narrow_name, forge_quantized_convolution_avxvnni, forge_quantized_depthwise_avxvnni,
                forge_nibble_product_avxvnni, narrow};
#if defined(FORGE_TRY_TILES)
  const bool tiles = quads;
  const char *const tiles_name = "avx512amx (emulated)";
#else
  const bool tiles = forge_best_products(FORGE_AVX512) == FORGE_PRODUCTS_OF_TILES;
  const char *const tiles_name = "avx512amx";
#endif
  forms[count++] =
    (byte_form){tiles_name, forge_quantized_convolution_avx512amx,
                forge_quantized_depthwise_avx512amx, forge_nibble_product_avx512amx, tiles};
#elif defined(__aarch64__)
  const forge_byte_products best = forge_best_products(FORGE_BASELINE);
  forms[count++] =
    (byte_form){"dotprod", forge_quantized_convolution_dotprod, forge_quantized_depthwise_dotprod,
                forge_nibble_product_dotprod, best >= FORGE_PRODUCTS_OF_QUADS};
  forms[count++] =
    (byte_form){"i8mm", forge_quantized_convolution_i8mm, forge_quantized_depthwise_i8mm,
                forge_nibble_product_i8mm, best >= FORGE_PRODUCTS_OF_TILES};
#endif
  return count;
}

#endif
