// `npm run bench`: the atlas beside other packers, on corpora that are drawn once. Speed is printed beside
// its target and never fails the run; only a measurement that is impossible does.
// - `--only S,M`: corpora (default S,M; L takes a quarter of an hour)
// - `--section cold`: floor, pack, cold, own, fields, bytes, warm, vite, changed, identity (default all)
// - `--json FILE`: all measurements, as JSON
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { installInto } from './install.mjs'

const here = import.meta.dirname
const cache = join(here, '.cache')
const { values } = parseArgs({
  options: { only: { type: 'string', default: 'S,M' }, section: { type: 'string' }, json: { type: 'string' } },
})

if (!existsSync(join(here, '../dist/src/cli/bin.js')))
  execFileSync(process.execPath, [join(here, '../scripts/build.mjs')], { stdio: 'inherit' })
installInto(join(here, 'peers'), console.log)
mkdirSync(cache, { recursive: true })
const { corpora } = await import('./corpus-plan.mjs')
const { provideCorpus, readCorpus } = await import('./corpus.mjs')
const { printChecks, printTable } = await import('./report.mjs')
const { sections } = await import('./sections.mjs')
const { toolsFor } = await import('./tools.mjs')

const sizes = choose('--only', values.only, Object.keys(corpora))
const chosen = choose('--section', values.section, Object.keys(sections))
const results = []
const failures = []
console.log(
  `Node ${process.version}, ${cpus().length} cores. CPU seconds of whole processes, medians of runs in turn; compare figures of one run only.`,
)
for (const size of sizes) {
  const corpus = await provideCorpus(size, cache, console.log)
  const tools = toolsFor(size, corpus, cache)
  const { sprites, sizes: pictures, duplicates } = readCorpus(corpus)
  const frames = sprites.reduce((sum, sprite) => sum + sprite.frames, 0)
  console.log(
    `\n${size}: ${sprites.length} sprites, ${frames} frames, ${pictures.length} different (${(duplicates * 100).toFixed(0)} % repeat another).`,
  )
  for (const section of chosen) {
    try {
      const { rows, checks } = await sections[section]({ size, corpus, cache, tools })
      printTable(`${size} ${section}`, rows)
      printChecks(checks)
      results.push({ size, section, rows, checks })
    } catch (error) {
      console.error(`\n${size} ${section} could not be measured: ${error.message}`)
      failures.push({ size, section, message: error.message })
    }
  }
}
const all = results.flatMap(({ checks }) => checks)
console.log(`\n${all.filter(({ isMet }) => isMet).length} of ${all.length} targets met.`)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ node: process.version, results, failures }, null, 2)}\n`)
process.exitCode = failures.length > 0 ? 1 : 0

function choose(option, given, known) {
  const names = given === undefined ? known : given.split(',')
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return names
  console.error(`Expected ${option} to name some of ${known.join(', ')}, found "${unknown}".`)
  process.exit(2)
}
