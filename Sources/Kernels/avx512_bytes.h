/* The sizes of tiles of bytes with AVX512-VNNI. */
#define FORGE_HAS_FMA 1
#define FORGE_BYTES 512
#define FORGE_HAS_QUADS 1
/* Of 32 registers: rows * vectors sums, the vectors' weights, one input. */
#define FORGE_BYTE_VECTORS 4
#define FORGE_BYTE_ROWS_1 14
#define FORGE_BYTE_ROWS_2 12
#define FORGE_BYTE_ROWS_3 8
#define FORGE_BYTE_ROWS_4 6
#define FORGE_BYTE_DEPTHWISE 4 /* 16 sums, 4 quads, 4 rows */
#define FORGE_NIBBLE_ROWS 4    /* 12 sums, 4 totals, weights */
#define FORGE_ACTIVATE_PIXELS forge_activate_pixels_avx512
#define FORGE_RECURRENT_BLOCKS forge_recurrent_blocks_avx512
