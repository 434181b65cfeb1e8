import fc from 'fast-check'

type Path = readonly (string | number)[]

/** Values that are wrong in most places, and right in some. */
const others = fc.constantFrom<unknown>(
  null,
  true,
  '',
  ' ',
  'x',
  '2.4',
  0,
  -1,
  1,
  1.5,
  2 ** 53,
  1e21,
  [],
  {},
  [1],
  { a: 1 },
  'a'.repeat(64),
)
const names = fc.constantFrom('a', '__proto__', 'constructor', 'toString', '0')

/**
 * Arbitrary JSON data with up to two places replaced, deleted or added, also in places that should be empty.
 */
export function changedData(data: unknown): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.constantFrom('replace', 'delete', 'add'), fc.nat(), others, names)
  return fc.array(change, { maxLength: 2 }).map((changes) =>
    changes.reduce<unknown>((now, [kind, at, value, name]) => {
      const paths = pathsOf(now)
      const path = paths[at % paths.length] ?? []
      if (kind === 'add') return withPart(now, [...path, name], value)
      return path.length === 0 ? now : withPart(now, path, kind === 'replace' ? value : undefined)
    }, data),
  )
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [path, ...Object.entries(value).flatMap(([key, part]) => pathsOf(part, [...path, Array.isArray(value) ? Number(key) : key]))]
}

/**
 * Returns the value with one part replaced. If `part` is `undefined`, an object loses the field, and a list
 * gets `null` at that place.
 */
function withPart(value: unknown, [step, ...rest]: Path, part: unknown): unknown {
  if (step === undefined) return part
  if (Array.isArray(value))
    return typeof step === 'number' ? value.map((item, at) => (at === step ? withPart(item, rest, part ?? null) : item)) : value
  if (typeof value !== 'object' || value === null) return value
  const fields = new Map<string, unknown>(Object.entries(value))
  const changed = withPart(fields.get(String(step)), rest, part)
  if (changed === undefined) fields.delete(String(step))
  else fields.set(String(step), changed)
  return Object.fromEntries(fields)
}
