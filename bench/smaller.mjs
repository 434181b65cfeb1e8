import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleRunner } from '../scripts/bundle-runner.mjs'

/**
 * Our pages as options make them that a build does not use by default.
 *
 * @param out Folder of the pages as PNG.
 * @returns Rows with the bytes of all pages. For a close palette they have the largest errors of a page in
 * OKLab, and if pages are refused, their number.
 */
export async function smallerPages(out, cache) {
  const { decodePng, encodePage } = await import('../dist/atlas/index.js')
  const { isClose, reduceColours } = await import(await bundleRunner('atlas/encode/reduce.ts', join(cache, 'reduce')))
  const pages = readdirSync(out)
    .filter((file) => file.endsWith('.png'))
    .map((file) => decodePng(readFileSync(join(out, file))))
  const rows = []
  for (const [tool, encoding] of [
    ['spritewright, effort best', { format: 'png', effort: 'best' }],
    ['spritewright, palette close', { format: 'png', palette: 'close' }],
    ['spritewright, WebP', { format: 'webp' }],
    ['spritewright, WebP, effort best', { format: 'webp', effort: 'best' }],
  ]) {
    let bytes = 0
    for (const page of pages) bytes += (await encodePage(page, encoding)).length
    rows.push({ tool, kb: bytes / 1000, ...(encoding.palette ? closeness() : {}) })
  }
  return rows

  function closeness() {
    const errors = pages.map((page) => reduceColours(page).error)
    const refused = errors.filter((error) => !isClose(error)).length
    const largest = (figure) => Math.max(...errors.map((error) => error[figure]))
    return { 'mean error': largest('mean'), '99 % error': largest('most'), ...(refused > 0 ? { refused } : {}) }
  }
}
