import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleRunner } from '../scripts/bundle-runner.mjs'
import { readCorpus } from './corpus.mjs'
import { identity } from './identity.mjs'
import { inTurn, measureProcess } from './measure.mjs'
import { check } from './report.mjs'
import { smallerPages } from './smaller.mjs'
import { targets } from './targets.mjs'
import { readPages } from './tools.mjs'
import { makeViteGames } from './vite-project.mjs'

/**
 * Each section measures one corpus.
 *
 * @returns Rows of a table, and values beside their targets.
 */
export const sections = { floor, pack, cold, own, fields, bytes, warm, vite, changed, identity }

/** Rounds of whole processes. */
const rounds = { S: 9, M: 5, L: 1 }
const tellProcess = ({ cpuS, wallS, peakMb, instructionsG }) => ({
  'CPU s': cpuS,
  'wall s': wallS,
  'peak MB': peakMb,
  ...(instructionsG === undefined ? {} : { 'instr. 10⁹': instructionsG }),
})

/**
 * CPU time as a multiple of another run's, and the same for instructions if they were counted. Instructions
 * are the same on a busy machine as on an idle one.
 */
function timesThat(name, run, other) {
  const instructions = run.instructionsG / other.instructionsG
  return { [name]: run.cpuS / other.cpuS, ...(Number.isNaN(instructions) ? {} : { [`${name}, instr.`]: instructions }) }
}

async function floor({ size, tools }) {
  const runs = await inTurn([{ name: 'floor', run: tools.floor.cold }], rounds[size])
  return { rows: [{ tool: 'floor', ...tellProcess(runs.get('floor')), ...readPages(tools.floor.out) }], checks: [] }
}

async function cold({ size, tools }) {
  const names = ['floor', 'spritewright', 'AssetPack', 'free-tex-packer', ...(size === 'L' ? [] : ['spritesmith'])]
  for (const name of names) {
    tools[name].prepare?.()
    tools[name].isBuilt = true
  }
  const runs = await inTurn(
    names.map((name) => ({ name, run: tools[name].cold })),
    rounds[size],
  )
  const own = runs.get('spritewright')
  const rows = names.map((name) => {
    const run = runs.get(name)
    return { tool: name, ...tellProcess(run), ...timesThat('× floor', run, runs.get('floor')), ...timesThat('ours ÷ it', own, run) }
  })
  const against = ['floor', 'AssetPack', 'free-tex-packer'].map((name) =>
    check(`${size} cold, CPU of ours ÷ ${name}`, own.cpuS / runs.get(name).cpuS, 'at most', targets.cold[name][size]),
  )
  const { peakMb } = targets.cold
  return {
    rows,
    checks: [...against, ...(peakMb[size] ? [check(`${size} cold, peak MB`, own.peakMb, 'at most', peakMb[size])] : [])],
  }
}

/** The same frames as folders of pictures, beside the archives that they were bought as. */
async function own({ size, tools }) {
  const names = ['spritewright', 'own art']
  for (const name of names) tools[name].prepare()
  const runs = await inTurn(
    names.map((name) => ({ name, run: tools[name].cold })),
    rounds[size],
  )
  const [bought, drawn] = names.map((name) => runs.get(name))
  const rows = names.map((name) => ({ tool: name, ...tellProcess(runs.get(name)), ...timesThat('× bought', runs.get(name), bought) }))
  return { rows, checks: [check(`${size} own art, CPU ÷ bought`, drawn.cpuS / bought.cpuS, 'at most', targets.own)] }
}

/** Free fields that make more of each frame: a cold build with them beside one without. */
async function fields({ size, tools }) {
  const names = ['spritewright', ...Object.keys(tools).filter((name) => name.startsWith('with '))]
  for (const name of names) tools[name].prepare()
  const runs = await inTurn(
    names.map((name) => ({ name, run: tools[name].cold })),
    size === 'L' ? 1 : 3,
  )
  const plain = runs.get('spritewright')
  const rows = names.map((name) => ({ tool: name, ...tellProcess(runs.get(name)), ...timesThat('× without', runs.get(name), plain) }))
  const all = runs.get(names.at(-1))
  return {
    rows,
    checks: [check(`${size} build with mirror, boxes, variants and normals ÷ without`, all.cpuS / plain.cpuS, 'at most', targets.fields)],
  }
}

