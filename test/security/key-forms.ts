/** A key that every encoding changes. */
export const key = 'sk-"canary"/5f+3a%9c\\7e1b=?&~end'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const percent = (text: string): string => [...bytes(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const unicode = (text: string): string => [...bytes(text)].map((byte) => `\\u00${byte.toString(16).padStart(2, '0')}`).join('')

/**
 * The forms into which a careless or hostile program may turn a key, by name. The list is independent of the
 * tested code on purpose.
 */
export const forms: Readonly<Record<string, (key: string) => string>> = {
  plain: (text) => text,
  'base64, first alignment': (text) => bytes(text).toString('base64'),
  'base64, second alignment': (text) => bytes(`:${text}:`).toString('base64'),
  'base64, third alignment': (text) => bytes(`u:${text}::`).toString('base64'),
  'base64 for URLs, first alignment': (text) => bytes(text).toString('base64url'),
  'base64 for URLs, second alignment': (text) => bytes(`:${text}:`).toString('base64url'),
  'base64 for URLs, third alignment': (text) => bytes(`u:${text}::`).toString('base64url'),
  'base64 in a URL': (text) => encodeURIComponent(bytes(`:${text}`).toString('base64')),
  'base64 in JSON that escapes slashes': (text) => bytes(`:${text}`).toString('base64').replaceAll('/', '\\/'),
  'lower hex': (text) => bytes(text).toString('hex'),
  'upper hex': (text) => bytes(text).toString('hex').toUpperCase(),
  'URL-encoded': encodeURIComponent,
  'URL-encoded as a form': (text) => new URLSearchParams([['k', text]]).toString(),
  'URL-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'URL-encoded to the last character': percent,
  'JSON-escaped': (text) => JSON.stringify(text),
  'JSON-escaped twice': (text) => JSON.stringify(JSON.stringify(text)),
  'JSON-escaped to the last character': unicode,
}

/**
 * Whether six consecutive characters of the key can be read from a text, after decoding all of it in every
 * usual way.
 */
export function reveals(text: string, secret: string): boolean {
  const windows = Array.from({ length: secret.length - 5 }, (_, index) => secret.slice(index, index + 6))
  return decodings(text).some((decoded) => windows.some((window) => decoded.includes(window)))
}

function decodings(text: string): string[] {
  const unescaped = (from: string): string =>
    from.replace(/\\+u00([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))).replace(/\\(["/\\])/g, '$1')
  const unpercented = (from: string): string =>
    from.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const plains = [text, unescaped(text), unescaped(unescaped(text)), unpercented(text), unpercented(unpercented(text))]
  return plains.flatMap((plain) => [
    plain,
    ...[...plain.matchAll(/[\w+/-]{8,}/g)].flatMap(([run]) =>
      [0, 1, 2, 3].map((skip) => Buffer.from(run.slice(skip), 'base64').toString('latin1')),
    ),
    ...[...plain.matchAll(/[0-9a-f]{12,}/gi)].flatMap(([run]) =>
      [0, 1].map((skip) => Buffer.from(run.slice(skip), 'hex').toString('latin1')),
    ),
  ])
}
