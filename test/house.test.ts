import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { folderLoops, importLoops, rooms, type Violation, wrongDirections } from './house/rooms.ts'
import * as rules from './house/rules.ts'
import { parseSource, type Source } from './house/source.ts'
import { downloadAddresses, machinePaths, missingPages, namesOfPlaces, readTextFiles, type TextFile } from './house/tracked.ts'
import { testWith } from './kit/needs.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** Lines after which a file should be reviewed, and lines after which it must be cut. */
const roomyFile = 250
const longestFile = 320

const house: readonly Source[] = ['atlas', 'src', 'plugin']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => posix.join(folder, path.replaceAll('\\', '/'))),
  )
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts'))
  .sort()
  .map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')))

/** A small house of wrong samples: path → text. */
function sample(files: Readonly<Record<string, string>>): Source[] {
  return Object.entries(files).map(([path, text]) => parseSource(path, text))
}

/** Violations as lines, so that a failure prints only them. */
function lines(found: readonly Violation[]): string[] {
  return found.map(({ at, found }) => `${at} ${found}`)
}

function places(found: readonly Violation[]): string[] {
  return found.map(({ at }) => at)
}

describe('the house', () => {
  test('was read: every room of the table has files', () => {
    const isIn = (place: string): boolean => house.some(({ path }) => (place.endsWith('/') ? path.startsWith(place) : path === place))
    expect(Object.entries(rooms).flatMap(([name, { at }]) => (at.every(isIn) ? [] : [name]))).toEqual([])
  })

  test('imports run in the direction of the table of rooms, types included', () => {
    expect(lines(wrongDirections(house))).toEqual([])
  })

  test('no files import each other in a circle, types included', () => {
    expect(lines(importLoops(house))).toEqual([])
  })

  test('the folders of a room do not import each other in a circle', () => {
    expect(lines(folderLoops(house))).toEqual([])
  })

  test('only src/job/purchase.ts submits', () => {
    expect(lines(rules.onlyPurchaseSubmits(house))).toEqual([])
    expect(house.some(({ path }) => path === 'src/job/purchase.ts')).toBe(true)
  })

  test('only src/host/ touches clock, disk, network, randomness, timers and the process', () => {
    expect(lines(rules.onlyHostTouchesTheWorld(house))).toEqual([])
  })

  test('nothing is any', () => {
    expect(lines(rules.noAny(house))).toEqual([])
  })

  test('only plugin/index.ts has a default export', () => {
    expect(lines(rules.noDefaultExport(house))).toEqual([])
  })

  test('only src/cli/bin.ts ends the process', () => {
    expect(lines(rules.noProcessExit(house))).toEqual([])
  })

  test('no float comes near money', () => {
    expect(lines(rules.noFloatMoney(house))).toEqual([])
  })

  test('every exported function and class has a doc comment', () => {
    expect(lines(rules.exportsAreDocumented(house))).toEqual([])
  })

  test('no file is named for nothing in particular', () => {
    expect(lines(rules.noGrabBags(house))).toEqual([])
  })

  test(`no file has more than ${longestFile} lines`, () => {
    const long = lines(rules.longerThan(roomyFile)(house))
    if (long.length > 0) console.warn(`Worth cutting:\n  ${long.join('\n  ')}`)
    expect(lines(rules.longerThan(longestFile)(house))).toEqual([])
  })
})

describe('the repository', () => {
  const files = readTextFiles(root)
  if (files === undefined) console.warn('The rules about tracked files are skipped: this folder is no git checkout.')

  testWith(files !== undefined, 'git checkout')('names no path of a machine and no package registry', () => {
    expect(lines(namesOfPlaces(files ?? [], machinePaths(root)))).toEqual([])
  })

  testWith(files !== undefined, 'git checkout')('records no download addresses', () => {
    expect(lines(downloadAddresses(files ?? []))).toEqual([])
  })

  testWith(files !== undefined, 'git checkout')('speaks of no page that it does not have', () => {
    const pages = (files ?? []).map(({ path }) => path).filter((path) => path.endsWith('.md'))
    const isPage = (mention: string): boolean => {
      // A link up from a page in a folder. `docs.test.ts` tests the targets of links.
      const name = mention.replace(/^(?:\.\.\/)+/, '')
      return pages.some((path) => path === name || path.endsWith(`/${name}`) || existsSync(join(root, name)))
    }
    expect(lines(missingPages(files ?? [], isPage))).toEqual([])
  })
})

