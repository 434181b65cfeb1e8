// `npm run bench:scale`: what a command, a build, the dev server and its panel cost in projects of 100, 1,000 and
// 10,000 sprites, and with 100,000 results that no spec asks for. The projects are made once, which takes minutes.
// - `--sizes 100,1000,10000`: numbers of specs
// - `--results 100000`: number of further results; 0 for none
// - `--rounds 3`: runs of each command; the medians are printed
// - `--json FILE`: all measurements, as JSON
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
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
const { editEveryTenth, makeScaleProject, scaleEnv } = await import('./scale-project.mjs')
const results = Number(values.results)
const rounds = Number(values.rounds)
const sizes = values.sizes.split(',').map(Number)
const projects = [
  ...sizes.map((sprites) => ({ name: `${sprites} specs`, sprites, others: {} })),
  ...(results === 0
    ? []
    : [{ name: `${sizes.at(-1)} specs, ${results} more results`, sprites: sizes.at(-1), others: { stored: results } }]),
  ...(results === 0
    ? []
    : [{ name: `${sizes.at(-1)} specs, ${results} earlier purchases`, sprites: sizes.at(-1), others: { earlier: results } }]),
]

console.log(`Node ${process.version}, ${cpus().length} cores. CPU seconds of whole processes, medians of ${rounds}.`)
const measured = []
for (const { name, sprites, others } of projects) {
  const folder = join(here, '.cache', `scale-${[sprites, ...Object.entries(others).flat()].join('-')}`)
  mkdirSync(folder, { recursive: true })
  console.log(`${name}: ${folder}`)
  await makeScaleProject(folder, sprites, others)
  const env = scaleEnv(folder)
  const run = (...args) => measureProcess({ script: bin, args, cwd: folder, env })
  // The first build fills the cache, and writes the typings.
  const cold = await run('build', '--out', 'out')
  const runs = await inTurn(
    [
      { name: 'plan', run: () => run('plan', '--json') },
      { name: 'build, warm', run: () => run('build', '--out', 'out') },
    ],
    rounds,
  )
  editEveryTenth(folder, sprites, true)
  // Without a key the service is not asked, so prices are missing, and only the exit code differs.
  const edited = await inTurn([{ name: 'status', run: () => run('status', '--json') }], rounds)
  editEveryTenth(folder, sprites, false)
  const script = join(here, 'scale-server.mjs')
  const server = await measureProcess({ script, cwd: folder, env: { ...env, SCALE_UPDATES: '20' } })
  const points = server.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const row = (what, { cpuS, wallS, peakMb, mb, bytes, requests }) =>
    measured.push({ name, sprites, what, cpuS, wallS, mb: peakMb ?? mb, bytes, requests })
  row('build, cold', cold)
  for (const [what, figures] of [...runs, ['status, a tenth edited', edited.get('status')]]) row(what, figures)
  for (const { point, ...figures } of points) row(`vite, ${point}`, figures)
}
for (const what of new Set(measured.map((one) => one.what))) {
  const rows = measured.filter((one) => one.what === what)
  printTable(
    what,
    rows.map(({ name, sprites, cpuS, wallS, mb, bytes, requests }, at) => ({
      project: name,
      'CPU s': cpuS,
      'ms a spec': (cpuS / sprites) * 1000,
      '÷ before': at === 0 ? undefined : cpuS / sprites / (rows[at - 1].cpuS / rows[at - 1].sprites),
      'wall s': wallS,
      MB: mb,
      ...(bytes === undefined ? {} : { kB: bytes / 1000 }),
      ...(requests === undefined ? {} : { requests }),
    })),
  )
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ node: process.version, measured }, null, 2)}\n`)
