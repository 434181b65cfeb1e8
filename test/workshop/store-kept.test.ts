import { describe, expect, test } from 'vitest'
import { sha256 } from '../../src/host/sha256.ts'
import { type ProcessInit, places, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const [king, knight] = ['a king', 'a knight'].map((prompt) => sha256(encode(sheetOf(`${prompt}\nwalk`)))) as [string, string]

/** A project with one bought result. */
async function bought(): Promise<Team> {
  const made = await team()
  await made.first.approve()
  await made.first.build()
  return made
}

test('a check opens each result, and asks the service again only for an unreadable one that a spec asks for', async () => {
  const { first, run } = await bought()
  first.write('sprites/hero.sprite.json', specOf('a king', 'hero'))
  await first.approve()
  await first.build()
  const told: unknown[] = []
  const { findings, ...rest } = await run((await first.open()).store.verify({ onFetch: (ids) => told.push(ids) }))
  const why = (bytes: number): string =>
    `The archive breaks the rule "no-eocd": expected an end record, found none in ${bytes} bytes: no ZIP, or one cut short.`
  const again = 'It was fetched again, and the service gives the same bytes.'
  const advice = 'No present spec asks for it; npx spritewright store prune deletes it by its hash.'
  const rows = [
    [king, 'unmended', `${why(23)} ${again}`],
    [knight, 'unreadable', `${why(25)} ${advice}`],
  ] as const
  expect(findings).toEqual(
    rows.map(([hash, outcome, words]) => ({
      ...{ sha256: hash, ids: ['hero.walk'], outcome, damaged: [], words: `it cannot be read: ${words}` },
    })),
  )
  expect([rest, told]).toEqual([{ checked: 2, good: 0, bytes: 48, swept: [], warnings: [] }, [['hero.walk']]])
  const { store } = await first.open()
  await expect(run(store.prune({ names: [king], confirm: async () => true }))).rejects.toMatchObject({
    message: `Expected a result that may be deleted, found "${king}": a present spec asks for it: hero.walk. It cannot be read: ${why(23)} ${again} Nothing was deleted.`,
  })
})

test('without the lock file the journal and the ledger say what each result is for, and where it was made', async () => {
  const { first, run } = await bought()
  first.write('sprites/hero.sprite.json', specOf('a king', 'hero'))
  await first.approve()
  await first.build()
  const { animations } = first.lock()
  const of = Object.entries(animations['hero.walk'] ?? {}).map(([request, { result, execution }]) => ({ request, result, execution }))
  const rowsOf = async (): Promise<unknown> => (await run((await first.open()).store.list())).results
  const row = (hash: string, state: string, id = 'hero.walk'): unknown => {
    const { request, result, execution } = of.find(({ result }) => result?.sha256 === hash) ?? {}
    const use = { id: id || request?.slice(0, 12), request, state, executionId: execution?.id }
    return { sha256: hash, bytes: result?.bytes, state, uses: [use], places: ['project'] }
  }
  const bare = JSON.parse(JSON.stringify(first.lock(), (key, value) => (key === 'result' ? undefined : value)))
  first.write('sprites.lock.json', JSON.stringify(bare))
  expect(await rowsOf()).toEqual([row(king, 'used'), row(knight, 'superseded')])
  first.write('sprites.lock.json', JSON.stringify({ version: 1, animations: {} }))
  expect(await rowsOf()).toEqual([row(king, 'used'), row(knight, 'unknown')])
  first.disk.files.delete('/game/.spritewright/ledger.jsonl')
  expect(new Set((await rowsOf()) as unknown[])).toEqual(new Set([row(king, 'used'), row(knight, 'unknown', '')]))
})

describe('what nothing names in a shared store', () => {
  const day = 86_400_000
  const object = (digit: string): string => digit.repeat(64)

  test('is listed by age, after every commit, lock file and journal of the clones was read', async () => {
    const calls: unknown[] = []
    const histories: Readonly<Record<string, string>> = { '/game': '1', '/other': '2', '/served': '3' }
    const hashesIn = async (root: string, names: readonly string[]): Promise<ReadonlySet<string>> => {
      calls.push([root, names])
      return new Set([object(histories[root] ?? '')])
    }
    const git = { repository: { hashesIn } } as unknown as ProcessInit['team']
    const shared = '/share/unnamed'
    const { first, share, world, run } = await bought()
    const workshop = await first.open({ team: git, options: { store: { shared } } })
    const put = (path: string, content: unknown): void => void first.disk.files.set(path, encode(JSON.stringify(content)))
    for (const root of ['/other', '/served']) {
      put(`${root}/package.json`, { name: 'other' })
      put(`${root}/spritewright.config.json`, { store: { shared } })
    }
    put(`${places.state}/settings.json`, { worker: { projects: [{ dir: '/served' }] } })
    const lock = first.lock()
    const naming = (digit: string): unknown => JSON.parse(JSON.stringify(lock).replaceAll(knight, object(digit)))
    put('/other/sprites.lock.json', naming('6'))
    put(`/game/.spritewright/orders/sprites.lock.json`, naming('7'))
    put('/game/sprites.lock.json', { version: 1, animations: {} })
    const now = world.clock.wall()
    for (const [at, digit] of [...'12345678'].entries()) {
      share.files.set(`${shared}/${object(digit)}.zip`, encode(digit.repeat(at + 1)))
      share.times.set(`${shared}/${object(digit)}.zip`, now - (digit === '5' ? 3 * day - 1 : day))
    }
    for (const hash of [knight, object('9')]) {
      share.files.set(`${shared}/${hash}.zip`, encode('x'))
      share.times.set(`${shared}/${hash}.zip`, now - 9 * day)
    }
    expect(await run(workshop.store.unnamed(['../other']))).toEqual({
      store: shared,
      clones: ['/game', '/other', '/served'],
      stored: 10,
      results: [
        { sha256: object('9'), bytes: 1, days: 9 },
        { sha256: object('5'), bytes: 5, days: 2 },
        { sha256: object('4'), bytes: 4, days: 1 },
        { sha256: object('8'), bytes: 8, days: 1 },
      ],
      warnings: [],
    })
    expect(calls).toEqual(['/game', '/other', '/served'].map((root) => [root, ['sprites.lock.json', 'sprites.lock/*.json']]))
    await expect(run(workshop.store.unnamed(['../nowhere']))).rejects.toMatchObject({
      code: 'SW_USAGE',
      message: `Expected the folder of a project that shares results in ${shared}, found /nowhere, which names none. Nothing is listed. Give the folder with its configuration, or leave it out.`,
      facts: { root: '/nowhere', expected: shared, found: 'none' },
    })
  })

  test('is not listed if the commits of a clone cannot be read', async () => {
    const hashesIn = (): Promise<never> => Promise.reject(new Error('a shallow clone'))
    const shared = '/share/unread'
    for (const [repository, why] of [
      [{ hashesIn }, 'a shallow clone'],
      [undefined, 'no git'],
    ] as const) {
      const { first, run } = await team()
      const workshop = await first.open({ team: { repository } as unknown as ProcessInit['team'], options: { store: { shared } } })
      await expect(run(workshop.store.unnamed())).rejects.toMatchObject({
        code: 'SW_ORDER',
        message: `Expected to read every commit of /game and of its remotes, found ${why}. Nothing is listed, because a lock file there may name any result. Mend the clone, and run again.`,
        facts: { root: '/game' },
      })
    }
  })
})
