// `npm run maintain -- mutation`: puts small faults into a sample of the sources and counts how many the tests of the
// room notice. It takes minutes for each room, so `npm test` does not run it.
// - `--rooms spec,credit`: the rooms (default: all)
// - `--lines 400`: lines of each room that get faults, in blocks of 25 that the seed draws
// - `--seed 1`: another seed draws other blocks
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { ensureExtras } from './install-extras.mjs'
import { roomTests } from './room-tests.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/**
 * Sources that run only in a page of a browser: the panel's page, and what draws with an engine. A fault that
 * is switched on in the tests' thread is not switched on there, so these sources would seem to have no tests.
 */
const inBrowser = /^plugin\/(?:panel\/ui\/|runtime\/(?:phaser|pixi)(?:\.ts|\/(?!data\.ts))|runtime\/shared\/swap\.ts)/
const { values } = parseArgs({
  options: { rooms: { type: 'string' }, lines: { type: 'string', default: '400' }, seed: { type: 'string', default: '1' } },
})
ensureExtras('scripts/mutation')
const stryker = createRequire(join(root, 'scripts/mutation/package.json')).resolve('@stryker-mutator/core')
const { Stryker } = await import(pathToFileURL(stryker).href)
const corpora = join(root, '../shared/corpora')
if (existsSync(corpora)) process.env.SPRITEWRIGHT_CORPORA ??= corpora
const missed = []
for (const name of values.rooms?.split(',') ?? Object.keys(roomTests)) {
  const { source, tests, least } = roomTests[name]
  const mutate = sample(source, Number(values.lines), Number(values.seed))
  // The runner's configuration reads this variable, which names the test files to run.
  process.env.SPRITEWRIGHT_MUTATED = tests.map((folder) => `test/${folder}`).join(',')
  const results = await new Stryker({
    mutate,
    testRunner: 'vitest',
    vitest: { configFile: 'scripts/mutation-vitest.config.ts', related: false },
    plugins: ['@stryker-mutator/vitest-runner'],
    coverageAnalysis: 'perTest',
    // Texts of messages are left out, because a test that pinned each of them would only repeat them.
    mutator: { excludedMutations: ['StringLiteral'] },
    // Static code runs once, before any test. A fault in it would need all tests again.
    ignoreStatic: true,
    concurrency: 2,
    // The tests of the workshop take longer than Stryker's five minutes on a busy machine.
    dryRunTimeoutMinutes: 30,
    reporters: ['clear-text'],
    clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
    ignorePatterns: ['bench', 'test-results'],
    tempDirName: '.stryker-tmp',
    // Stryker would rewrite paths in a tsconfig with an API that TypeScript 7 does not have. The real file
    // refers to nothing outside.
    tsconfigFile: 'none.json',
    logLevel: 'warn',
    // A fault that never ends costs this much, and one and a half times what its tests take.
    timeoutMS: 8_000,
  }).runMutationTest()
  const counted = results.filter(({ status }) => status !== 'Ignored' && status !== 'CompileError' && status !== 'RuntimeError')
  const caught = counted.filter(({ status }) => status === 'Killed' || status === 'Timeout').length
  const percent = counted.length === 0 ? 0 : (100 * caught) / counted.length
  console.log(
    `${name}: ${caught} of ${counted.length} faults noticed, ${percent.toFixed(1)} %${least === undefined ? '' : `, at least ${least} % expected`} (seed ${values.seed}).`,
  )
  if (least !== undefined && percent < least) missed.push(name)
}
if (missed.length > 0) console.error(`Too few faults were noticed in ${missed.join(', ')}.`)
process.exitCode = missed.length > 0 ? 1 : 0

/**
 * Blocks of 25 lines as `file:from-to`, drawn without repeating.
 *
 * @param {string} folder
 * @param {number} lines
 * @param {number} seed
 */
function sample(folder, lines, seed) {
  const blocks = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts') && !inBrowser.test(path))
    .sort()
    .flatMap((path) => {
      const count = readFileSync(join(root, path), 'utf8').split('\n').length
      return Array.from({ length: Math.ceil(count / 25) }, (_, at) => `${path}:${25 * at + 1}-${Math.min(count, 25 * at + 25)}`)
    })
  let state = seed >>> 0
  const next = () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const drawn = []
  while (drawn.length < lines / 25 && blocks.length > 0) drawn.push(...blocks.splice(Math.floor(next() * blocks.length), 1))
  return drawn
}
