/* The entry of libFuzzer for one reader: READER is the name of its function in ForgeFuzz. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

int READER(const uint8_t *bytes, size_t count);

static unsigned long executions, accepted;

__attribute__((destructor)) static void report(void) {
  fprintf(stderr, "fuzz: %lu executions, %lu accepted\n", executions, accepted);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  executions++;
  accepted += READER(bytes, count) != 0;
  return 0;
}
