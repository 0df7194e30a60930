/* One text per thread, so that threads need no lock and a reader no copy. */
#include "forge.h"
#include "forge_message.h"

#include <string.h>

#define FORGE_MESSAGE_BYTES 4096

static _Thread_local char message[FORGE_MESSAGE_BYTES];

const char *forge_last_error(void) { return message; }

void forge_set_last_error(const char *text, size_t count) {
  if (count > FORGE_MESSAGE_BYTES - 1) {
    count = FORGE_MESSAGE_BYTES - 1;
    while (count > 0 && ((unsigned char)text[count] & 0xc0) == 0x80) count--;
  }
  memcpy(message, text, count);
  message[count] = 0;
}
