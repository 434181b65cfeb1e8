import { join } from 'node:path'
import { expect, test } from 'vitest'
import { toCsvText } from '../../src/cli/view/csv.ts'
import { originFailure } from '../../src/cli/view/disclosure.ts'
import { parseCredits } from '../../src/credit/credits.ts'
import type { DisclosedPixels, Disclosure, Workshop } from '../../src/workshop.ts'
import { createWorld } from './world.ts'

const pixels: DisclosedPixels = { width: 8, height: 9, sha256: 'a'.repeat(64) }
const disclosure: Disclosure = {
  animations: [
    {
      id: 'hero.walk',
      origin: 'bought',
      purchase: {
        hash: 'b'.repeat(64),
        executionId: 'exec_1',
        credits: parseCredits('2.4'),
        given: 'typed',
        origin: 'here',
        service: { host: 'api.example.com', keyMode: 'live' },
        asked: { prompt: '=a "knight", small\nwalk' },
        at: '2026-03-01T10:00:00.000Z',
        approvedBy: 'SHA256:abcdefghij',
        approvedAt: '2026-03-01T09:00:00.000Z',
      },
      madeFrom: [],
      picture: 'sprites/hero.png',
      frames: [0, 1].map((index) => ({
        frame: `hero/walk/000${index}`,
        index,
        touchedUp: index === 1 ? 'sprites/hero.frames/walk/0001.png' : undefined,
        delivered: pixels,
        shipped: pixels,
      })),
    },
    { id: 'badge', origin: 'drawn', files: ['art/badge.png'], frames: [{ frame: 'badge', index: 0, delivered: pixels, shipped: pixels }] },
  ],
  unexplained: [],
  warnings: [],
}
/** The own art of the disclosure under another name. */
const named = (frame: string): Disclosure => {
  const [badge] = disclosure.animations.slice(1)
  return { ...disclosure, animations: [{ ...badge!, frames: [{ ...badge!.frames[0]!, frame }] }] }
}
const without = { ...disclosure, unexplained: [{ name: 'hero/walk/0001', why: 'its pixels changed' }] }

test('the command prints a line for each animation, and compares the default folder only if a build wrote it', async () => {
  const asked: unknown[] = []
  const workshop: Partial<Workshop> = {
    disclose: async (folder) => {
      asked.push(folder)
      return disclosure
    },
  }
  const { run, out } = createWorld({ workshop })
  expect(await run('disclose')).toBe(0)
  expect(out()).toMatch(/hero\.walk +2 +1 +bought +2\.4 +typed SHA256:abcde +2026-03-01 +=a "knight", small\\nwalk · sprites\/hero\.png/)
  expect(out()).toMatch(/badge +1 +drawn +art\/badge\.png/)
  expect(out()).toContain('3 shipped frames: 2 bought, 1 drawn, 1 touched up by hand.')
  const other = createWorld({ workshop, files: { '/game/public/sprites/sprites.d.ts': '' } })
  expect(await other.run('disclose')).toBe(0)
  expect(asked).toEqual([undefined, join('/game', 'public/sprites')])
  expect(await other.run('disclose', '--out', 'elsewhere')).toBe(2)
  expect(await other.run('disclose', '--csv', '--texts')).toBe(2)
})

test('a CSV has a line for each frame, and no cell that a spreadsheet computes', async () => {
  const { run, out } = createWorld({ workshop: { disclose: async () => disclosure } })
  expect(await run('disclose', '--csv')).toBe(0)
  const [head = '', ...lines] = out().split('\r\n')
  expect(lines).toHaveLength(4)
  expect(lines[3]).toBe('')
  expect(head).toContain('purchase.asked.prompt')
  expect(lines[0]).toContain(`,"'=a ""knight"", small\\nwalk",`)
  expect(lines[1]).toContain('sprites/hero.frames/walk/0001.png')
  const wide = createWorld({ workshop: { disclose: async () => named('＝1+1') } })
  expect(await wide.run('disclose', '--csv')).toBe(0)
  expect(wide.out()).toContain("\r\n'＝1+1,0,")
  for (const line of lines.slice(0, 3)) expect(line.replaceAll(/"(?:[^"]|"")*"/g, '').split(',')).toHaveLength(head.split(',').length)
})

test.each([...'=+-@＝＋－＠'])('a cell that begins with %s is a text to a spreadsheet', (sign) => {
  expect(toCsvText(['a'], [new Map([['a', `${sign}1`]])])).toBe(`a\r\n'${sign}1\r\n`)
})

test.each([
  [12, undefined],
  [13, 'and 1 more'],
])('of %i frames without an origin twelve are named, and the rest is counted: %s', (count, rest) => {
  const unexplained = Array.from({ length: count }, (_, index) => ({ name: `f${index}`, why: 'x' }))
  const lines = originFailure({ ...disclosure, unexplained })
    ?.message.split('\n')
    .slice(1)
  expect(lines).toEqual([...unexplained.slice(0, 12).map(({ name }) => `${name}: x`), ...(rest === undefined ? [] : [rest])])
})

