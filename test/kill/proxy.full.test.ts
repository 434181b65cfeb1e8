import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { EmbeddedService } from '../../src/embedded/service.ts'
import { expectCount } from '../kit/expect-count.ts'
import type { Asked, Deed } from '../kit/fault-proxy.ts'
import { figurePng, startCli } from '../kit/project.ts'
import { level } from '../level.ts'
import { expectAllBoughtOnce, layWire, spriteOf, type Wire } from './wire.ts'

/** Kinds of requests for a sprite. */
const kinds = {
  submission: /^POST \/v1\/execute$/,
  read: /^GET \/v1\/executions\/[^/]+$/,
  events: /^GET \/v1\/executions\/[^/]+\/events$/,
  redirect: /^GET \/v1\/image-jobs\/.*\/asset$/,
  file: /^GET \/deliveries\//,
} as const
type Kind = keyof typeof kinds

function kindOf({ method, path }: Asked): Kind | undefined {
  return (Object.keys(kinds) as Kind[]).find((kind) => kinds[kind].test(`${method} ${path}`))
}

/** Chooses a deed for the first answer to each request, by its kind and its number among that kind. */
function once(choose: (kind: Kind, number: number) => Deed | undefined): (asked: Asked) => Deed | undefined {
  const seen = new Set<string>()
  const counts = new Map<Kind, number>()
  return (asked) => {
    const kind = kindOf(asked)
    const name = `${asked.method} ${asked.path.replace(/\?.*/, '')} ${spriteOf(asked) ?? ''}`
    if (kind === undefined || seen.has(name)) return undefined
    seen.add(name)
    const number = counts.get(kind) ?? 0
    counts.set(kind, number + 1)
    return choose(kind, number)
  }
}

async function onWire<T>(laying: Promise<Wire>, play: (wire: Wire) => Promise<T>): Promise<T> {
  const wire = await laying
  try {
    return await play(wire)
  } finally {
    await wire.close()
  }
}

/** The length of the whole answers, in bytes. */
async function measure(): Promise<Record<Kind, number>> {
  const lengths = { submission: 0, read: 0, events: 0, redirect: 0, file: 0 }
  const onPassed = (asked: Asked, bytes: number): void => {
    const kind = kindOf(asked)
    if (kind) lengths[kind] = Math.max(lengths[kind], bytes)
  }
  await onWire(layWire({ sprites: 1, onPassed }), async (wire) => {
    await wire.build()
    await expectAllBoughtOnce(wire, 1, 'without a fault')
  })
  return lengths
}

/** Buys this many sprites in batches. Each sprite has one fault in each kind of its requests. */
async function buyThrough(count: number, deedOf: (kind: Kind, sprite: number) => Deed | undefined, context: string): Promise<number> {
  const batch = 32
  let replays = 0
  for (let first = 0; first < count; first += batch) {
    const sprites = Math.min(batch, count - first)
    const pick = once((kind, number) => deedOf(kind, first + number))
    await onWire(layWire({ sprites, pick }), async (wire) => {
      await wire.build()
      await expectAllBoughtOnce(wire, sprites, `${context}, from ${first}`)
      replays += wire.posts.count() - sprites
    })
  }
  return replays
}

const ends = ['cut', 'reset', 'half'] as const
/**
 * Distance, in bytes of the 202 answer, between the faults of two neighbouring sprites. A long run puts a fault
 * at every byte.
 */
const stride = level === 'long' ? 1 : 16

/** Waits until the service has settled an execution. */
async function settled(service: EmbeddedService, executionId: string): Promise<void> {
  while (!service.charges().some((charge) => charge.executionId === executionId)) await new Promise((resolve) => setImmediate(resolve))
}

