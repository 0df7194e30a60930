/* Sound from a WAV file: 16-bit PCM, one channel. */
#ifndef WAVE_H
#define WAVE_H

#include <stddef.h>

typedef struct {
  float *samples; /* from -1 up to 1; freed by the caller */
  size_t count;
  unsigned rate; /* samples per second */
} wave;

/* Reads a file; returns NULL, or what is wrong with it. */
const char *wave_read(const char *path, wave *result);

#endif
