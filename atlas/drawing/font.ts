import type { Bitmap } from '../bitmap.ts'

/** Five rows of three pixels per letter. Each row is an octal digit, its highest bit the left pixel. */
const GLYPHS: Readonly<Record<string, string>> = {
  ...{ a: '25755', b: '65656', c: '34443', d: '65556', e: '74647', f: '74644', g: '34553', h: '55755', i: '72227', j: '11152' },
  ...{ k: '55655', l: '44447', m: '57755', n: '65555', o: '25552', p: '65644', q: '25563', r: '65655', s: '34216', t: '72222' },
  ...{ u: '55557', v: '55552', w: '55775', x: '55255', y: '55222', z: '71247', '0': '75557', '1': '26227', '2': '71747', '3': '71317' },
  ...{
    '4': '55711',
    '5': '74717',
    '6': '74757',
    '7': '71111',
    '8': '75757',
    '9': '75717',
    '.': '00002',
    ',': '00024',
    '-': '00700',
    _: '00007',
  },
}

/** Height of a line of text, pixels. */
export const LETTER_HEIGHT = 10
/** Distance between the left edges of two letters, pixels. */
export const LETTER_WIDTH = 8

/**
 * Writes text into an opaque picture, in lower case. Text that does not fit is cut off. A character without a
 * glyph leaves a space.
 *
 * @param colour Red, green, blue.
 */
export function write(
  target: Bitmap,
  text: string,
  x: number,
  y: number,
  colour: readonly [number, number, number],
  maxWidth: number,
): void {
  const room = Math.max(0, Math.floor((maxWidth + 2) / LETTER_WIDTH))
  for (const [at, letter] of [...text.toLowerCase()].slice(0, room).entries()) {
    for (const [row, digit] of [...(GLYPHS[letter] ?? '')].entries())
      for (let column = 0; column < 3; column++) {
        if (((Number(digit) >> (2 - column)) & 1) === 0) continue
        for (let dot = 0; dot < 4; dot++) {
          const [toX, toY] = [x + at * LETTER_WIDTH + 2 * column + (dot & 1), y + 2 * row + (dot >> 1)]
          if (toX < target.width && toY < target.height) target.data.set([...colour, 255], (toY * target.width + toX) * 4)
        }
      }
  }
}
