/**
 * Skyline best-fit as published: the widest box into the lowest gap, nine widths a page. Frames of an
 * animation may be split over pages.
 *
 * @returns Pages of at most `max`.
 */
export function packFloor(sizes, padding, max) {
  const boxes = sizes.map(({ width, height }, index) => ({ index, width: width + padding, height: height + padding }))
  let waiting = boxes.sort((a, b) => b.width - a.width || b.height - a.height || a.index - b.index)
  const pages = []
  while (waiting.length > 0) {
    const area = waiting.reduce((sum, box) => sum + box.width * box.height, 0)
    const longest = max + padding
    const isLast = area < longest * longest * 0.98
    const low = Math.max(waiting[0].width, Math.ceil(Math.sqrt(area / 2)))
    const widths = isLast ? Array.from({ length: 9 }, (_, step) => Math.min(longest, Math.round(low * (1 + step / 8)))) : [longest]
    let best
    for (const width of widths) {
      const strip = fill(waiting, width, longest)
      const isBetter =
        best === undefined ||
        strip.places.length > best.places.length ||
        (strip.places.length === best.places.length && strip.area < best.area)
      if (isBetter) best = strip
    }
    if (best.places.length === 0) throw new Error('A frame is larger than a page.')
    pages.push({ width: best.width - padding, height: best.height - padding, places: best.places })
    const placed = new Set(best.places.map(({ index }) => index))
    waiting = waiting.filter(({ index }) => !placed.has(index))
  }
  return pages
}

function fill(boxes, width, longest) {
  const left = boxes.slice()
  const line = [{ x: 0, y: 0, width }]
  const places = []
  let [right, bottom] = [0, 0]
  while (left.length > 0) {
    let at = 0
    for (let i = 1; i < line.length; i++) if (line[i].y < line[at].y) at = i
    const gap = line[at]
    let [from, to] = [0, left.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (left[middle].width <= gap.width) to = middle
      else from = middle + 1
    }
    while (from < left.length && gap.y + left[from].height > longest) from++
    if (from === left.length) {
      if (line.length === 1) break
      gap.y = Math.min(line[at - 1]?.y ?? Infinity, line[at + 1]?.y ?? Infinity)
      merge(line, at)
      continue
    }
    const [box] = left.splice(from, 1)
    places.push({ index: box.index, x: gap.x, y: gap.y })
    right = Math.max(right, gap.x + box.width)
    bottom = Math.max(bottom, gap.y + box.height)
    const top = { x: gap.x, y: gap.y + box.height, width: box.width }
    const rest = { x: gap.x + box.width, y: gap.y, width: gap.width - box.width }
    line.splice(at, 1, top, ...(rest.width > 0 ? [rest] : []))
    merge(line, at)
  }
  return { width: right, height: bottom, area: right * bottom, places }
}

function merge(line, at) {
  for (const first of [at + 1, at, at - 1]) {
    if (first < 0 || first + 1 >= line.length || line[first].y !== line[first + 1].y) continue
    line[first].width += line[first + 1].width
    line.splice(first + 1, 1)
  }
}
