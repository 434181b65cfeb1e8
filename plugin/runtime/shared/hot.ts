import type { SpriteUpdate } from './data.ts'

/** A function that gets updates. */
export type UpdateListener = (update: SpriteUpdate) => void

interface Bus {
  readonly listeners: Set<UpdateListener>
  isHot: boolean
  /** Reloads the page, and prints the reason in the terminal. */
  reload?: (why: string) => void
}

/**
 * One bus for each page, even if this module is bundled several times. The plugin's own module in the page
 * sets `isHot` and sends the updates.
 */
const busKey = Symbol.for('spritewright.updates')

function bus(): Bus {
  const page = globalThis as { [busKey]?: Bus }
  page[busKey] ??= { listeners: new Set(), isHot: false }
  return page[busKey]
}

/** Listens to updates of the dev server. Returns a function that stops listening. A build has no updates. */
export function onUpdate(listener: UpdateListener): () => void {
  bus().listeners.add(listener)
  return () => void bus().listeners.delete(listener)
}

/** Whether updates may arrive. */
export function isHot(): boolean {
  return bus().isHot
}

/**
 * Reloads the page, for changes that cannot be swapped in place.
 *
 * @param why Completes the sentence "… is loaded anew: ".
 */
export function reloadPage(why: string): void {
  console.warn(`[spritewright] the page reloads: ${why}`)
  bus().reload?.(why)
}
