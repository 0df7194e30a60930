/* The table of the forms of one level. */
const forge_sound_kernels FORGE_TABLE = {
  .name = FORGE_TABLE_NAME,
  .lanes = FORGE_WIDTH,
  .spectrum = FORGE_FORM(spectrum),
  .synthesis = FORGE_FORM(synthesis),
  .map = FORGE_FORM(map),
  .widen = FORGE_FORM(widen),
  .sum = FORGE_FORM(sum),
  .peak = FORGE_FORM(peak),
  .rows_product = FORGE_FORM(rows_product),
  .resample = FORGE_FORM(resample),
};

#undef lane
