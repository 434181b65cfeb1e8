import { expect, test } from 'vitest'
import { createStatePublisher, type StatePorts, type StatePublisher } from '../../plugin/panel/server/publisher.ts'
import type { PanelState, StateEvent } from '../../plugin/protocol/protocol.ts'
import type { Overview } from '../../src/index.ts'

/** A project without sprites. Its records give a warning, and a later read gives another one. */
function world(
  startedAt: number,
  own: Partial<StatePorts> = {},
  requests: () => Promise<readonly never[]> = async () => [],
): {
  readonly publisher: StatePublisher
  readonly sent: readonly StateEvent[]
  warn(words: string): void
  /** Reads the state; `whole` reads all files again. */
  read(query?: string): Promise<PanelState>
} {
  const sent: StateEvent[] = []
  let warnings: readonly string[] = []
  const workshop = {
    overview: async (): Promise<Overview> => ({
      ...{ items: [], own: [], steps: [], orphans: [], others: new Set(), digests: new Map(), errors: [], warnings },
      ...{ mayBuy: true, service: { kind: 'none', canAsk: false } },
    }),
    ledger: async () => ({
      held: 0n,
      settled: 0n,
      restored: 0n,
      uncertain: 0n,
      elsewhere: 0n,
      lines: [],
      sprites: [],
      repaired: 0,
      warnings: [],
    }),
    requests: { list: requests },
    host: { clock: { wall: () => startedAt } },
  } as unknown as StatePorts['workshop']
  const publisher = createStatePublisher({
    workshop,
    shown: async () => ({ preview: { sheets: { sprites: [], atlases: [] }, errors: [] }, isComplete: true }),
    publish: (event) => sent.push(event),
    partsOf: () =>
      ({ root: '/game', prices: undefined, priceError: undefined, progress: new Map(), failures: [], access: {}, urlOf: String }) as never,
    ...own,
  })
  return {
    publisher,
    sent,
    warn: (words) => {
      warnings = [words]
    },
    read: (query = 'whole') => publisher.state({} as never, new URLSearchParams(query)),
  }
}

test('a state of a server is newer than all states of the one whose place it has taken', async () => {
  const earlier = world(1_000_000)
  for (let changes = 0; changes < 3; changes++) earlier.publisher.announce()
  const { revision } = await earlier.read()
  expect((await world(1_002_000).read()).revision).toBeGreaterThan(revision)
})

test('what one page finds that reads everything again is told to the others, once', async () => {
  const { read, warn, sent } = world(1)
  const { revision } = await read()
  warn('The vault is damaged.')
  expect(await read('')).toMatchObject({ revision, warnings: [] })
  const found = await read()
  expect(sent).toEqual([{ revision: found.revision }])
  expect(found).toMatchObject({ warnings: ['The vault is damaged.'] })
  expect(found.revision).toBeGreaterThan(revision)
  expect((await read('')).revision).toBe(found.revision)
  await read()
  expect(sent).toHaveLength(1)
})

test('a state has the revision of the last change before it was read', async () => {
  const { publisher, read, sent } = world(1)
  const revision = publisher.changed(['/game/sprites/hero.sprite.json'])
  expect((await read('')).revision).toBe(revision)
  expect(sent).toEqual([{ revision }])
})

test('a page is told to ask again until all sprites are made, and then no more', async () => {
  const opened: (readonly string[])[] = []
  const { read, sent } = world(1, {
    shown: async (names) => {
      opened.push(names)
      return { preview: { sheets: { sprites: [], atlases: [] }, errors: [] }, isComplete: opened.length > 1 }
    },
  })
  const { revision } = await read('open=hero&open=coin')
  expect(sent).toHaveLength(1)
  expect(sent[0]?.revision).toBeGreaterThan(revision)
  await read('')
  expect([sent.length, opened]).toEqual([1, [['hero', 'coin'], []]])
})

test('what cannot be read is an error of a state, or missing in it, and the rest is shown', async () => {
  const torn = () => Promise.reject(new Error('torn'))
  const { read } = world(1, { shown: torn }, torn)
  expect(await read()).toMatchObject({ errors: [{ message: 'torn' }], requests: [], sprites: [] })
  const found = { sheets: { sprites: [], atlases: [] }, errors: [new Error('no picture')] } as never
  const { errors } = await world(1, { shown: async () => ({ preview: found, isComplete: true }) }).read()
  expect(errors).toMatchObject([{ message: 'no picture' }])
})

test('a change that comes while a state is read makes that state old', async () => {
  let change = (): void => {}
  const { publisher, read, sent } = world(1, {
    shown: async () => {
      change()
      return { preview: { sheets: { sprites: [], atlases: [] }, errors: [] }, isComplete: true }
    },
  })
  change = () => void publisher.changed(['/game/sprites/hero.sprite.json'])
  const { revision } = await read('')
  expect(sent[0]?.revision).toBeGreaterThan(revision)
})

test('another page with other rights is no change of the state', async () => {
  const allowed: unknown[] = []
  const { read, sent } = world(1, {
    partsOf: (_request, mayBuy) => {
      allowed.push(mayBuy)
      return {
        ...{ root: '/game', prices: undefined, priceError: undefined, progress: new Map(), failures: [], urlOf: String },
        access: { mayAct: allowed.length === 1 },
      } as never
    },
  })
  const { revision } = await read('')
  expect([(await read('')).revision, sent, allowed]).toEqual([revision, [], [true, true]])
})

test('a project that cannot be shown is not asked for again by itself, and its records are read all the same', async () => {
  const shown = async () => Promise.reject(new Error('no preview'))
  const { read, sent, publisher } = world(1, { shown })
  const { errors } = await read()
  expect([errors.map(({ message }) => message), sent]).toEqual([['no preview'], []])
  expect([(await publisher.overview()).mayBuy, (await publisher.ledger()).held]).toEqual([true, 0n])
  expect(await publisher.sprite({} as never, 'nobody', { sprites: [], atlases: [] })).toBeUndefined()
})

test('a change is read with its paths, and a change of anything as a whole', async () => {
  const reads: unknown[] = []
  const { publisher, read } = world(1)
  const overview = (await publisher.overview()) as Overview
  const workshop = {
    overview: async (paths: unknown) => {
      reads.push(paths)
      return overview
    },
    ledger: async () => ({ lines: [], sprites: [], warnings: [] }),
    requests: { list: async () => [] },
    host: { clock: { wall: () => 1 } },
  } as unknown as StatePorts['workshop']
  const own = world(1, { workshop }).publisher
  await own.overview()
  own.changed(['/game/a.sprite.json'])
  await own.overview()
  own.changed()
  await own.overview()
  await own.overview()
  expect(reads).toEqual([undefined, ['/game/a.sprite.json'], undefined])
  expect((await read('')).errors).toEqual([])
})