test('texts for shops count bought and edited frames, and own art alone is not called generated', async () => {
  const { run, out } = createWorld({ workshop: { disclose: async () => disclosure } })
  expect(await run('disclose', '--texts')).toBe(0)
  expect(out()).toContain('consumed by players: yes, pre-generated')
  expect(out()).toContain('2 of 3 sprite frames (hero) were pre-generated with generative AI (api.example.com)')
  expect(out()).toContain('Edited by hand afterwards: 1.')
  expect(out()).toContain('Own art: 1 sprite frame;')
  expect(out()).toContain('"AI Generated Graphics"')
  const own = createWorld({ workshop: { disclose: async () => ({ ...disclosure, animations: disclosure.animations.slice(1) }) } })
  expect(await own.run('disclose', '--texts')).toBe(0)
  expect(own.out()).not.toMatch(/yes|AI Generated/i)
  const bought = createWorld({ workshop: { disclose: async () => ({ ...disclosure, animations: disclosure.animations.slice(0, 1) }) } })
  expect(await bought.run('disclose', '--texts')).toBe(0)
  expect(bought.out()).not.toContain('wn art')
})

test('a frame without an origin ends the command with exit code 1 and its name', async () => {
  const { run, err } = createWorld({ workshop: { disclose: async () => without } })
  expect(await run('disclose')).toBe(1)
  expect(err()).toMatch(/SW_ORIGIN.*none for 1.*\n.*hero\/walk\/0001: its pixels changed/)
  const other = createWorld({ workshop: { disclose: async () => without } })
  expect(await other.run('disclose', '--json')).toBe(1)
  expect(other.json()).toMatchObject({ unexplained: [{ name: 'hero/walk/0001' }], texts: { steam: expect.any(String) } })
})

const building = (found: Disclosure): Partial<Workshop> => ({
  disclose: async () => found,
  build: async () => ({
    sheets: { sprites: [], atlases: [] },
    bought: [],
    fetched: [],
    fromVault: 0,
    failures: [],
    warnings: [],
  }),
  write: async () => [],
  writeTypings: async () => [],
  options: { root: '/game', specs: [], notes: [], formats: [] } as unknown as Workshop['options'],
})

test('a build writes the origins beside its output, and none if a frame has none', async () => {
  const { run, text } = createWorld({ workshop: building(disclosure) })
  expect(await run('build', '--disclose', 'out/origins.json')).toBe(0)
  expect(JSON.parse(text(join('/game', 'out/origins.json')))).toMatchObject({ animations: [{ id: 'hero.walk' }, { id: 'badge' }] })
  const other = createWorld({ workshop: building(without) })
  expect(await other.run('build', '--disclose', 'origins.csv')).toBe(1)
  expect(other.files.has(join('/game', 'origins.csv'))).toBe(false)
  for (const wrong of [['origins.doc'], ['constructor'], ['origins.csv', '--watch'], ['origins.csv', '--buy-only']])
    expect(await other.run('build', '--disclose', ...wrong)).toBe(2)
})

test('a build replaces an earlier disclosure, and no other file: not the lock file, which holds purchases', async () => {
  const lock = '{ "version": 1, "animations": {} }'
  const spec = '{ "animations": { "walk": {} } }'
  const files = { '/game/sprites.lock.json': lock, '/game/hero.sprite.json': spec, '/game/notes.txt': 'mine', '/game/old.csv/a': '' }
  for (const file of ['sprites.lock.json', 'hero.sprite.json', 'notes.txt', 'old.csv']) {
    const { run, text, err } = createWorld({ workshop: building(disclosure), files })
    expect(await run('build', '--disclose', file)).toBe(2)
    expect(err()).toContain('an earlier disclosure')
    expect(text('/game/sprites.lock.json')).toBe(lock)
  }
  for (const file of ['a.csv', 'a.json', 'a.txt'])
    for (const found of [disclosure, { ...disclosure, animations: [] }]) {
      const { run, text } = createWorld({ workshop: building(found) })
      expect(await run('build', '--disclose', file)).toBe(0)
      const first = text(join('/game', file))
      expect(await run('build', '--disclose', file)).toBe(0)
      expect(text(join('/game', file))).toBe(first)
    }
})

test('a file of origins has no warnings, which name folders of a machine', async () => {
  const { run, text } = createWorld({ workshop: building({ ...disclosure, warnings: ['/home/me/game/hero.sprite.json: no grid'] }) })
  expect(await run('build', '--disclose', 'origins.json')).toBe(0)
  expect(text(join('/game', 'origins.json'))).not.toContain('/home/me')
})
