/* What the products of bytes of arm64 share. */
#include <arm_neon.h>

#define FORGE_HAS_FMA 0
#define FORGE_BYTES 0
#define FORGE_HAS_QUADS 1
#define FORGE_BYTE_VECTORS 1
#define FORGE_BYTE_DEPTHWISE 1
#define FORGE_NIBBLE_ROWS 1
#define FORGE_ACTIVATE_PIXELS forge_activate_pixels_baseline
#define FORGE_RECURRENT_BLOCKS forge_recurrent_blocks_baseline
