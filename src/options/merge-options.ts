type Fields = Readonly<Record<string, unknown>>

/**
 * Merges options. Values of `over` replace values of `base`, key by key, also inside plain objects. If a key is
 * `undefined` in `over`, the value of `base` stays. Lists are replaced as a whole.
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
