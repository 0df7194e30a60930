#include "CForgeArguments.h"

#include <stddef.h>

static int count;
static char *const *values;

#ifdef __GLIBC__
// glibc passes the arguments of main to constructors.
__attribute__((constructor)) static void keep(int argc, char **argv) {
  count = argc;
  values = argv;
}
#endif

int forge_argument_count(void) { return count; }

char *const *forge_arguments(void) { return values; }
