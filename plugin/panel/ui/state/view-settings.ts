/** How a person views previews. The settings are kept while the page is open, for all sprites alike. */
export interface ViewSettings {
  /** Screen pixels per pixel of the sprite, or the largest whole number that fits. */
  readonly zoom: number | 'fit'
  /** Share of the real speed. */
  readonly speed: number
  readonly ground: 'checker' | 'light' | 'dark' | 'colour'
  /** `#rrggbb` of the ground `colour`. */
  readonly colour: string
  readonly hasOnion: boolean
  readonly hasAnchor: boolean
}

/** The settings of a page at its start. */
export const firstSettings: ViewSettings = {
  zoom: 'fit',
  speed: 1,
  ground: 'checker',
  colour: '#5a8f5a',
  hasOnion: false,
  hasAnchor: true,
}

/** Zooms to choose from. */
export const zooms: readonly ViewSettings['zoom'][] = ['fit', 1, 2, 3, 4, 5, 6, 7, 8]

/** Speeds to choose from. */
export const speeds: readonly number[] = [0.1, 0.25, 0.5, 1, 2]

/** The next zoom in a direction. `fit` is below 1. */
export function zoomBy(zoom: ViewSettings['zoom'], by: 1 | -1): ViewSettings['zoom'] {
  const at = zooms.indexOf(zoom)
  return zooms[Math.min(zooms.length - 1, Math.max(0, at + by))] ?? zoom
}

/**
 * Screen pixels per pixel of a frame.
 *
 * @param room Available pixels.
 */
export function scaleOf(
  zoom: ViewSettings['zoom'],
  frame: { readonly width: number; readonly height: number },
  room: { readonly width: number; readonly height: number },
): number {
  if (zoom !== 'fit') return zoom
  const most = Math.min(8, room.width / frame.width, room.height / frame.height)
  return most >= 1 ? Math.floor(most) : Math.max(0.05, most)
}
