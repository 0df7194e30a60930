/* Samples of files as floats and back. */
#include "sound.h"

#pragma STDC FP_CONTRACT OFF

/* The bytes of a sample as a number, the lowest first or last. */
static inline __attribute__((always_inline)) uint64_t number(const uint8_t *in, int bytes,
                                                             bool big) {
  uint64_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint64_t)in[i] << (8 * (big ? bytes - 1 - i : i));
  return value;
}

static inline float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline double double_of(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline __attribute__((always_inline)) void read(int32_t form, bool big, const uint8_t *in,
                                                       int64_t count, float *out) {
  const float unit8 = 1 / 128.0f, unit24 = 1 / 8388608.0f, unit32 = 1 / 2147483648.0f;
  switch (form) {
    case FORGE_SAMPLES_U8:
      for (int64_t i = 0; i < count; i++) out[i] = (float)(in[i] - 128) * unit8;
      break;
    case FORGE_SAMPLES_I8:
      for (int64_t i = 0; i < count; i++) out[i] = (float)(int8_t)in[i] * unit8;
      break;
    case FORGE_SAMPLES_I16:
      for (int64_t i = 0; i < count; i++)
        out[i] = (float)(int16_t)number(in + 2 * i, 2, big) * (1 / 32768.0f);
      break;
    case FORGE_SAMPLES_I24:
      for (int64_t i = 0; i < count; i++)
        out[i] = (float)((int32_t)(number(in + 3 * i, 3, big) << 8) >> 8) * unit24;
      break;
    case FORGE_SAMPLES_I32:
      for (int64_t i = 0; i < count; i++)
        out[i] = (float)(int32_t)number(in + 4 * i, 4, big) * unit32;
      break;
    case FORGE_SAMPLES_F32:
      for (int64_t i = 0; i < count; i++) out[i] = float_of((uint32_t)number(in + 4 * i, 4, big));
      break;
    default:
      for (int64_t i = 0; i < count; i++) out[i] = (float)double_of(number(in + 8 * i, 8, big));
  }
}

void forge_samples_read(forge_level level, int32_t form, bool big, const uint8_t *in, int64_t count,
                        float *out) {
  const uint16_t one = 1;
  const bool is_little = *(const uint8_t *)&one == 1;
  if (form == FORGE_SAMPLES_I16 && !big && is_little && (uintptr_t)in % 2 == 0)
    forge_widen(level, (const int16_t *)(const void *)in, count, 1 / 32768.0f, out);
  else if (big)
    read(form, true, in, count, out);
  else
    read(form, false, in, count, out);
}

/* The nearest integer of `bits` bits to x*2^(bits - 1). */
static int64_t rounded(float x, int bits) {
  const double most = (double)(INT64_C(1) << (bits - 1));
  if (x != x) return 0;
  double scaled = (double)x * most;
  if (scaled >= most - 1) return (INT64_C(1) << (bits - 1)) - 1;
  if (scaled <= -most) return -(INT64_C(1) << (bits - 1));
  return (int64_t)__builtin_rint(scaled);
}

void forge_samples_write(int32_t form, const float *in, int64_t count, uint8_t *out) {
  static const int widths[] = {1, 1, 2, 3, 4, 4, 8};
  const int bytes = widths[form];
  for (int64_t i = 0; i < count; i++) {
    uint64_t value = 0;
    if (form == FORGE_SAMPLES_F32) {
      uint32_t bits;
      memcpy(&bits, in + i, sizeof bits);
      value = bits;
    } else if (form == FORGE_SAMPLES_F64) {
      const double wide = (double)in[i];
      memcpy(&value, &wide, sizeof value);
    } else {
      value = (uint64_t)(rounded(in[i], 8 * bytes) + (form == FORGE_SAMPLES_U8 ? 128 : 0));
    }
    for (int k = 0; k < bytes; k++) out[i * bytes + k] = (uint8_t)(value >> (8 * k));
  }
}

void forge_mono(const float *in, int64_t count, int64_t channels, float *out) {
  const float share = 1 / (float)channels;
  for (int64_t f = 0; f < count; f++) {
    float sum = 0;
    for (int64_t c = 0; c < channels; c++) sum += in[f * channels + c];
    out[f] = channels == 1 ? sum : sum * share;
  }
}
