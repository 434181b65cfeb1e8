/** Names that a warning spells out. */
const told = 12

/** Warns, once for all of them, that frames which the game may still hold are not there any more. */
export function warnOfGone(atlas: string, names: readonly string[]): void {
  if (names.length === 0) return
  const more = names.length > told ? ` and ${names.length - told} more` : ''
  console.warn(
    `[spritewright] frames of "${atlas}" are gone and show the missing-texture picture: ${names.slice(0, told).join(', ')}${more}`,
  )
}

/** Things by name that are kept only as long as somebody else holds them. */
export interface Keepsakes<T extends object> {
  get(name: string): T | undefined
  set(name: string, thing: T): void
  delete(name: string): void
  /** All that are still held, by name. */
  all(): ReadonlyMap<string, T>
}

/** An empty collection. */
export function createKeepsakes<T extends object>(): Keepsakes<T> {
  const kept = new Map<string, WeakRef<T>>()
  return {
    get: (name) => kept.get(name)?.deref(),
    set: (name, thing) => void kept.set(name, new WeakRef(thing)),
    delete: (name) => void kept.delete(name),
    all: () => {
      const alive = new Map<string, T>()
      for (const [name, reference] of kept) {
        const thing = reference.deref()
        if (thing) alive.set(name, thing)
        else kept.delete(name)
      }
      return alive
    },
  }
}