/** Builds unless another section has done so, so that each section can run alone. */
async function buildOnce(tool) {
  if (tool.isBuilt) return
  tool.isBuilt = true
  tool.prepare?.()
  await tool.cold()
}

/**
 * Pages as the tools write them, built now if they are missing. The pages of spritewright have a clear
 * margin, a ring of repeated pixels and a border besides the padding.
 */
async function bytes({ size, tools }) {
  const rows = []
  for (const name of ['floor', 'spritewright', 'AssetPack', 'free-tex-packer', ...(size === 'L' ? [] : ['spritesmith'])]) {
    const tool = tools[name]
    await buildOnce(tool)
    rows.push({ tool: name, ...readPages(tool.out) })
  }
  const smaller = size === 'L' ? [] : await smallerPages(tools.spritewright.out, cache)
  const own = rows.find(({ tool }) => tool === 'spritewright')
  for (const row of rows) Object.assign(row, { 'our bytes ÷ its': own.kb / row.kb, 'our area ÷ its': own.mpx / row.mpx })
  const peers = rows.filter(({ tool }) => tool !== 'spritewright' && tool !== 'floor')
  const area = targets.bytes.areaOfAssetPack[size]
  const assetPack = rows.find(({ tool }) => tool === 'AssetPack')
  return {
    rows: [...rows, ...smaller.map((row) => ({ ...row, 'our bytes ÷ its': own.kb / row.kb }))],
    checks: [
      ...peers.map((peer) => check(`${size} PNG bytes, ours ÷ ${peer.tool}`, own.kb / peer.kb, 'under', 1)),
      ...(area ? [check(`${size} page area, ours ÷ AssetPack`, own.mpx / assetPack.mpx, 'at most', area)] : []),
      check(`${size} longest side of our pages, pixels`, own.longest, 'at most', 2048),
    ],
  }
}

/** Only the packers, on the trimmed sizes: 2 px between, no border, pages of at most 2048. */
async function pack({ size, corpus, cache }) {
  // In the package, the packer is in a chunk without a fixed name.
  const runner = await bundleRunner('atlas/packing/packer.ts', join(cache, 'packer'))
  const file = join(corpus, 'corpus.json')
  const { sizes } = readCorpus(corpus)
  const sum = (extra) => sizes.reduce((all, [width, height]) => all + (width + extra) * (height + extra), 0)
  const rows = []
  for (const packer of ['ours', 'ours, frames alone', 'maxrects-packer', 'free-tex-packer default', 'free-tex-packer BottomLeft']) {
    for (const turning of ['upright', 'turn']) {
      const { stdout } = await measureProcess({
        script: join(import.meta.dirname, 'peers/pack-sizes.mjs'),
        args: [packer, turning, file, runner],
        cwd: join(import.meta.dirname, 'peers'),
      })
      const { ms, firstMs, ...found } = JSON.parse(stdout)
      rows.push({ packer, turning, ...found, 'CPU ms, first': firstMs, 'CPU ms, median': ms })
    }
  }
  rows.push({ packer: 'area ÷ padded area', useful: sum(0) / sum(2) })
  const own = (packer, turning) => rows.find((row) => row.packer === packer && row.turning === turning)
  const goals = ['upright', 'turn'].flatMap((turning) => [
    check(`${size} useful, ${turning}, animations whole`, own('ours', turning).useful, 'at least', targets.pack[turning][size]),
    check(`${size} useful, ${turning}, frames alone`, own('ours, frames alone', turning).useful, 'at least', targets.pack[turning][size]),
    check(
      `${size} pack step, ${turning}, CPU ms, first run of a process`,
      own('ours', turning)['CPU ms, first'],
      'at most',
      targets.pack.cpuMs[size],
    ),
    check(`${size} pack step, ${turning}, CPU ms, median`, own('ours', turning)['CPU ms, median'], 'at most', targets.pack.cpuMs[size]),
  ])
  return { rows, checks: goals }
}

