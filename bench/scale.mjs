// `npm run bench:scale`: what a command, a build, the dev server and its panel cost in projects of 100, 1,000 and
// 10,000 sprites, and with 100,000 results that no spec asks for; then what approvals write into lock files. The projects are made once, which takes minutes.
// - `--sizes 100,1000,10000`: numbers of specs
// - `--results 100000`: number of further results in the store of the largest project; 0 for none
// - `--rounds 3`: runs of each command; the medians are printed
// - `--json FILE`: all measurements, as JSON
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createJiti } from 'jiti'
import { inTurn, measureProcess } from './measure.mjs'
import { printTable } from './report.mjs'

const here = import.meta.dirname
const bin = join(here, '../dist/src/cli/bin.js')
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,1000,10000' },
    results: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
})
if (!existsSync(bin)) execFileSync(process.execPath, [join(here, '../scripts/build.mjs')], { stdio: 'inherit' })
// The makers of the tests: dist/ lacks code that no user of the package needs.
const { editEveryTenth, makeManySprites, manySpritesEnv } = await createJiti(import.meta.url).import('../test/kit/many-sprites.ts')
const results = Number(values.results)
const rounds = Number(values.rounds)
const sizes = values.sizes.split(',').map(Number)
const largest = Math.max(...sizes)
const projects = sizes.map((sprites) => ({ name: `${sprites} specs`, sprites, others: {} }))
if (results > 0) projects.push({ name: `${largest} specs, ${results} more results`, sprites: largest, others: { stored: results } })

console.log(`Node ${process.version}, ${cpus().length} cores. CPU seconds of whole processes, medians of ${rounds}.`)
const measured = []
for (const project of projects) measured.push(...(await measure(project)))
for (const what of new Set(measured.map((one) => one.what)))
  printTable(
    what,
    measured.filter((one) => one.what === what).map(({ what: _, sprites, ...figures }) => toRow(sprites, figures)),
  )
execFileSync(process.execPath, [join(here, 'scale-approve.mjs')], { stdio: 'inherit' })
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ node: process.version, measured }, null, 2)}\n`)

async function measure({ name, sprites, others }) {
  const root = join(here, '.cache', `scale-${[sprites, ...Object.entries(others).flat()].join('-')}`)
  const made = `${root}.made`
  if (!existsSync(made)) {
    for (const folder of [root, `${root}.state`]) rmSync(folder, { recursive: true, force: true })
    console.log(`Makes ${name} in ${root}`)
    await makeManySprites(root, sprites, others)
    writeFileSync(made, '')
  }
  for (const folder of ['node_modules', 'public']) rmSync(join(root, folder), { recursive: true, force: true })
  editEveryTenth(root, sprites, false)
  const env = manySpritesEnv(root)
  const run = (...args) => measureProcess({ script: bin, args, cwd: root, env })
  const rows = []
  const add = (what, { cpuS, wallS, peakMb, mb, bytes, requests, nodes }) => {
    rows.push({ what, name, sprites, cpuS, wallS, mb: peakMb ?? mb, bytes, requests, nodes })
    console.log(`${name}, ${what}: ${cpuS.toFixed(2)} s of CPU`)
  }
  add('build, cold', await run('build'))
  const commands = { plan: ['plan', '--json'], 'build, warm': ['build'] }
  const runs = await inTurn(
    Object.entries(commands).map(([what, args]) => ({ name: what, run: () => run(...args) })),
    rounds,
  )
  for (const [what, figures] of runs) add(what, figures)
  // `status` asks no service, and these projects have none.
  editEveryTenth(root, sprites, true)
  add('status, a tenth edited', await run('status', '--json'))
  editEveryTenth(root, sprites, false)
  const servers = { 'scale-server.mjs': 'vite', 'scale-page.mjs': 'page of the panel' }
  for (const [script, what] of Object.entries(servers)) {
    const { stdout } = await measureProcess({ script: join(here, script), cwd: root, env })
    for (const line of stdout.trim().split('\n')) {
      const { point, ...figures } = JSON.parse(line)
      add(`${what}, ${point}`, figures)
    }
  }
  return rows
}

function toRow(sprites, { name, cpuS, wallS, mb, bytes, requests, nodes }) {
  return {
    project: name,
    'CPU s': cpuS,
    'ms a spec': (cpuS / sprites) * 1000,
    'wall s': wallS,
    MB: mb,
    ...(bytes === undefined ? {} : { kB: bytes / 1000 }),
    ...(requests === undefined ? {} : { requests }),
    ...(nodes === undefined ? {} : { nodes }),
  }
}
