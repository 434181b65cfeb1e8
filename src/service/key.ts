import { SpritewrightError } from '../errors.ts'

/**
 * Trims an API key and checks that it can stand in a header. A key with a line break inside would be printed by the error message of
 * the HTTP library; here it gets no further, and no message repeats it.
 *
 * @throws `SW_NO_KEY` where nothing is left, or where a character is not visible ASCII.
 */
export function parseApiKey(text: string): string {
  const key = text.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  const found = key === '' ? 'an empty text' : 'a text with a space, a line break or a character outside ASCII'
  throw new SpritewrightError('SW_NO_KEY', {
    message: `Expected an API key of visible ASCII characters, found ${found}. Copy it anew from the service's developer console.`,
    facts: {},
  })
}
