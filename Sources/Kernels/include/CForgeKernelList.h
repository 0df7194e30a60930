/* The list of kernels. A line here declares a kernel for all instruction sets ("levels"), adds
 * it to their tables, defines its number of tiles, and includes it in the tests of all kernels. */
#ifndef CFORGE_KERNEL_LIST_H
#define CFORGE_KERNEL_LIST_H

/* X(name, arguments, levels, tiles):
 *   name       the field of forge_kernel_table; the functions are forge_<name>_<level>
 *   arguments  forge_<arguments>_arguments
 *   levels     EVERY: each level has its own function
 *              SHARED: all levels use the scalar function, which vectors would not make faster
 *              VECTORS: each level but the scalar one has a function
 *              PRODUCTS: as EVERY, with further functions for processors that multiply bytes:
 *                AVX-VNNI (_avxvnni), AVX512-VNNI (_avx512vnni), AMX (_avx512amx), arm64's dot
 *                products (_dotprod) and i8mm (_i8mm)
 *   tiles      the value of forge_<name>_tiles for arguments `a`; dispatch.c defines the terms */
#define FORGE_KERNELS(X)                                                                      \
  X(block, block, SHARED, rows_of_blocks(&a->out))                                            \
  X(unblock, unblock, SHARED, a->out.height)                                                  \
  X(clear_halo, clear_halo, SHARED, rows_of_blocks(&a->out))                                  \
  X(fill, fill, SHARED, forge_blocks(a->out.channels))                                        \
  X(copy, copy, SHARED, forge_blocks(a->out.channels))                                        \
  X(copy_channels, copy_channels, SHARED, 1)                                                  \
  X(gather_channels, gather_channels, SHARED, a->out.height)                                  \
  X(convolution, convolution, EVERY, panels(a) * rows(a) * forge_larger(a->segments, 1))      \
  X(plain_convolution, plain_convolution, EVERY, panels(a) * a->out.height)                   \
  X(winograd, winograd, VECTORS, forge_winograd_layout_of(a).chunks)                          \
  X(winograd_input, winograd, VECTORS, winograd_input_tiles(a))                               \
  X(winograd_output, winograd, VECTORS, winograd_output_tiles(a))                             \
  X(row_factors, even_rows, VECTORS, even_tiles(a))                                           \
  X(even_rows, even_rows, VECTORS, even_tiles(a))                                             \
  X(strassen, strassen, VECTORS, forge_strassen_panels(a) * a->segments)                      \
  X(strassen_sums, strassen, VECTORS, forge_strassen_groups(a) * a->segments)                 \
  X(grouped_convolution, grouped_convolution, EVERY, rows_of_blocks(&a->out))                 \
  X(depthwise, depthwise, EVERY, rows_of_blocks(&a->out))                                     \
  X(pooling, pooling, EVERY, rows_of_blocks(&a->out))                                         \
  X(activation, activation, EVERY, rows_of_blocks(&a->out))                                   \
  X(affine, affine, EVERY, rows_of_blocks(&a->out))                                           \
  X(binary, binary, EVERY, rows_of_blocks(&a->out))                                           \
  X(softmax, softmax, EVERY, a->out.height)                                                   \
  X(resize, resize, SHARED, 1)                                                                \
  X(gather_plain, gather_plain, SHARED, a->outer)                                             \
  X(gather_rows, gather_rows, SHARED, a->outer)                                               \
  X(gather_elements, gather_elements, SHARED, a->out_sizes[0])                                \
  X(scatter, scatter, SHARED, forge_quotient_up(a->sizes[a->split], a->share))                \
  X(unary_plain, unary_plain, EVERY, forge_quotient_up(a->count, FORGE_PLAIN_TILE))           \
  X(combine_plain, binary_plain, SHARED, first_size(a))                                       \
  X(select, select, SHARED, first_size(a))                                                    \
  X(reduce_rows, reduce_rows, SHARED, a->rows)                                                \
  X(argument_rows, argument_rows, SHARED, a->rows)                                            \
  X(top_rows, top_rows, SHARED, a->rows)                                                      \
  X(cumulative_sum, cumulative_sum, SHARED, a->rows)                                          \
  X(matrix_product, matrix_product, EVERY, product_tiles(a))                                  \
  X(attention, attention, EVERY, attention_tiles(a))                                          \
  X(append_rows, append_rows, SHARED, a->in.width)                                            \
  X(rows_from, rows_from, SHARED, a->out.width)                                               \
  X(rotate, rotate, EVERY, a->out.height * a->heads)                                          \
  X(advance, advance, SHARED, 1)                                                              \
  X(recurrent, recurrent, EVERY, recurrent_tiles(a))                                          \
  X(place_pixels, place_pixels, SHARED, rows_of_blocks(&a->in))                               \
  X(depth_to_space, depth_to_space, SHARED, a->out.height)                                    \
  X(space_to_depth, space_to_depth, SHARED, a->out.height)                                    \
  X(pooling_nd, pooling_nd, SHARED, positions(a->rank, a->out_sizes))                         \
  X(normalize_rows, normalize_rows, EVERY, a->rows)                                           \
  X(normalize_pixels, normalize_pixels, EVERY, a->out.height *forge_normalize_runs(&a->out))  \
  X(normalize_moments, normalize_groups, EVERY, rows_of_blocks(&a->in))                       \
  X(normalize_groups, normalize_groups, SHARED, 1)                                            \
  X(normalize_apply, normalize_groups, EVERY, rows_of_blocks(&a->out))                        \
  X(local_response, local_response, SHARED, a->rows)                                          \
  X(resample, resample, SHARED, a->outer * a->out_size)                                       \
  X(suppress, suppress, SHARED, 1)                                                            \
  X(tree_ensemble, tree_ensemble, SHARED, forge_quotient_up(a->rows, FORGE_TREE_ROWS))        \
  X(copy_plain, copy_plain, SHARED, first_size(a))                                            \
  X(binary_plain, binary_plain, EVERY, first_size(a))                                         \
  X(activation_plain, activation_plain, EVERY, forge_quotient_up(a->count, FORGE_PLAIN_TILE)) \
  X(softmax_plain, softmax_plain, EVERY, a->rows)                                             \
  X(quantized_convolution, quantized_convolution, PRODUCTS,                                   \
    byte_panels(a) * rows(a) * forge_larger(a->segments, 1))                                  \
  X(quantized_depthwise, quantized_depthwise, PRODUCTS, rows_of_byte_blocks(&a->out))         \
  X(quantize, quantize, EVERY, rows_of_byte_blocks(&a->out))                                  \
  X(dequantize, dequantize, EVERY, rows_of_byte_blocks(&a->in))                               \
  X(quantize_pixels, quantize_pixels, EVERY, (int64_t)a->top + a->out.height + a->bottom)     \
  X(byte_block, byte_block, SHARED, rows_of_byte_blocks(&a->out))                             \
  X(byte_unblock, byte_unblock, SHARED, a->in.height)                                         \
  X(byte_halo, byte_halo, SHARED, rows_of_byte_blocks(&a->out))                               \
  X(float_range, float_range, EVERY, rows_of_blocks(&a->in))                                  \
  X(dynamic_range, dynamic_range, SHARED, 1)                                                  \
  X(quantized_binary, quantized_binary, EVERY, rows_of_byte_blocks(&a->out))                  \
  X(quantized_pooling, quantized_pooling, EVERY, rows_of_byte_blocks(&a->out))                \
  X(dynamic_recurrent, recurrent, PRODUCTS, recurrent_tiles(a))                               \
  X(nibble_digits, nibble_digits, SHARED, (int64_t)a->in.height * a->in.width)                \
  X(nibble_product, nibble_product, PRODUCTS, forge_blocks(a->out.channels))                  \
  X(byte_lookup, byte_lookup, EVERY, rows_of_byte_blocks(&a->out))                            \
  X(byte_copy_channels, byte_copy_channels, SHARED, a->in.height)

