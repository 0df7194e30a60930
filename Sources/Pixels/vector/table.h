/* The table of a level. */
const forge_pixel_rows FORGE_TABLE = {
  FORGE_TABLE_NAME,        FORGE_FORM(from_planar),    FORGE_FORM(from_paired),
  FORGE_FORM(from_full),   FORGE_FORM(from_rgb),       FORGE_FORM(from_bgr),
  FORGE_FORM(from_argb),   FORGE_FORM(exchange),       FORGE_FORM(blend),
  FORGE_FORM(premultiply), FORGE_FORM(luminance),      FORGE_FORM(to_rgb),
  FORGE_FORM(to_bgr),      FORGE_FORM(to_argb),        FORGE_FORM(fill_alpha),
  FORGE_FORM(across4),     FORGE_FORM(across1),        FORGE_FORM(down),
  FORGE_FORM(pairs4),      FORGE_FORM(pairs1),         FORGE_FORM(between),
  FORGE_FORM(widen),       FORGE_FORM(across4_floats), FORGE_FORM(across1_floats),
  FORGE_FORM(down_floats), FORGE_FORM(round),
};
