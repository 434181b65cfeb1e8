type Fields = Readonly<Record<string, unknown>>

/**
 * Merges options. `over` wins, key by key and inside plain objects. A key that is `undefined` in `over` keeps
 * its value. Lists are replaced whole.
 */
export function mergeOptions<T extends object>(base: T, over: T): T {
  return mergeObjects(base as Fields, over as Fields, 1) as T
}

function mergeObjects(base: Fields, over: Fields, levels: number): Fields {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue
    const below = merged[key]
    merged[key] = levels > 0 && isFields(below) && isFields(value) ? mergeObjects(below, value, levels - 1) : value
  }
  return merged
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
