import { inspect } from 'node:util'

/** A key that looks different in every encoding. */
export const canary = 'sw_test_c4n4ry/+=&%?-Zz9'

/**
 * The forms in which a key might appear: plain, escaped, in base64 at each of the three alignments, in
 * hexadecimal.
 */
export function disguises(key: string): Record<string, Buffer> {
  const bytes = Buffer.from(key)
  const forms: Record<string, string> = {
    plain: key,
    'url-encoded': encodeURIComponent(key),
    'inside a JSON text': JSON.stringify(key).slice(1, -1),
    'inside a JSON text with slashes escaped': JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
    hexadecimal: bytes.toString('hex'),
    backwards: [...key].reverse().join(''),
  }
  for (const shift of [0, 1, 2]) {
    // Only the groups of four that contain no bit of a neighbour.
    const whole = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64')
    const inner = whole.slice(shift === 0 ? 0 : 4, -4)
    forms[`base64, shifted by ${shift}`] = inner
    forms[`base64url, shifted by ${shift}`] = inner.replaceAll('+', '-').replaceAll('/', '_')
  }
  for (const encoding of ['utf16le'] as const) forms[encoding] = Buffer.from(key, encoding).toString('latin1')
  return Object.fromEntries(Object.entries(forms).map(([name, form]) => [name, Buffer.from(form, 'latin1')]))
}

const forms = Object.entries(disguises(canary))

/** The disguises in which the canary appears in some bytes. */
export function search(bytes: Uint8Array | string): string[] {
  const all = Buffer.from(bytes)
  return forms.flatMap(([name, form]) => (all.includes(form) ? [name] : []))
}

/** Everything that printing or logging an object may show, including hidden members, getters and causes. */
export function everythingOf(value: unknown): string {
  const seen = inspect(value, {
    depth: Number.POSITIVE_INFINITY,
    showHidden: true,
    getters: true,
    maxArrayLength: null,
    maxStringLength: null,
  })
  return [seen, toJson(value), String(value), value instanceof Error ? `${value.stack}` : ''].join('\n')
}

function toJson(value: unknown): string {
  const above = new Set<unknown>()
  try {
    return (
      JSON.stringify(value, (_key, member: unknown) => {
        if (typeof member === 'bigint') return `${member}`
        if (typeof member !== 'object' || member === null) return member
        if (above.has(member)) return undefined
        above.add(member)
        return member
      }) ?? ''
    )
  } catch (error) {
    return `no JSON: ${String(error)}`
  }
}
