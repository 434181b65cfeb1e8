import type { SpriteUpdate } from './data.ts'

/** Takes updates; answers nothing. */
export type UpdateListener = (update: SpriteUpdate) => void

interface Bus {
  readonly listeners: Set<UpdateListener>
  isHot: boolean
  /** Loads the page anew, and tells the terminal why. */
  reload?: (why: string) => void
}

/** One bus a page, however often this module is bundled. The plugin's own module in the page makes it hot and tells the updates. */
const busKey = Symbol.for('spritewright.updates')

function bus(): Bus {
  const page = globalThis as { [busKey]?: Bus }
  page[busKey] ??= { listeners: new Set(), isHot: false }
  return page[busKey]
}

/** Listens to updates of the dev server. Answers a function that ends it. In a build nothing ever comes. */
export function onUpdate(listener: UpdateListener): () => void {
  bus().listeners.add(listener)
  return () => void bus().listeners.delete(listener)
}

/** Whether updates may come. */
export function isHot(): boolean {
  return bus().isHot
}

/** For what cannot be swapped in place: loads the page anew. @param why Goes on in words after "… is loaded anew: ". */
export function reloadPage(why: string): void {
  console.warn(`[spritewright] the page is loaded anew: ${why}`)
  bus().reload?.(why)
}