describe('a rule sees what breaks it:', () => {
  test('an import against the table, also of a type, a re-export, an import type and a dynamic import', () => {
    const wrong = sample({
      'src/credit/ledger.ts': "import type { Job } from '../job/record.ts'",
      'src/sprite-spec/spec.ts': "export { submit } from '../service/client.ts'",
      'atlas/frame.ts': "export let x: import('../src/errors.ts').ErrorCode",
      'src/project/plan.ts': "await import('../../plugin/index.ts')\nimport '../../atlas/frame.ts'",
      'src/embedded/http.ts': "import { createClient } from '../service/client.ts'",
      'src/lost.ts': '',
    })
    expect(places(wrongDirections(wrong))).toEqual([
      'src/credit/ledger.ts:1',
      'src/sprite-spec/spec.ts:1',
      'atlas/frame.ts:1',
      'src/project/plan.ts:1',
      'src/project/plan.ts:2',
      'src/embedded/http.ts:1',
      'src/lost.ts',
    ])
  })

  test('a static import where only a dynamic one may be, and not the dynamic one', () => {
    const wrong = sample({ 'src/workshop.ts': "import './embedded/index.ts'\nawait import('./embedded/index.ts')" })
    expect(places(wrongDirections(wrong))).toEqual(['src/workshop.ts:1'])
  })

  test('an import within a room, or of what the table allows, is none', () => {
    const right = sample({
      'src/project/plan.ts': "import '../../atlas/index.ts'\nimport './sheet.ts'\nimport 'node:path'\nimport '../errors.ts'",
      'atlas/formats/pixi.ts': "import '../atlas.ts'",
    })
    expect(lines(wrongDirections(right))).toEqual([])
  })

  test('an import in a comment or a string is none', () => {
    const right = sample({ 'atlas/frame.ts': "// import '../src/errors.ts'\nexport const text = `import '../src/errors.ts'`" })
    expect(lines(wrongDirections(right))).toEqual([])
  })

  test('a loop of types', () => {
    const loop = sample({
      'src/a.ts': "import type { B } from './b.ts'",
      'src/b.ts': "export type { C } from './c.ts'",
      'src/c.ts': "export let a: import('./a.ts').A",
    })
    expect(lines(importLoops(loop))).toEqual(['src/a.ts src/a.ts → src/b.ts → src/c.ts → src/a.ts'])
  })

  test('folders of a room in a circle', () => {
    const loop = sample({
      'src/job/a/one.ts': "import '../b/two.ts'",
      'src/job/b/two.ts': "import type { Three } from '../three.ts'",
      'src/job/three.ts': "import './a/four.ts'",
      'src/job/a/four.ts': '',
    })
    expect(places(folderLoops(loop))).toEqual(['src/job/a', 'src/job/b', 'src/job/three.ts'])
  })

  test('a second spender', () => {
    const wrong = sample({
      'src/workshop.ts': 'await client.submit(order)',
      'src/job/delivery/follow.ts': "client['submit'](order); a?.submit()",
      'src/job/purchase.ts': 'client.submit(order)',
    })
    expect(places(rules.onlyPurchaseSubmits(wrong))).toEqual([
      'src/workshop.ts:1',
      'src/job/delivery/follow.ts:1',
      'src/job/delivery/follow.ts:1',
    ])
  })

  test.each([
    "import { readFileSync } from 'node:fs'",
    "import { readFile } from 'fs/promises'",
    "const { request } = await import('undici')",
    "export { request } from 'node:http'",
    "import { createHash, randomUUID } from 'node:crypto'",
    "await fetch('/')",
    "globalThis.fetch('/')",
    'Date.now()',
    "Date['now']()",
    'new Date()',
    'performance.now()',
    'Math.random()',
    'setTimeout(() => {}, 1)',
    'setInterval(() => {}, 1)',
    'export const key = process.env.KEY',
    'globalThis.process.cwd()',
    "new WebSocket('ws://x')",
  ])('a touch of the world: %s', (text) => {
    const wrong = sample({ 'src/project/plan.ts': text })
    const seen = rules.onlyHostTouchesTheWorld(wrong).length > 0
    expect(seen).toBe(true)
    expect(lines(rules.onlyHostTouchesTheWorld(sample({ 'src/host/net.ts': text })))).toEqual([])
  })

  test('what is handed in, given, or only a type is no touch of the world', () => {
    const right = sample({
      'src/job/delivery/follow.ts':
        "import type { IncomingMessage } from 'node:http'\nimport { createHash } from 'node:crypto'\nhost.clock.now(); net.fetch('/'); new Date(at)",
    })
    expect(lines(rules.onlyHostTouchesTheWorld(right))).toEqual([])
  })

  test('any, but not the word', () => {
    const wrong = sample({ 'src/a.ts': 'export let a: any\nlet b = x as Record<string, any>\nlet any = "any"' })
    expect(places(rules.noAny(wrong))).toEqual(['src/a.ts:1', 'src/a.ts:2'])
  })

  test('a default export, written either way, outside of the plugin', () => {
    const wrong = sample({
      'src/a.ts': 'export default 1',
      'src/b.ts': 'const b = 1\nexport { b as default }',
      'plugin/index.ts': 'export default function f() {}',
    })
    expect(places(rules.noDefaultExport(wrong))).toEqual(['src/a.ts:1', 'src/b.ts:2'])
  })

  test('the end of a process', () => {
    const wrong = sample({ 'src/workshop.ts': 'process.exit(1)', 'src/cli/bin.ts': 'process.exit(1)' })
    expect(places(rules.noProcessExit(wrong))).toEqual(['src/workshop.ts:1'])
  })

  test('a float among money', () => {
    const wrong = sample({
      'src/credit/a.ts': 'Number(text)\nparseFloat(text)\nNumber.parseFloat(text)',
      'src/job/b.ts': 'Number(text)',
      'src/sprite-spec/c.ts': 'Number(text)',
    })
    expect(places(rules.noFloatMoney(wrong))).toEqual(['src/credit/a.ts:1', 'src/credit/a.ts:2', 'src/credit/a.ts:3', 'src/job/b.ts:1'])
  })

  test('an export without a doc comment, whatever its form', () => {
    const wrong = sample({
      'src/a.ts':
        '/** Says why. */\nexport function a(): void {}\n\n// not a doc comment\nexport function b(): void {}\nexport const c = () => {}\nexport class D {}\n/** */\nexport async function e() {}\n/** Of something else. */\nconst x = 1\nexport function f() {}',
    })
    expect(places(rules.exportsAreDocumented(wrong))).toEqual(['src/a.ts:5', 'src/a.ts:6', 'src/a.ts:7', 'src/a.ts:9', 'src/a.ts:12'])
  })

  test('a file that is too long, and not one that just fits', () => {
    const text = (count: number): string => '// line\n'.repeat(count)
    expect(places(rules.longerThan(320)(sample({ 'src/a.ts': text(321), 'src/b.ts': text(320) })))).toEqual(['src/a.ts'])
  })

  test('a grab bag', () => {
    const wrong = sample({
      'src/utils.ts': '',
      'src/job/types.ts': '',
      'atlas/helpers.ts': '',
      'src/job/records/record.ts': '',
      'plugin/util.test.ts': '',
    })
    expect(places(rules.noGrabBags(wrong))).toEqual(['src/utils.ts', 'src/job/types.ts', 'atlas/helpers.ts', 'plugin/util.test.ts'])
  })

  test('a path of a machine, a registry, a download address', () => {
    const told = (text: string): TextFile[] => [{ path: 'README.md', text }]
    const own = ['/opt/checkouts/mine']
    expect(namesOfPlaces(told('see /opt/checkouts/mine/src'), own)).toHaveLength(1)
    expect(namesOfPlaces(told(`open /${'home'}/anna/games/x`), own)).toHaveLength(1)
    expect(namesOfPlaces(told(`from https://registry.${'np' + 'mjs'}.org/x`), own)).toHaveLength(1)
    expect(namesOfPlaces(told('relative/opt/checkouts/mine-too, home/anna, /homework/'), own)).toEqual([])
    expect(downloadAddresses([{ path: 'package-lock.json', text: `"resolved": "${'http'}s://example/x.tgz"` }])).toHaveLength(1)
  })

  test('a page that is not here', () => {
    const files: TextFile[] = [{ path: 'src/a.ts', text: '// see notes.md and README.md, `**/*.md`' }]
    expect(lines(missingPages(files, (page) => page === 'README.md'))).toEqual(['src/a.ts:1 speaks of a page that is not here: notes.md'])
  })

  test('and the rooms are those that ARCHITECTURE.md shows, in their order and with their places', () => {
    const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
    const shown = [...page.matchAll(/^\|\*\*([a-z ]+)\*\*\|([^|]*)\|$/gm)].map(([, room, cell = '']) => [
      room,
      [...cell.matchAll(/`((?:atlas|src|plugin)\/[^`]*)`/g)].map(([, place]) => place).sort(),
    ])
    expect(shown).toEqual(Object.entries(rooms).map(([name, { at }]) => [name, [...at].sort()]))
  })

  test('and its rooms are in order: each imports only rooms before it', () => {
    const names = Object.keys(rooms)
    const isBefore = (room: string, place: string): boolean => names.indexOf(place) < names.indexOf(room)
    const wrong = Object.entries(rooms).flatMap(([name, { may, mayLater = [] }]) =>
      [...may, ...mayLater].filter((place) => !isBefore(name, place)),
    )
    expect(wrong).toEqual([])
  })
})
