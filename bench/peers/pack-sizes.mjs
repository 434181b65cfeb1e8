// Packs rectangles with one packer and prints the density of the pages: node pack-sizes.mjs <packer>
// <turn|upright> <corpus.json> <our packer>
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [packer, turning, file, runner] = process.argv.slice(2)
const MAX = 2048
const PADDING = 2
const canTurn = turning === 'turn'
const { sizes, sprites } = JSON.parse(readFileSync(file, 'utf8'))
/** Packer → pages of `{ width, height, boxes }`; all without border, 2 px between, no power of two. */
const packers = {
  'maxrects-packer': maxrects,
  'free-tex-packer default': freeTex('BestShortSideFit'),
  'free-tex-packer BottomLeft': freeTex('BottomLeftRule'),
  ours,
  'ours, frames alone': oursAlone,
}
const pack = await packers[packer]()
const runs = []
let pages
do {
  const before = process.cpuUsage()
  pages = pack()
  const { user, system } = process.cpuUsage(before)
  runs.push((user + system) / 1000)
} while (runs.length < 5 && runs[0] < 1500)
const area = pages.reduce((sum, page) => sum + page.width * page.height, 0)
const useful = sizes.reduce((sum, [width, height]) => sum + width * height, 0)
console.log(
  JSON.stringify({
    pages: pages.length,
    mpx: area / 1e6,
    useful: useful / area,
    placed: pages.reduce((sum, page) => sum + page.boxes.reduce((own, box) => own + sizes[box][0] * sizes[box][1], 0), 0) / area,
    longest: Math.max(...pages.flatMap((page) => [page.width, page.height])),
    dropped: sizes.length - new Set(pages.flatMap((page) => page.boxes)).size,
    firstMs: runs[0],
    ms: runs.slice(1).sort((a, b) => a - b)[(runs.length - 1) >> 1] ?? runs[0],
  }),
)

async function maxrects() {
  const { MaxRectsPacker } = await import('maxrects-packer/dist/maxrects-packer.mjs')
  return () => {
    const packer = new MaxRectsPacker(MAX, MAX, PADDING, { smart: true, pot: false, square: false, allowRotation: canTurn, border: 0 })
    packer.addArray(sizes.map(([width, height], data) => ({ width, height, data })))
    return packer.bins.map(({ width, height, rects }) => ({ width, height, boxes: rects.map(({ data }) => data) }))
  }
}

/**
 * Like its own PackProcessor: page after page with the remaining boxes. Each page is cut to its used area.
 */
function freeTex(method) {
  return async () => {
    const MaxRectsBin = createRequire(import.meta.url)('free-tex-packer-core/packers/MaxRectsBin.js')
    return () => {
      const pages = []
      let left = sizes.map(([width, height], box) => ({ box, frame: { w: width + PADDING, h: height + PADDING } }))
      while (left.length > 0) {
        const rects = new MaxRectsBin(MAX + PADDING, MAX + PADDING, canTurn).pack(
          left.map(({ box, frame }) => ({ box, frame: { ...frame } })),
          method,
        )
        const ends = rects.map(({ frame, rotated }) => [frame.x + (rotated ? frame.h : frame.w), frame.y + (rotated ? frame.w : frame.h)])
        pages.push({
          width: Math.max(...ends.map(([x]) => x)) - PADDING,
          height: Math.max(...ends.map(([, y]) => y)) - PADDING,
          boxes: rects.map(({ box }) => box),
        })
        const done = new Set(rects.map(({ box }) => box))
        if (done.size === 0) break
        left = left.filter(({ box }) => !done.has(box))
      }
      return pages
    }
  }
}

function ours() {
  return oursBy(sprites.map(({ name, pictures }) => ({ name: `${name}/walk`, members: [...new Set(pictures)] })))
}

/** Without the rule that an animation stays on one page. */
function oursAlone() {
  return oursBy(sizes.map((_, index) => ({ name: String(index).padStart(6, '0'), members: [index] })))
}

async function oursBy(groups) {
  const { packPages } = await import(pathToFileURL(runner))
  const boxes = sizes.map(([width, height]) => ({ width, height }))
  return () =>
    packPages(boxes, groups, { maxSize: MAX, padding: PADDING, border: 0, canTurn }).map(({ width, height, positions }) => ({
      width,
      height,
      boxes: [...positions.keys()],
    }))
}
