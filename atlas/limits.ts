/**
 * Limits that the packer and those who ask it share: a spec's schema, the options' schema.
 * They are a file of their own, since reading a spec must not load the packer.
 */

/** Longest side of a page, pixels: the least and the most that may be asked for, and the usual one. Over 4096 many phones fail. */
export const pageSide: { readonly least: number; readonly most: number; readonly usual: number } = {
  least: 64,
  most: 16_384,
  usual: 2048,
}

/** Most copies of its edge pixels around a frame. */
export const mostExtrude: number = 16

/** Most clear pixels between two frames. */
export const mostPadding: number = 64