describe('I1, I4, I9: answers that a proxy harms on their way, over real sockets', () => {
  test.each(ends)(
    'a submission whose answer is ended by %s at bytes all over it: its outcome is unknown, and the same again is told of the same execution',
    { timeout: 600_000 },
    async (end) => {
      const { submission: length } = await measure()
      let at = 0
      let sent = 0
      let isHarmed = true
      const pick = (asked: Asked): Deed | undefined => (kindOf(asked) === 'submission' && isHarmed ? { end, at } : undefined)
      await onWire(layWire({ sprites: 0, pick }), async ({ client, service }) => {
        const picture = await client.uploadReference({ bytes: figurePng(), contentType: 'image/png' })
        const price = parseCredits('1.6')
        const one = { operation: 'sprite_sheet', referenceId: picture, frames: 7, background: 'remove', maxCredits: price } as const
        const step = level === 'long' ? 1 : end === 'cut' ? 4 : 20
        for (at = 0; at < length; at += step, sent++) {
          const post = { key: `sw1-at-${at}`, body: client.submissionBody({ ...one, prompt: `cut at ${at}` }) }
          isHarmed = true
          expect(await client.submit(post, async () => {}), `${end} at ${at}`).toMatchObject({ kind: 'unknown' })
          isHarmed = false
          const again = await client.submit(post, async () => {})
          expect(again, `${end} at ${at}`).toMatchObject({ kind: 'accepted' })
          if (again.kind === 'accepted') await settled(service, again.executionId)
        }
        expectCount(service.charges(), sent)
        expect(service.holds()).toEqual([])
        console.log(`${end} at ${sent} of the ${length} bytes of the 202: ${sent} submissions, ${service.charges().length} charges`)
      })
    },
  )

  test('a submission whose answer is cut at many bytes, as reads and downloads are: one charge, one result', {
    timeout: 600_000,
  }, async () => {
    const lengths = await measure()
    const count = Math.ceil(lengths.submission / stride) + 1
    const placeOf = (kind: Kind, sprite: number): number => Math.floor((sprite * lengths[kind]) / (count - 1))
    const replays = await buyThrough(count, (kind, sprite) => ({ end: ends[sprite % 3] as 'cut', at: placeOf(kind, sprite) }), 'harmed')
    console.log(
      `harmed at ${count} places of each of ${JSON.stringify(lengths)} bytes: ${count} sprites, ${count} charges, ${replays} replays`,
    )
    // A complete answer is no fault, regardless of how its connection ends.
    expect(replays).toBeGreaterThanOrEqual(count - 2)
  })

  test('every answer in single bytes is read as it is: no request is made twice', async () => {
    await onWire(layWire({ sprites: 3, pick: () => ({ isSliced: true }) }), async (wire) => {
      await wire.build()
      await expectAllBoughtOnce(wire, 3, 'sliced')
      expect(wire.posts.count()).toBe(3)
    })
  })

  test.each(['submission', 'read', 'redirect', 'file'] as const)(
    'an answer that never ends (%s) is given up at its deadline',
    async (stalled) => {
      const lengths = await measure()
      const middle = lengths[stalled] >> 1
      const places = level === 'long' ? [0, 1, 12, middle, lengths[stalled] - 1] : [0, middle]
      for (const at of places) {
        const pick = once((kind) => (kind === stalled ? { end: 'stall', at } : undefined))
        await onWire(layWire({ sprites: 1, pick }), async (wire) => {
          await wire.build()
          await expectAllBoughtOnce(wire, 1, `${stalled} stalled at ${at}`)
        })
      }
    },
  )

  test('an answer that comes late finds its own submission, though another was answered before it', async () => {
    let tell = (): void => {}
    const other = new Promise<void>((resolve) => {
      tell = resolve
    })
    const pick = (asked: Asked): Deed | undefined => (spriteOf(asked) === 0 ? { until: other } : undefined)
    const onPassed = (asked: Asked): void => {
      if (spriteOf(asked) === 1) tell()
    }
    await onWire(layWire({ sprites: 2, pick, onPassed }), async (wire) => {
      await wire.build()
      await expectAllBoughtOnce(wire, 2, 'late')
      expect(wire.posts.count()).toBe(2)
    })
  })

  const harms: readonly Deed[] = [{ end: 'cut', at: 200 }, { end: 'reset', at: 364 }, { isSliced: true }]
  test.each(harms)('a real CLI, each of its first answers harmed by %j: one charge', async (harm) => {
    await onWire(layWire({ sprites: 1, pick: once(() => harm) }), async (wire) => {
      const { code, stderr } = await startCli(wire.project, ['build', '--buy-only'], wire.env).ended
      expect(code, stderr).toBe(0)
      await expectAllBoughtOnce(wire, 1, JSON.stringify(harm))
    })
  })
})
