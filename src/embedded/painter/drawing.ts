import { coloursIn, ink, lightOf, parseColour, type Rgb, shadeOf, toHex } from './colours.ts'
import { pieces, readTable } from './pieces.ts'

/** Something to draw in a square of 256 units, its feet at y = 246 to leave room for an outline. */
export type Subject = ReturnType<typeof readSubjects>[number]

/** Reads a table of subjects: `= NAMES | MAIN SECOND | HEAD`, then rows for {@link toSvg}. */
export function readSubjects(table: string) {
  return readTable(table).map(({ title, rows }) => {
    const [names = '', colours = '', head = ''] = title.split(' | ')
    const [main, second] = colours.split(' ').map((colour) => readColour(colour, {}))
    return {
      /** Words of a prompt that name it. */
      names: names.split(' '),
      /** Its colours if the prompt names none. */
      main: main!,
      second: second!,
      /** Place of its head, `X Y SCALE`. */
      head,
      rows,
    }
  })
}

/**
 * Turns the rows of a drawing into SVG.
 *
 * | row | draws |
 * |---|---|
 * | `part COLOUR [SHADE LIGHT OUTLINE]: PATH` | a shape with shade at its lower left, light at its upper right, and an outline |
 * | `spot COLOUR [OPACITY]: PATH` | a plain shape |
 * | `line COLOUR WIDTH [OPACITY]: PATH` | a line with round ends |
 * | `eyes X Y APART SIZE` | two eyes |
 * | `pair ROW` | the row, and once more mirrored about x = 128 |
 * | `at X Y [SCALE DEGREES]` … `end` | the rows up to `end` about another point |
 * | `use PIECE COLOUR [X Y SCALE DEGREES]` | the rows of a shared piece |
 *
 * A colour is `#rrggbb`, a name of `palette` or of prompts, or one of these with `-32` or `+42`: so many
 * percent towards shade or light. A path is SVG path data in which `E x y rx [ry]` is an ellipse. All lengths
 * are in units of the drawing.
 *
 * @throws {Error} If a row names an unknown colour: a mistake in a drawing.
 */
export function toSvg(rows: string, palette: Readonly<Record<string, Rgb>>): string {
  const drawAll = (text: string, side: 1 | -1): string => {
    const lines = text.split('\n').map((row) => row.trim())
    return lines.map((row) => (row === '' ? '' : draw(row, side))).join('')
  }
  const draw = (row: string, side: 1 | -1): string => {
    const [head = '', text = ''] = row.split(':')
    const [word = '', name = '', ...rest] = head.split(' ')
    const path = toPath(text)
    switch (word) {
      case 'at':
        return `<g transform="translate(${name} ${rest[0]}) scale(${rest[1] ?? 1}) rotate(${rest[2] ?? 0})">`
      case 'end':
        return '</g>'
      case 'pair':
        return `${draw(row.slice(5), side)}<g transform="matrix(-1 0 0 1 256 0)">${draw(row.slice(5), -side as 1 | -1)}</g>`
      case 'use': {
        const piece = pieces.find((each) => each.name === name)!.rows.replaceAll('main', rest[0]!)
        return drawAll(`at ${rest.slice(1).join(' ') || '0 0'}\n${piece}\nend`, side)
      }
      case 'eyes':
        return drawAll(toEyes([name, ...rest].map(Number)), side)
    }
    const colour = readColour(name, palette)
    const [first, second, third] = rest.map(Number)
    if (word === 'spot') return `<path d="${path}" fill="${toHex(colour)}" opacity="${first ?? 1}"/>`
    if (word === 'line') return stroke(path, colour, first!, second)
    return toPart(path, colour, [first ?? 10, second ?? 5, third ?? 6], side)
  }
  return drawAll(rows, 1)
}

/** In a mirrored part, `side` is -1: light comes from the right there too. */
function toPart(path: string, colour: Rgb, [shade, light, outline]: readonly [number, number, number], side: 1 | -1): string {
  // The path is the id: equal paths cut equal shapes, so two parts can share an id.
  const id = path.replace(/[^-.\w]/g, '_')
  const fill = (paint: Rgb): string => `<rect x="-999" y="-999" width="1999" height="1999" fill="${toHex(paint)}"/>`
  const clip = (x: number, y: number, inside: string): string =>
    `<g transform="translate(${x * side} ${y})" clip-path="url(#${id})">${inside}</g>`
  // The shape, moved up and right, leaves shade uncovered. Moved down and left, it leaves light uncovered.
  const lit = light === 0 ? fill(colour) : fill(lightOf(colour)) + clip(-light, light, fill(colour))
  const whole = shade === 0 ? lit : fill(shadeOf(colour)) + clip(shade, -0.8 * shade, lit)
  const edge = outline === 0 ? '' : stroke(`${path}Z`, ink, outline)
  return `<clipPath id="${id}"><path d="${path}"/></clipPath>${clip(0, 0, whole)}${edge}`
}

function stroke(path: string, colour: Rgb, width: number, opacity: number = 1): string {
  const look = `fill="none" stroke-linecap="round" stroke-linejoin="round" opacity="${opacity}"`
  return `<path d="${path}" stroke="${toHex(colour)}" stroke-width="${width}" ${look}/>`
}

/** Rows of two eyes. */
function toEyes([x = 0, y = 0, apart = 0, size = 0]: readonly number[]): string {
  const twice = (side: number, down: number, width: number, height: number): string =>
    [-apart, apart].map((middle) => `E ${x + middle + side} ${y + down} ${width} ${height}`).join(' ')
  return `spot ink: ${twice(0, 0, size, size * 1.4)}
    spot #ffffff: ${twice(size * 0.3, -size * 0.5, size * 0.42, size * 0.42)}`
}

function readColour(text: string, palette: Readonly<Record<string, Rgb>>): Rgb {
  const [, name = '', change] = /^(#?\w+)([-+]\d+)?$/.exec(text) ?? []
  const colour = palette[name] ?? (name.startsWith('#') ? parseColour(name) : coloursIn(name)[0])
  if (colour === undefined) throw new Error(`Expected a colour, found ${text}.`)
  const share = Number(change ?? 0) / 100
  return share < 0 ? shadeOf(colour, -share) : lightOf(colour, share)
}

function toPath(text: string): string {
  return text.replace(/E([-\d. ]+)/g, (_, values: string) => {
    const [x = 0, y = 0, a = 0, b = a] = values.trim().split(' ').map(Number)
    return `M${x - a} ${y}a${a} ${b} 0 1 0 ${2 * a} 0a${a} ${b} 0 1 0 ${-2 * a} 0Z`
  })
}