/** Nothing has changed since the last build; and the tools for agents start, with a stdin that has ended. */
async function warm({ size, tools }) {
  for (const name of ['spritewright', 'AssetPack']) await buildOnce(tools[name])
  const variants = [
    { name: 'empty process', run: tools['empty process'].cold },
    { name: 'spritewright', run: tools.spritewright.again },
    { name: 'AssetPack', run: tools.AssetPack.again },
    { name: 'spritewright mcp', run: tools.spritewright.serveTools },
  ]
  const runs = await inTurn(variants, size === 'L' ? 3 : 7)
  const own = runs.get('spritewright')
  return {
    rows: variants.map(({ name }) => ({ tool: name, ...tellProcess(runs.get(name)), ...timesThat('ours ÷ it', own, runs.get(name)) })),
    checks: [
      check(`${size} warm, CPU of ours ÷ AssetPack`, own.cpuS / runs.get('AssetPack').cpuS, 'at most', targets.warm.AssetPack[size]),
      check(`${size} start of the tools for agents, CPU s`, runs.get('spritewright mcp').cpuS, 'at most', targets.warm.mcpS),
    ],
  }
}

/**
 * `vite build` with the plugin if nothing has changed, beside the same game with the atlas in `public/`. A
 * page without an engine shows little more than the start of Vite.
 */
async function vite({ size, corpus, cache, tools }) {
  await buildOnce(tools.spritewright)
  const games = makeViteGames(size, corpus, cache, tools.spritewright.out)
  for (const name of ['game, plugin', 'page, plugin']) await games[name]()
  const runs = await inTurn(
    Object.entries(games).map(([name, run]) => ({ name, run })),
    size === 'L' ? 5 : 9,
  )
  const ratio = (name) => runs.get(`${name}, plugin`).cpuS / runs.get(`${name}, public`).cpuS
  return {
    rows: [...runs].map(([name, run]) => {
      const [game] = name.split(',')
      return {
        'vite build': name,
        ...tellProcess(run),
        'hooks ms': run.hooksMs,
        ...timesThat('÷ public', run, runs.get(`${game}, public`)),
      }
    }),
    checks: [
      check(
        `${size} vite build warm, CPU with the plugin ÷ with public/, game of Phaser`,
        ratio('game'),
        'at most',
        targets.vite.public[size],
      ),
    ],
  }
}

/**
 * One sprite plays one frame less than at the last build, or has other frames, as after another take.
 * Measured in a layout that is free to change, and in one that keeps its places.
 */
async function changed({ size, tools }) {
  const rows = []
  const checks = []
  for (const [name, config] of [
    ['free layout', {}],
    ['stable layout', { atlas: { stable: true } }],
  ]) {
    const runs = await changeOne(tools.spritewright, config, rounds[size])
    for (const [build, run] of runs) rows.push({ layout: name, build, ...tellProcess(run), ...timesThat('÷ cold', run, runs.get('cold')) })
    const target = targets.changed.cold[size]
    for (const build of target ? ['one sprite changed', 'one sprite retaken'] : []) {
      const ratio = runs.get(build).cpuS / runs.get('cold').cpuS
      checks.push(check(`${size} ${build}, ${name}, CPU ÷ cold`, ratio, 'at most', target))
    }
  }
  tools.spritewright.prepare()
  return { rows, checks }
}

async function changeOne(tool, config, count) {
  const { project, prepare } = tool
  prepare()
  tool.isBuilt = false
  writeFileSync(join(project, 'spritewright.config.json'), JSON.stringify(config))
  const spec = join(project, 'sprites/sprite000.sprite.json')
  const before = JSON.parse(readFileSync(spec, 'utf8'))
  const write = (round) => {
    const use = Array.from({ length: before.animations.walk.frames - 1 - round }, (_, at) => at)
    writeFileSync(spec, JSON.stringify({ ...before, animations: { walk: { ...before.animations.walk, use } } }))
  }
  const lockFile = join(project, 'sprites.lock.json')
  /** Gives the sprite the result of another one with as many frames. */
  const retake = (round) => {
    const lock = JSON.parse(readFileSync(lockFile, 'utf8'))
    const [own, ...others] = Object.values(lock.animations).map((requests) => Object.values(requests)[0])
    const alike = others.filter(({ asked }) => asked.frames === own.asked.frames)
    own.result = alike[round % alike.length].result
    writeFileSync(lockFile, JSON.stringify(lock, null, 2))
  }
  const after = (edit) => (round) => {
    edit(round)
    return tool.again()
  }
  return inTurn(
    [
      { name: 'cold', run: tool.cold },
      { name: 'one sprite changed', run: after(write) },
      { name: 'one sprite retaken', run: after(retake) },
    ],
    count,
  )
}
