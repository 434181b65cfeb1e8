// node bench/download.mjs: what a player downloads, beside other packers on four corpora. The pages of every
// tool are written again by the same encoder, as the smallest PNG and the smallest lossless WebP, so that only
// the layouts differ. Ours have a clear margin, a ring and a border besides. `--only S,game`: corpora.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { provideCorpus } from './corpus.mjs'
import { installInto } from './install.mjs'
import { measureProcess } from './measure.mjs'
import { provideExamples, provideGame } from './own-corpora.mjs'
import { makeOwnProject } from './project.mjs'
import { check, printChecks, printTable } from './report.mjs'

const here = import.meta.dirname
const cache = join(here, '.cache')
const peers = join(here, 'peers')
const { values } = parseArgs({ options: { only: { type: 'string', default: 'S,M,game,examples' } } })
/** Packers of free-tex-packer with their methods. Its third one takes the densest result of these. */
const freeTex = {
  MaxRectsBin: ['BestShortSideFit', 'BestLongSideFit', 'BestAreaFit', 'BottomLeftRule', 'ContactPointRule'],
  MaxRectsPacker: ['Smart', 'SmartArea', 'Square', 'SquareArea'],
}

installInto(peers, console.log)
mkdirSync(cache, { recursive: true })
const { encodePage, readPage } = await import('../dist/atlas/index.js')
for (const corpus of values.only.split(',')) {
  const frames = await provideFrames(corpus)
  if (frames === undefined) {
    console.log(`\n${corpus}: skipped. Set SPRITEWRIGHT_CORPORA to the folder that holds it.`)
    continue
  }
  const rows = []
  for (const [tool, pack] of Object.entries(toolsFor(frames, join(cache, `download-${corpus}`))))
    rows.push({ tool, ...(await weigh(await pack())) })
  const [own] = rows
  const others = rows.filter(({ tool }) => !tool.startsWith('spritewright'))
  const formats = ['PNG', 'WebP']
  for (const row of rows) for (const format of formats) row[`ours ÷ its ${format}`] = own[format] / row[format]
  printTable(`${corpus}, bytes`, rows)
  for (const format of formats) {
    const least = Math.min(...others.map((row) => row[format]))
    const { [format]: assetPack } = rows.find(({ tool }) => tool === 'AssetPack')
    printChecks([
      check(`${corpus} ${format}, ours ÷ the smallest other`, own[format] / least, 'at most', 1),
      check(`${corpus} ${format}, ours ÷ AssetPack`, own[format] / assetPack, 'at most', 1),
    ])
  }
}

async function provideFrames(corpus) {
  if (corpus === 'game') return provideGame(cache)
  if (corpus === 'examples') return provideExamples(cache)
  return join(await provideCorpus(corpus, cache, console.log), 'frames')
}

/** Each tool packs a folder of folders of PNGs, and returns the folder of its pages. */
function toolsFor(frames, folder) {
  rmSync(folder, { recursive: true, force: true })
  const run = async (script, name, args, cwd = peers) => {
    const out = join(folder, name)
    mkdirSync(out, { recursive: true })
    await measureProcess({ script, args: args(out), cwd })
    return out
  }
  const own = (name, atlas) => async () => {
    const project = makeOwnProject(frames, join(folder, name), atlas)
    await measureProcess({ script: join(here, '../dist/src/cli/bin.js'), args: ['build', '--out', 'out'], cwd: project })
    return join(project, 'out')
  }
  const assetPack = () => {
    cpSync(frames, join(folder, 'assets/sprites{tps}'), { recursive: true })
    return run(join(peers, 'assetpack.mjs'), 'assetpack', (out) => [join(folder, 'assets'), out, join(folder, 'assetpack-cache')])
  }
  const methods = Object.entries(freeTex).flatMap(([packer, all]) => all.map((method) => [packer, method]))
  return {
    'spritewright, effort best': own('best', { effort: 'best' }),
    'spritewright, effort fast': own('fast', {}),
    AssetPack: assetPack,
    ...Object.fromEntries(
      methods.map(([packer, method]) => [
        `free-tex-packer ${method}`,
        () => run(join(peers, 'free-tex-packer.mjs'), method, (out) => [frames, out, packer, method]),
      ]),
    ),
    spritesmith: () => run(join(peers, 'spritesmith.mjs'), 'spritesmith', (out) => [frames, out]),
  }
}

/** Area and bytes of pages that are encoded again. */
async function weigh(folder) {
  const sum = { pages: 0, mpx: 0, PNG: 0, WebP: 0 }
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.png'))) {
    const page = await readPage(readFileSync(join(folder, file)), 'png')
    sum.pages++
    sum.mpx += (page.width * page.height) / 1e6
    sum.PNG += (await encodePage(page, { format: 'png', effort: 'best' })).length
    sum.WebP += (await encodePage(page, { format: 'webp', effort: 'best' })).length
  }
  return sum
}
