/**
 * Limits that the packer shares with the schemas of a spec and of the options. They are in a separate file, since
 * reading a spec must not load the packer.
 */

/**
 * Longest side of a page, pixels: the smallest and the largest allowed value, and the default. Pages over 4096 fail
 * on many phones.
 */
export const pageSide: { readonly least: number; readonly most: number; readonly usual: number } = { least: 64, most: 16_384, usual: 2048 }

/** Most rings of repeated edge pixels around a frame. */
export const mostExtrude: number = 16

/** Most clear pixels between two frames. */
export const mostPadding: number = 64

/** Boxes that can be found from pixels. */
export const foundBoxes = ['body', 'feet', 'hurt', 'hit'] as const
