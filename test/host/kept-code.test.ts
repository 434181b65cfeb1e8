import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { codeFiles } from '../../src/host/code-files.ts'
import { type KeptCodeOptions, type StartedProgram, startProgram } from '../../src/host/kept-code.ts'

interface Program {
  readonly sum: (a: number, b: number) => number
  readonly late: () => number
  readonly file: string
  readonly name: Promise<{ readonly sep: string }>
}

const now = Date.UTC(2026, 10, 1)
let root: string
let folder: string
let entry: string
let temps = 0

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'spritewright-kept-'))
  folder = join(root, 'compiled')
  entry = join(root, 'program/first.cjs')
  mkdirSync(join(root, 'program/parts'), { recursive: true })
  writeFileSync(
    entry,
    `const { add } = require('./parts/second.cjs')
exports.sum = (a, b) => add(a, b)
exports.late = () => require('./parts/third.cjs').three
exports.file = __filename
exports.name = __import('node:path')`,
  )
  writeFileSync(
    join(root, 'program/parts/second.cjs'),
    `exports.add = (a, b) => a + b
exports.first = require('../first.cjs')`,
  )
  writeFileSync(join(root, 'program/parts/third.cjs'), `exports.three = require('./second.cjs').first.sum(1, 2)`)
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

const start = (options: Partial<KeptCodeOptions> = {}): StartedProgram<Program> =>
  startProgram<Program>(entry, { files: codeFiles(), folder, use: 'build', now, ...options })
const temp = (path: string): string => `${path}.${temps++}.tmp`
const kept = (): readonly string[] => (existsSync(folder) ? readdirSync(folder).sort() : [])

/** Starts the program, does something with it, and keeps what was compiled. */
async function run(options: Partial<KeptCodeOptions> = {}): Promise<void> {
  const { exports, keep } = start(options)
  expect(exports.sum(2, 3)).toBe(5)
  expect(exports.late()).toBe(3)
  expect(exports.file).toBe(entry)
  expect((await exports.name).sep).toBe(join('a', 'b')[1])
  keep(temp)
}

/** Runs a program in a process of its own, which has compiled nothing yet. */
function answerOf(source: string): { readonly answer: string; readonly place: string } {
  writeFileSync(entry, source)
  const before = kept()
  const script = `const [{ startProgram }, { codeFiles }] = await Promise.all([import(${JSON.stringify(built('kept-code'))}), import(${JSON.stringify(built('code-files'))})])
const { exports, keep } = startProgram(${JSON.stringify(entry)}, { files: codeFiles(), folder: ${JSON.stringify(folder)}, use: 'build', now: ${now} })
process.stdout.write(String(exports.answer()))
keep((path) => path + '.tmp')`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  const name = kept().find((other) => !before.includes(other)) ?? ''
  return { answer: stdout, place: join(folder, name) }
}

/** Code as it is kept at a place. */
function sealed(place: string, code: Uint8Array): Buffer {
  const head = createHash('sha256').update(basename(place, '.code')).update(code).digest()
  return Buffer.concat([head, code])
}

function built(name: string): string {
  return new URL(`../../dist/src/host/${name}.js`, import.meta.url).href
}

test('a program of several files runs, each file once, and leaves a file of compiled code for each that was loaded', async () => {
  const { exports, keep } = start()
  expect(exports.sum(2, 3)).toBe(5)
  keep(temp)
  expect(kept()).toHaveLength(2)
  await run()
  expect(kept()).toHaveLength(3)
})

test('the next start takes what is kept, whole as it is, and writes nothing', async () => {
  await run()
  const before = kept().map((name) => readFileSync(join(folder, name)))
  const refuse = (): never => {
    throw new Error('Expected nothing to be written.')
  }
  await run({ files: { ...codeFiles(), write: refuse, removeOld: refuse } })
  expect(kept().map((name) => readFileSync(join(folder, name)))).toEqual(before)
})

test('what is torn, changed or empty is not run: the program is compiled anew, and kept', async () => {
  await run()
  const before = kept()
  for (const spoil of [
    (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1),
    (bytes: Buffer) => bytes.subarray(0, 7),
    (bytes: Buffer) => bytes.fill(bytes[100]! ^ 1, 100, 101),
    () => Buffer.alloc(0),
  ]) {
    for (const name of before) writeFileSync(join(folder, name), spoil(readFileSync(join(folder, name))))
    const spoilt = before.map((name) => readFileSync(join(folder, name)))
    await run()
    expect(kept()).toEqual(before)
    for (const [at, name] of before.entries()) expect(readFileSync(join(folder, name))).not.toEqual(spoilt[at])
  }
})

