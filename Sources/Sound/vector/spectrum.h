/* Frames of samples to spectra and bands, and back, FORGE_WIDTH frames at a time. */

/* The spectrum of `size` real numbers out of the transform `z` of their pairs: `bins` complex
 * numbers to `out`. */
static void FORGE_FORM(untangle)(const forge_spectrum *s, const lane *z, lane *out) {
  const int64_t half = s->size / 2;
  out[0] = z[0] + z[1], out[1] = (lane){0};
  out[2 * half] = z[0] - z[1], out[2 * half + 1] = (lane){0};
  for (int64_t k = 1; 2 * k <= half; k++) {
    const lane ar = z[2 * k], ai = z[2 * k + 1];
    const lane br = z[2 * (half - k)], bi = z[2 * (half - k) + 1];
    const lane er = (ar + br) * 0.5f, ei = (ai - bi) * 0.5f;
    const lane dr = (ai + bi) * 0.5f, di = (br - ar) * 0.5f;
    const float c = s->turns[2 * k], w = s->turns[2 * k + 1];
    const lane tr = dr * c - di * w, ti = dr * w + di * c;
    out[2 * k] = er + tr, out[2 * k + 1] = ei + ti;
    out[2 * (half - k)] = er - tr, out[2 * (half - k) + 1] = ti - ei;
  }
}

/* Complex numbers as powers or magnitudes, in place. */
static void FORGE_FORM(strengths)(lane *numbers, int64_t bins, bool magnitudes) {
  for (int64_t k = 0; k < bins; k++) {
    const lane re = numbers[2 * k], im = numbers[2 * k + 1];
    const lane power = re * re + im * im;
    numbers[k] = magnitudes ? __builtin_elementwise_sqrt(power) : power;
  }
}

static void FORGE_FORM(spectrum)(const forge_spectrum *s, int64_t first, uint8_t *scratch) {
  const int64_t size = s->size, bins = size / 2 + 1, points = s->fourier->size;
  const int64_t buffer = s->fourier->inner ? s->fourier->inner->size : points;
  lane *in = (lane *)scratch, *other = in + 2 * buffer, *result = other + 2 * buffer;
  lane *bands = result + 2 * bins;
  const int64_t frames = s->frames - first < FORGE_WIDTH ? s->frames - first : FORGE_WIDTH;
  const float *rows[FORGE_WIDTH];
  for (int64_t k = 0; k < FORGE_WIDTH; k++)
    rows[k] = s->samples + (first + (k < frames ? k : frames - 1)) * s->hop;

  if (points < size || size == 1) {
    FORGE_FORM(gather)(rows, size, in);
    for (int64_t i = 0; i < size; i++) in[i] *= s->window[i];
    if (size == 1) in[1] = (lane){0};
  } else {
    /* An odd size: complex numbers without imaginary parts. */
    FORGE_FORM(gather)(rows, size, other);
    for (int64_t i = 0; i < size; i++)
      in[2 * i] = other[i] * s->window[i], in[2 * i + 1] = (lane){0};
  }
  lane *z = FORGE_FORM(fourier)(s->fourier, in, other);
  if (points < size) {
    FORGE_FORM(untangle)(s, z, result);
    z = result;
  }

  int64_t values = bins;
  if (s->kind == FORGE_SPECTRUM_COMPLEX) {
    values = 2 * bins;
  } else {
    FORGE_FORM(strengths)
    (z, bins,
     s->kind == FORGE_SPECTRUM_MAGNITUDE || (s->kind == FORGE_SPECTRUM_BANDS && s->magnitudes));
  }
  if (s->kind == FORGE_SPECTRUM_BANDS) {
    for (int64_t b = 0; b < s->bands; b++) {
      const float *weights = s->weights + s->offset[b];
      const lane *bin = z + s->first[b];
      lane sum = {0};
      for (int64_t i = 0; i < s->count[b]; i++) sum += bin[i] * weights[i];
      bands[b] = sum;
    }
    values = s->bands;
    z = bands;
    if (s->map >= 0)
      FORGE_FORM(map)(s->map, (float *)z, values * FORGE_WIDTH, s->a, s->b, s->c, (float *)z);
  }
  float *to[FORGE_WIDTH];
  for (int64_t k = 0; k < frames; k++) to[k] = s->out + (first + k) * values;
  FORGE_FORM(scatter)(z, values, to, frames);
}

/* The conjugate of the transform of pairs that has the spectrum `x`, twice as large. */
static void FORGE_FORM(tangle)(const forge_synthesis *s, const lane *x, lane *out) {
  const int64_t half = s->size / 2;
  out[0] = x[0] + x[2 * half], out[1] = x[2 * half] - x[0];
  for (int64_t k = 1; 2 * k <= half; k++) {
    const lane ar = x[2 * k], ai = x[2 * k + 1];
    const lane br = x[2 * (half - k)], bi = x[2 * (half - k) + 1];
    const lane er = ar + br, ei = ai - bi, dr = ar - br, di = ai + bi;
    const float c = s->turns[2 * k], w = s->turns[2 * k + 1];
    /* d times the conjugate of the turn */
    const lane tr = dr * c + di * w, ti = di * c - dr * w;
    out[2 * k] = er - ti, out[2 * k + 1] = -(ei + tr);
    out[2 * (half - k)] = er + ti, out[2 * (half - k) + 1] = ei - tr;
  }
}

static void FORGE_FORM(synthesis)(const forge_synthesis *s, int64_t first) {
  const int64_t size = s->size, bins = size / 2 + 1, points = s->fourier->size;
  const int64_t buffer = s->fourier->inner ? s->fourier->inner->size : points;
  lane *in = (lane *)s->scratch, *other = in + 2 * buffer, *spectra = other + 2 * buffer;
  const int64_t frames = s->frames - first < FORGE_WIDTH ? s->frames - first : FORGE_WIDTH;
  const float *rows[FORGE_WIDTH];
  for (int64_t k = 0; k < FORGE_WIDTH; k++)
    rows[k] = s->spectra + (first + (k < frames ? k : frames - 1)) * 2 * bins;
  FORGE_FORM(gather)(rows, 2 * bins, spectra);
  if (points < size) {
    FORGE_FORM(tangle)(s, spectra, in);
  } else {
    in[0] = spectra[0], in[1] = (lane){0};
    for (int64_t k = 1; k < bins; k++) {
      in[2 * k] = spectra[2 * k], in[2 * k + 1] = -spectra[2 * k + 1];
      in[2 * (size - k)] = spectra[2 * k], in[2 * (size - k) + 1] = spectra[2 * k + 1];
    }
  }
  lane *z = FORGE_FORM(fourier)(s->fourier, in, other);
  if (points == size)
    for (int64_t i = 0; i < size; i++) z[i] = z[2 * i];
  for (int64_t i = 0; i < size; i++) z[i] *= s->window[i];
  /* Frames one after the other, so that sums do not depend on the lanes. */
  float *samples = (float *)(z == in ? other : in);
  float *to[FORGE_WIDTH];
  for (int64_t k = 0; k < frames; k++) to[k] = samples + k * size;
  FORGE_FORM(scatter)(z, size, to, frames);
  for (int64_t k = 0; k < frames; k++) {
    float *out = s->out + (first + k) * s->hop;
    for (int64_t i = 0; i < size; i++) out[i] += to[k][i];
  }
}