/* X(name, needs, arguments, tiles): the kernels of weights that are not floats, fields of
 * forge_precision_table. Their number of tiles is forge_<tiles>_tiles, given
 * forge_<arguments>_arguments. The scalar level has all of them, the others those whose
 * instructions the processor has:
 *   F16C (AVX2 with F16C, or AVX-512), AVX512, BF16 (AVX512-BF16), VNNI (AVX512-VNNI),
 *   TILES (AMX for bf16)
 *   VBMI2: as F16C, with kernels of their own where there is AVX512-VBMI2 */
#define FORGE_PRECISION_KERNELS(X)                            \
  X(half_convolution, F16C, convolution, convolution)         \
  X(fixed_convolution, VBMI2, convolution, convolution)       \
  X(fixed_recurrent, VBMI2, recurrent, recurrent)             \
  X(half_recurrent, F16C, recurrent, recurrent)               \
  X(bfloat_recurrent, BF16, recurrent, recurrent)             \
  X(byte_recurrent, VNNI, recurrent, recurrent)               \
  X(bfloat_input, BF16, words, words)                         \
  X(bfloat_convolution, BF16, convolution, convolution)       \
  X(bfloat_tile_input, TILES, words, wide_words)              \
  X(bfloat_patch_input, TILES, patch_words, patch_words)      \
  X(bfloat_tile_convolution, TILES, convolution, convolution) \
  X(byte_range, VNNI, words, byte_range)                      \
  X(byte_input, VNNI, words, words)                           \
  X(byte_convolution, VNNI, convolution, convolution)

#endif
