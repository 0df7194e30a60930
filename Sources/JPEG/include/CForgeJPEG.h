/* Pictures from JPEG files in memory, through libjpeg (libjpeg-turbo or another of its interface).
 *
 * libjpeg reports errors by longjmp, which must never cross a Swift frame: it stays inside the two
 * functions here. They keep nothing between calls, print nothing, release what they took, and may
 * be called by any number of threads at once.
 */
#ifndef CFORGE_JPEG_H
#define CFORGE_JPEG_H

#include <stddef.h>
#include <stdint.h>

/* How a call ended. */
typedef enum {
  FORGE_JPEG_DONE = 0,
  FORGE_JPEG_TRUNCATED = 1,   /* the bytes end before the picture does */
  FORGE_JPEG_DAMAGED = 2,     /* the bytes contradict themselves */
  FORGE_JPEG_UNSUPPORTED = 3, /* in order, but of a form that is not read */
  FORGE_JPEG_NO_MEMORY = 4
} forge_jpeg_status;

/* Bytes that libjpeg's longest message fits into. */
enum { FORGE_JPEG_REASON = 256 };

typedef struct {
  uint32_t width, height;
  /* Bytes per decoded pixel: 1 gray, 3 RGB, 4 CMYK as stored (0 is full ink in Adobe's files). */
  uint32_t components;
  /* The fewest bytes of compressed data that such a picture can have; 0 when nothing is known. */
  uint64_t least_bytes;
} forge_jpeg_header;

/* Reads what stands before the picture. `reason` has room for FORGE_JPEG_REASON bytes and holds
 * libjpeg's words, or is empty. */
forge_jpeg_status forge_jpeg_read_header(
    const uint8_t *bytes, size_t count, forge_jpeg_header *header, char *reason);

/* Decodes the picture into `pixels`, rows from the top, without gaps: height * width * components
 * bytes, as `header` of the same bytes says. Damage that libjpeg would fill with gray is an
 * error. */
forge_jpeg_status forge_jpeg_decode(
    const uint8_t *bytes, size_t count, const forge_jpeg_header *header, uint8_t *pixels,
    char *reason);

#endif
