import { expect, test } from 'vitest'
import { createStatePublisher, type StatePorts, type StatePublisher } from '../../plugin/panel/server/state/publisher.ts'
import type { PanelState, PanelUpdate, StateEvent } from '../../plugin/protocol/protocol.ts'
import type { Overview } from '../../src/index.ts'

/** A project without sprites. Its records give a warning, and a later read gives another one. */
function world(startedAt: number): {
  readonly publisher: StatePublisher
  readonly sent: readonly StateEvent[]
  warn(words: string): void
  read(since?: number): Promise<PanelState | PanelUpdate>
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
    host: { clock: { wall: () => startedAt } },
  } as unknown as StatePorts['workshop']
  const publisher = createStatePublisher({
    workshop,
    shown: async () => ({ preview: { sheets: { sprites: [], atlases: [] }, errors: [] }, isComplete: true }),
    publish: (event) => sent.push(event),
    partsOf: () =>
      ({ root: '/game', prices: undefined, priceError: undefined, progress: new Map(), failures: [], access: {}, urlOf: String }) as never,
  })
  return {
    publisher,
    sent,
    warn: (words) => {
      warnings = [words]
    },
    read: (since) => publisher.state({} as never, new URLSearchParams(since === undefined ? {} : { since: String(since) })),
  }
}

test('a page that knows a state of an earlier server is given all of it by the one that has taken its place', async () => {
  const earlier = world(1_000_000)
  for (let changes = 0; changes < 3; changes++) earlier.publisher.announce()
  const { revision } = await earlier.read()
  const now = world(1_002_000)
  now.warn('The vault is damaged.')
  // Another page came first, and something has happened since.
  await now.read()
  for (let changes = 0; changes < 9; changes++) now.publisher.announce()
  expect(await now.read(revision)).toMatchObject({ project: 'game', warnings: ['The vault is damaged.'] })
})

test('what one page finds that reads everything again is told to the others, once', async () => {
  const { read, warn, sent } = world(1)
  const { revision } = await read()
  warn('The vault is damaged.')
  await read()
  expect(sent.map((event) => event.revision > revision)).toEqual([true])
  const update = await read(revision)
  expect(update).toMatchObject({ since: revision, warnings: ['The vault is damaged.'] })
  expect(update.revision).toBeGreaterThanOrEqual(sent[0]?.revision ?? 0)
  await read()
  expect(sent).toHaveLength(1)
})