test('V8 runs what is kept in place of what it would compile, and refuses what does not fit, which is replaced', () => {
  const one = answerOf('exports.answer = () => 1')
  const two = answerOf('exports.answer = () => 2')
  const long = answerOf('exports.answer = () => 33333')
  expect([one.answer, two.answer, long.answer]).toEqual(['1', '2', '33333'])
  // V8 looks at no more of a source than its length: so another one's code, of the same length, is sealed for this one here.
  const code = readFileSync(one.place).subarray(32)
  writeFileSync(two.place, sealed(two.place, code))
  expect(answerOf('exports.answer = () => 2').answer).toBe('1')
  writeFileSync(long.place, sealed(long.place, code))
  expect(answerOf('exports.answer = () => 33333').answer).toBe('33333')
  expect(readFileSync(long.place)).not.toEqual(sealed(long.place, code))
})

test('whole code under the name of another is not run', () => {
  const one = answerOf('exports.answer = () => 1')
  const two = answerOf('exports.answer = () => 2')
  writeFileSync(two.place, readFileSync(one.place))
  expect(answerOf('exports.answer = () => 2').answer).toBe('2')
})

test('an error names the place of the program that runs, not that of an equal one elsewhere', () => {
  const here = answerOf('exports.answer = () => new Error().stack')
  const there = entry
  entry = join(root, 'elsewhere/first.cjs')
  mkdirSync(join(root, 'elsewhere'))
  const elsewhere = answerOf('exports.answer = () => new Error().stack')
  expect(here.answer).toContain(there)
  expect(elsewhere.answer).toContain(entry)
  expect(elsewhere.answer).not.toContain(there)
})

test('nothing is taken from a folder in which others may write, and nothing kept there', async (context) => {
  if (process.getuid === undefined) return context.skip()
  await run()
  chmodSync(folder, 0o777)
  const before = kept()
  await run({ use: 'plan' })
  expect(kept()).toEqual(before)
  const never = (): never => {
    throw new Error('Expected no code to be read.')
  }
  const { readBytes, ...files } = codeFiles()
  start({ files: { ...files, readBytes: (path) => (path.startsWith(folder) ? never() : readBytes(path)) } })
  chmodSync(folder, 0o700)
  expect(() => start({ files: { ...files, readBytes: (path) => (path.startsWith(folder) ? never() : readBytes(path)) } })).toThrow()
})

test('the folder is made for this user alone, whatever the user lets others do elsewhere', async (context) => {
  if (process.getuid === undefined) return context.skip()
  const before = process.umask(0)
  try {
    folder = join(root, 'state', 'spritewright', 'compiled')
    await run()
  } finally {
    process.umask(before)
  }
  for (const made of [folder, join(root, 'state')]) expect(statSync(made).mode & 0o777).toBe(0o700)
  expect(kept()).toHaveLength(3)
})

test('without a folder the program runs all the same', async () => {
  await run({ folder: undefined })
  expect(readdirSync(root)).toEqual(['program'])
})

test('a part that fails while it is loaded is loaded anew the next time', () => {
  writeFileSync(join(root, 'program/parts/third.cjs'), `exports.three = 1; if (globalThis.isSpoilt) throw new Error('spoilt')`)
  const { exports } = start()
  Object.assign(globalThis, { isSpoilt: true })
  try {
    expect(() => exports.late()).toThrow('spoilt')
    expect(() => exports.late()).toThrow('spoilt')
  } finally {
    Object.assign(globalThis, { isSpoilt: false })
  }
  expect(exports.late()).toBe(1)
})

test('another source and another use have files of their own; what is a month old goes when something is kept', async () => {
  await run()
  const before = kept()
  await run({ use: 'plan' })
  expect(kept()).toHaveLength(2 * before.length)
  for (const name of before) utimesSync(join(folder, name), new Date(now - 31 * 24 * 3600_000), new Date(now - 31 * 24 * 3600_000))
  writeFileSync(join(folder, 'torn.code.1.tmp'), '')
  utimesSync(join(folder, 'torn.code.1.tmp'), new Date(0), new Date(0))
  writeFileSync(entry, `${readFileSync(entry, 'utf8')}\nexports.more = 1`)
  await run({ use: 'plan' })
  // Those for "plan", and the one of the new source.
  expect(kept()).toHaveLength(before.length + 1)
  expect(kept().some((name) => before.includes(name))).toBe(false)
})

test('a folder that takes nothing keeps nobody from running, and is left without half a file', async () => {
  writeFileSync(folder, 'in the way')
  await run()
  expect(readFileSync(folder, 'utf8')).toBe('in the way')
  expect(readdirSync(root).sort()).toEqual(['compiled', 'program'])
})

test('a part that is missing is named as Node names it', async () => {
  const { exports } = start()
  rmSync(join(root, 'program/parts/third.cjs'))
  expect(() => exports.late()).toThrow(expect.objectContaining({ code: 'MODULE_NOT_FOUND', message: expect.stringContaining('third.cjs') }))
})
