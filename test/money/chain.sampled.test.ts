import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { parseCredits } from '../../src/credit/credits.ts'
import type { EmbeddedOptions, HookedRequest, Makers } from '../../src/embedded/options/options.ts'
import { nodeHost } from '../../src/host/host.ts'
import { expectCount } from '../kit/expect-count.ts'
import { figurePng } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { rememberedMakers } from '../kit/remembered-makers.ts'
import { byLevel, level } from '../level.ts'
import { approveAll, drop, isExecute, type World, world } from './world.ts'

/** Pictures are drawn once for all tests. */
const quick: Makers = { sheet: quickMakers().sheet, image: rememberedMakers.image }

/** A world whose sheets need no drawing, because these tests only check what is bought and in which order. */
const smallWorld = (options: EmbeddedOptions = {}, spec?: string): Promise<World> => world({ makers: quick, ...options }, spec)

const steps = [
  { text: 'a knight, side view' },
  { edit: 'add a red plume' },
  { removeBackground: 'the plain ground' },
  { upscale: 'sharp lines' },
]
const chainSpec = (over: object = {}, animations: object = { walk: { frames: 7 } }): string =>
  JSON.stringify({ reference: { steps }, prompt: 'a knight', animations, ...over })

describe('reference chains', () => {
  test('C13, C34: every step is priced, approved and bought once, then the animation is made from its picture', async () => {
    const w = await smallWorld({}, chainSpec())
    const workshop = await w.workshop()
    const plan = await workshop.plan()
    expect(plan.steps.map((step) => [step.id, step.request.operation, step.quote?.credits])).toEqual([
      ['hero#1', 'text_to_image', parseCredits('1')],
      ['hero#2', 'image_to_image', parseCredits('1')],
      ['hero#3', 'background_remove', parseCredits('1')],
      ['hero#4', 'upscale', parseCredits('1')],
    ])
    expect(plan.total).toBe(parseCredits('5.6'))
    await approveAll(workshop)
    const report = await workshop.build()
    expect(report.bought.map(({ id }) => id)).toEqual(['hero#1', 'hero#2', 'hero#3', 'hero#4', 'hero.walk'])
    expectCount(w.service.charges(), 5)
    expect(report.sheets.atlases[0]?.frames).toHaveLength(7)
    const requests = w.service.requests().length
    const again = await (await w.workshop({}, { SPRITEWRIGHT_API_KEY: '' })).build()
    expect(again.bought).toEqual([])
    expectCount(w.service.requests(), requests)
  })

  test('a step that two sprites share is bought once; another animation needs no step again', async () => {
    const w = await smallWorld({}, chainSpec({}, { walk: { frames: 7 }, idle: { frames: 7 } }))
    await w.project.write('sprites/twin.sprite.json', chainSpec({ prompt: 'his twin' }))
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build()
    expectCount(w.service.charges(), 4 + 3)
    await w.project.write('sprites/twin.sprite.json', chainSpec({ prompt: 'his twin' }, { walk: { frames: 7 }, jump: { frames: 7 } }))
    const later = await w.workshop()
    await approveAll(later)
    expect((await later.build()).bought.map(({ id }) => id)).toEqual(['twin.jump'])
    expectCount(w.service.charges(), 4 + 3 + 1)
  })

  if (level !== 'quick')
    test('a chain may begin with a picture of the project; a changed step buys itself and what follows, not what came before', async () => {
      const begin = [{ image: './hero.png' }, { edit: 'add a hat' }, { upscale: 'sharp' }]
      const w = await smallWorld({}, chainSpec({ reference: { steps: begin } }))
      const workshop = await w.workshop()
      await approveAll(workshop)
      await workshop.build()
      expectCount(w.service.charges(), 3)
      await w.project.write('sprites/hero.sprite.json', chainSpec({ reference: { steps: [...begin.slice(0, 2), { upscale: 'softly' }] } }))
      const later = await w.workshop()
      expect((await later.plan()).steps.map(({ id, state }) => [id, state])).toEqual([
        ['hero#2', 'bought'],
        ['hero#3', 'missing'],
      ])
      await approveAll(later)
      expect((await later.build()).bought.map(({ id }) => id)).toEqual(['hero#3', 'hero.walk'])
    })

  test('an unapproved step stops a build before anything is sent', async () => {
    const w = await smallWorld({}, chainSpec())
    const refusal = await (await w.workshop()).build().catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'SW_APPROVAL' })
    expect((refusal as Error).message).toContain('hero#1')
    expect((refusal as Error).message).toContain('5.6 credits')
    expect(w.posts()).toBe(0)
  })

  test('whatever answer of a step is lost, each step is paid once', async () => {
    for (const lost of byLevel({ quick: [4], full: [1, 2, 3, 4, 5], long: [1, 2, 3, 4, 5] })) {
      let count = 0
      const w = await smallWorld(
        { after: async (request: HookedRequest, response) => (isExecute(request) && ++count === lost ? drop : response) },
        chainSpec(),
      )
      const workshop = await w.workshop()
      await approveAll(workshop)
      await workshop.build()
      expectCount(w.service.charges(), 5)
    }
  })

  test('a chain that stopped in the middle goes on where it stopped, in another checkout without a journal too', async () => {
    const w = await smallWorld({}, chainSpec({ reference: { steps: [steps[0], { edit: 'a plume [fail generation_failed]' }] } }))
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    expectCount(w.service.charges(), 1)
    await nodeHost().disk.remove(`${w.project.root}/.spritewright/submissions`)
    await w.project.write('sprites/hero.sprite.json', chainSpec({ reference: { steps: steps.slice(0, 2) } }))
    const later = await w.workshop()
    await approveAll(later)
    expect((await later.build()).bought.map(({ id }) => id)).toEqual(['hero#2', 'hero.walk'])
    expectCount(w.service.charges(), 3)
  })

  test('C33: a picture that is too large for upscale is refused before it is uploaded', async () => {
    const w = await smallWorld({}, chainSpec({ reference: { steps: [{ image: './big.png' }, { upscale: 'more' }] } }))
    await w.project.write('sprites/big.png', bigPng())
    const workshop = await w.workshop()
    const approving = approveAll(workshop).then(() => workshop.build())
    await expect(approving).rejects.toMatchObject({ code: 'SW_REFERENCE', facts: { found: 2100, limit: 2048 } })
    expect(w.service.requests().filter((note) => note.method === 'POST')).toEqual([])
  })
})

