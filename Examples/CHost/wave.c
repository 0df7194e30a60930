#include "wave.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most bytes of a file. */
#define MOST_BYTES (64L << 20)

static unsigned number(const unsigned char *bytes, int count) {
  unsigned value = 0;
  for (int index = count - 1; index >= 0; index--) value = value << 8 | bytes[index];
  return value;
}

/* The bytes of a file, freed by the caller; NULL if it cannot be read. */
static unsigned char *file_bytes(const char *path, size_t *count) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  unsigned char *bytes = NULL;
  long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (end > 0 && end <= MOST_BYTES && fseek(file, 0, SEEK_SET) == 0) {
    bytes = malloc((size_t)end);
    if (bytes && fread(bytes, 1, (size_t)end, file) != (size_t)end) {
      free(bytes);
      bytes = NULL;
    }
  }
  fclose(file);
  *count = (size_t)end;
  return bytes;
}

static const char *samples_of(const unsigned char *bytes, size_t count, wave *result) {
  if (count < 12 || memcmp(bytes, "RIFF", 4) != 0 || memcmp(bytes + 8, "WAVE", 4) != 0)
    return "not a WAV file";
  int is_known = 0;
  size_t start = 12;
  while (count - start >= 8) {
    const unsigned char *chunk = bytes + start;
    size_t size = number(chunk + 4, 4);
    if (size > count - start - 8) return "the file is cut";
    if (memcmp(chunk, "fmt ", 4) == 0 && size >= 16) {
      is_known =
        number(chunk + 8, 2) == 1 && number(chunk + 10, 2) == 1 && number(chunk + 22, 2) == 16;
      result->rate = number(chunk + 12, 4);
    } else if (memcmp(chunk, "data", 4) == 0) {
      if (!is_known) return "needs 16-bit PCM of one channel";
      result->count = size / 2;
      result->samples = malloc(result->count * sizeof(float) + 1);
      if (!result->samples) return "no memory";
      for (size_t index = 0; index < result->count; index++) {
        int value = (int)number(chunk + 8 + 2 * index, 2);
        result->samples[index] = (float)(value < 32768 ? value : value - 65536) / 32768;
      }
      return NULL;
    }
    start += 8 + size + size % 2;
    if (start > count) break;
  }
  return "the file holds no sound";
}

const char *wave_read(const char *path, wave *result) {
  *result = (wave){NULL, 0, 0};
  size_t count = 0;
  unsigned char *bytes = file_bytes(path, &count);
  if (!bytes) return "cannot be read";
  const char *problem = samples_of(bytes, count, result);
  free(bytes);
  return problem;
}
