/* Whether AMX may be used. */
#ifndef FORGE_TILES_H
#define FORGE_TILES_H

#include <stdbool.h>

/* Whether the processor has AMX for bytes, and the operating system lets this process use its
 * registers. Asks the system once. */
bool forge_may_use_tiles(void);

/* The same for AMX for bf16. */
bool forge_may_multiply_bfloats_by_tiles(void);

#endif
