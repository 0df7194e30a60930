#include "CForgeProcess.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

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

int forge_flush_output(void) {
  errno = 0;
  if (fflush(stdout) != 0) return errno != 0 ? errno : -1;
  return ferror(stdout) != 0 ? -1 : 0;
}