/** Deletes the records, as in a checkout that has the lock file and has bought nothing itself. */
async function forgetRecords({ project }: World): Promise<void> {
  for (const folder of ['.spritewright/submissions', '.state/journals']) await rm(join(project.root, folder), { recursive: true })
}

describe('questions', () => {
  const asking = (words: string): string => chainSpec({ reference: './hero.png', prompt: `a knight ${words}` })

  test('C9, C10: an execution that asks ends the build with exit 5, status shows it, an answer lets it go on, paid once', async () => {
    const w = await smallWorld({}, asking('[ask]'))
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_QUESTION', exitCode: 5 })
    expect((await workshop.status()).items[0]).toMatchObject({ state: 'question', question: { requiresAsset: false } })
    const first = (await workshop.status()).items[0]?.executionId
    const answered = await workshop.answer({ name: 'hero.walk', text: 'the left one' })
    expect(answered.executionId).not.toBe(first)
    expect((await workshop.build()).bought).toHaveLength(1)
    expectCount(w.service.charges(), 1)
    expect(w.service.holds()).toEqual([])
    await expect(workshop.answer({ name: 'hero.walk', text: 'again' })).rejects.toMatchObject({ code: 'SW_USAGE' })
  })

  test('a question is answered where only the lock file knows the execution that asks', async () => {
    const w = await smallWorld({}, asking('[ask]'))
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await forgetRecords(w)
    const other = await w.workshop()
    await other.answer({ name: 'hero', text: 'the left one' })
    expect((await other.build()).fromVault).toBe(0)
    expectCount(w.service.charges(), 1)
  })

  test('a question that wants a picture is not answered without one', async () => {
    const w = await smallWorld({}, asking('[ask asset]'))
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await expect(workshop.answer({ name: 'hero', text: 'this' })).rejects.toMatchObject({ code: 'SW_USAGE' })
    await expect(
      workshop.answer({ name: 'hero', text: 'this', asset: { path: 'x.txt', bytes: new Uint8Array([1, 2, 3]) } }),
    ).rejects.toMatchObject({ code: 'SW_REFERENCE' })
    await workshop.answer({ name: 'hero', text: 'this', asset: { path: 'x.png', bytes: figurePng(30) } })
    expect((await workshop.build()).bought).toHaveLength(1)
  })

  test('C32: an answer whose reply is lost is repeated under its own key and starts one execution', async () => {
    let isLost = false
    const w = await smallWorld(
      {
        after: async (request: HookedRequest, response) => {
          if (!request.path.endsWith('/answers') || isLost) return response
          isLost = true
          return drop
        },
      },
      asking('[ask]'),
    )
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await expect(workshop.answer({ name: 'hero', text: 'left' })).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    await expect(workshop.answer({ name: 'hero', text: 'right' })).rejects.toMatchObject({ code: 'SW_USAGE' })
    expect((await (await w.workshop()).build()).bought).toHaveLength(1)
    expectCount(w.service.charges(), 1)
    expectCount(
      w.service.requests().filter((note) => note.path.endsWith('/answers')),
      2,
    )
  })

  test('an answer that was sent too long ago to be repeated says so, and is sent again by a person’s word', async () => {
    let isLost = false
    const w = await smallWorld(
      {
        before: async (request: HookedRequest) => {
          if (!request.path.endsWith('/answers') || isLost) return undefined
          isLost = true
          return drop
        },
      },
      asking('[ask]'),
    )
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await expect(workshop.answer({ name: 'hero', text: 'left' })).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    w.skip(11 * 60_000)
    await expect(workshop.answer({ name: 'hero', text: 'left' })).rejects.toMatchObject({ code: 'SW_UNCERTAIN', exitCode: 6 })
    await workshop.recover({ name: 'hero', decision: 'replay' })
    expectCount(w.service.charges(), 1)
  })

  test('an answer that the service knows with other words is decided about as it is shown: as a conflict', async () => {
    const others = { code: 'CONFLICT', reason: 'idempotency_conflict', message: 'other bytes', retryable: false, request_id: 'r' }
    const conflict = {
      status: 409,
      headers: { 'content-type': 'application/json' },
      body: new TextEncoder().encode(JSON.stringify({ error: others })),
    }
    let answers = 0
    const w = await smallWorld(
      { before: async ({ path }: HookedRequest) => (!path.endsWith('/answers') ? undefined : answers++ === 0 ? drop : conflict) },
      asking('[ask]'),
    )
    const workshop = await w.workshop()
    await approveAll(workshop)
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
    await expect(workshop.answer({ name: 'hero', text: 'left' })).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_CONFLICT' })
    const [item] = (await workshop.overview()).items
    const { id, hash = '', attempt = 0, undecided = 'submission' } = item!
    expect(undecided).toBe('conflict')
    const decide = (about: typeof undecided): ReturnType<typeof workshop.recover> =>
      workshop.recover({ name: id, decision: 'abandon', shown: { hash, attempt, about } })
    await expect(decide('answer')).rejects.toMatchObject({ code: 'SW_CHANGED', exitCode: 3 })
    expect((await decide('conflict')).decided).toMatchObject([{ id, about: 'answer' }])
    expect((await workshop.status()).items).toMatchObject([{ state: 'question' }])
  })
})

