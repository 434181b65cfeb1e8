import { type Folder, type ReadAnimation, type ReadFrame, restored } from './suite.ts'

type Declarations = ReadonlyMap<string, string>

/** Parses a style sheet of the package into rules by selector and keyframes by name. */
function parseCss(text: string): { rules: Map<string, Declarations>; keyframes: Map<string, [number, Declarations][]> } {
  const rules = new Map<string, Declarations>()
  const keyframes = new Map<string, [number, Declarations][]>()
  let open: [number, Declarations][] | undefined
  for (const line of text.split('\n').filter((line) => line.trim() !== '')) {
    const start = /^@keyframes ([\w-]+) \{$/.exec(line)
    const rule = /^\s*(.+?) \{ (.*) \}$/.exec(line)
    if (start) {
      open = []
      keyframes.set(start[1]!, open)
    } else if (line === '}') open = undefined
    else if (!rule) throw new Error(`Not a rule: ${line}`)
    else if (open) open.push([Number.parseFloat(rule[1]!), declarationsOf(rule[2]!)])
    else rules.set(rule[1]!, declarationsOf(rule[2]!))
  }
  return { rules, keyframes }
}

function declarationsOf(text: string): Declarations {
  return new Map(text.split('; ').map((one) => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 2)] as const))
}

function pixels(text: string): readonly number[] {
  return [...text.matchAll(/(-?[\d.]+)px/g)].map(([, value]) => Number(value))
}

/** Draws an element with these declarations, in pixels of the page: the background is moved, then clipped. */
function draw(folder: Folder, box: Declarations, place: Declarations, scale: number): ReadFrame {
  const toPage = (px: number): number => Math.round(px * scale)
  const page = folder.picture(decodeURIComponent(/url\("(.*)"\)/.exec(box.get('background')!)![1]!))
  const [pageWidth, pageHeight] = pixels(box.get('background-size')!).map(toPage)
  if (pageWidth !== page.width || pageHeight !== page.height) throw new Error('The background has another size than its picture')
  const width = toPage(pixels(box.get('width')!)[0]!)
  const height = toPage(pixels(box.get('height')!)[0]!)
  const [left, up] = pixels(place.get('background-position')!).map(toPage) as [number, number]
  const [top, right, bottom, start] = pixels(place.get('clip-path')!).map(toPage) as [number, number, number, number]
  const from = { x: start - left, y: top - up, width: width - start - right, height: height - top - bottom }
  const origin = box
    .get('transform-origin')
    ?.split(' ')
    .map((percent) => Number.parseFloat(percent) / 100)
  return { picture: restored(page, from, { x: start, y: top }, { width, height }), anchor: origin && { x: origin[0]!, y: origin[1]! } }
}

/** Reads the frames, and the animations from the frame of each keyframe. */
export function readCss(
  folder: Folder,
  file: string,
  scale: number,
): { frames: Map<string, ReadFrame>; animations: Map<string, ReadAnimation>; rules: Map<string, Declarations> } {
  const { rules, keyframes } = parseCss(folder.text(file))
  const frames = new Map<string, ReadFrame>()
  const names = new Map<string, string>()
  const animations = new Map<string, ReadAnimation>()
  const keyOf = (box: Declarations, place: Declarations): string =>
    [box.get('background'), place.get('background-position'), place.get('clip-path')].join(' ')
  for (const [selector, box] of rules) {
    const name = /^\[data-frame="(.*)"\]$/.exec(selector)?.[1]
    if (name === undefined) continue
    frames.set(name, draw(folder, box, box, scale))
    if (!names.has(keyOf(box, box))) names.set(keyOf(box, box), name)
  }
  for (const [selector, box] of rules) {
    const name = /^\[data-animation="(.*)"\]$/.exec(selector)?.[1]
    if (name === undefined) continue
    const [ident, wholeMs, timing, fill] = box.get('animation')!.split(' ')
    if (timing !== 'step-end') throw new Error(`${name} is to jump from frame to frame`)
    const whole = Number.parseFloat(wholeMs!)
    const steps = keyframes.get(ident!)!
    const [last, end] = steps.slice(-2)
    if (end![0] !== 100 || keyOf(box, end![1]) !== keyOf(box, last![1])) throw new Error(`${name} does not end on its last frame`)
    animations.set(name, {
      frames: steps.slice(0, -1).map(([, place]) => names.get(keyOf(box, place))!),
      durationsMs: steps.slice(0, -1).map(([from], index) => ((steps[index + 1]![0] - from) / 100) * whole),
      loop: fill === 'infinite',
    })
  }
  return { frames, animations, rules }
}