describe('cancel and forget', () => {
  test('C11: a sprite execution is not cancelled, in words and without a request', async () => {
    const w = await smallWorld({ jobMs: 60_000 })
    const workshop = await w.workshop()
    await approveAll(workshop)
    const stop = new AbortController()
    const building = workshop.build({ signal: stop.signal, onProgress: ({ phase }) => phase === 'running' && stop.abort() })
    await expect(building).rejects.toMatchObject({ code: 'SW_INTERRUPTED', exitCode: 130 })
    await expect(workshop.cancel('hero')).rejects.toMatchObject({ code: 'SW_CAPABILITY', exitCode: 4 })
    expect(w.service.requests().some((note) => note.path.endsWith('/cancel'))).toBe(false)
  })

  test('C11: a picture is cancelled, costs nothing, and is bought only after a new approval', async () => {
    const w = await smallWorld({ jobMs: 60_000 }, chainSpec())
    const workshop = await w.workshop()
    await approveAll(workshop)
    const stop = new AbortController()
    const building = workshop.build({ signal: stop.signal, onProgress: ({ phase }) => phase === 'running' && stop.abort() })
    await expect(building).rejects.toMatchObject({ code: 'SW_INTERRUPTED' })
    // The picture has the name of the sprite, not that of an animation.
    await expect(workshop.cancel('hero.walk')).rejects.toMatchObject({ code: 'SW_USAGE' })
    expect(await workshop.cancel('hero')).toEqual([{ id: 'hero#1', status: 'cancelled' }])
    expect(w.service.charges()).toEqual([])
    await expect(workshop.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    expect(w.posts()).toBe(1)
  })

  test('C12: a conversation is forgotten only after a yes, and never before its result is here', async () => {
    const w = await smallWorld({
      verdict: ({ stage }) => (stage === 'job' ? { reason: 'generation_failed', message: 'no', retryable: false } : undefined),
    })
    const workshop = await w.workshop()
    await approveAll(workshop)
    await workshop.build().catch(() => {})
    // A failed request has nothing to lose.
    expect(await workshop.forget('hero', async () => true)).toEqual(['hero.walk'])

    const good = await smallWorld()
    const shop = await good.workshop()
    await approveAll(shop)
    await shop.build()
    expect(await shop.forget('hero', async () => false)).toEqual([])
    expect(good.service.requests().some((note) => note.method === 'DELETE')).toBe(false)
    expect(await shop.forget('hero', async () => true)).toEqual(['hero.walk'])
    expect((await (await good.workshop({}, { SPRITEWRIGHT_API_KEY: '' })).build()).fromVault).toBe(1)
  })
})

/** A flat PNG of 2100 × 8 pixels. */
function bigPng(): Uint8Array {
  return encodePng(createBitmap(2100, 8))
}
