import { afterEach, describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import type { Workshop } from '../../src/workshop.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { createProject, heroSpec } from '../kit/project.ts'

// The interface's demands on a client as a whole, tested with the real workshop and the embedded service.
const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

interface World {
  readonly service: EmbeddedService
  readonly workshop: Workshop
  /** Paths of all POSTs so far. */
  posts(): string[]
}

async function world(options: EmbeddedOptions = {}, animations: readonly string[] = ['walk']): Promise<World> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 }, admissionRetryMs: 5, ...options })
  open.push(() => service.close())
  const project = await createProject({ 'sprites/hero.sprite.json': heroSpec(animations) })
  open.push(project.remove)
  const host = {
    ...nodeHost(),
    stateFolder: `${project.root}/.state`,
    env: { SPRITEWRIGHT_API_KEY: service.key, SPRITEWRIGHT_TRUSTED_HOSTS: service.url },
  }
  const workshop = await createWorkshop({
    host,
    root: project.root,
    options: { service: { baseUrl: service.url }, limits: { windowMs: 1 } },
  })
  open.push(() => workshop.close())
  const posts = (): string[] =>
    service
      .requests()
      .filter((note) => note.method === 'POST')
      .map((note) => note.path)
  return { service, workshop, posts }
}

const approve = (workshop: Workshop): Promise<unknown> => workshop.approve({ names: [], confirm: async () => true })

describe('admission', () => {
  test('C7: an execution that waits for its admission is followed, and nothing is submitted again', async () => {
    const tries: number[] = []
    const w = await world({
      verdict: ({ stage, attempt }) => {
        if (stage !== 'admission') return undefined
        tries.push(attempt)
        return attempt <= 3 ? { reason: 'temporarily_unavailable', message: 'soon', retryable: true } : undefined
      },
    })
    await approve(w.workshop)
    expect((await w.workshop.build()).bought).toHaveLength(1)
    expect(tries).toEqual([1, 2, 3, 4])
    expect(w.posts().filter((path) => path === '/v1/execute')).toHaveLength(1)
    expect(w.service.charges()).toHaveLength(1)
  })

  test('C8, C14: an admission that fails for good is told with reason and message; nothing is charged, and nothing stays held', async () => {
    const w = await world({
      verdict: ({ stage }) =>
        stage === 'admission' ? { reason: 'quota_exceeded', message: 'no more today', retryable: false } : undefined,
    })
    await approve(w.workshop)
    await expect(w.workshop.build()).rejects.toMatchObject({
      code: 'SW_FAILED',
      message: expect.stringContaining('no more today'),
      facts: { reason: 'quota_exceeded' },
    })
    expect(w.posts().filter((path) => path === '/v1/execute')).toHaveLength(1)
    expect([w.service.charges(), w.service.holds()]).toEqual([[], []])
    expect((await w.workshop.ledger()).held).toBe(0n)
  })

  test('C17: an account without sprite sheets is told so before anything is uploaded', async () => {
    const w = await world({ accounts: [{ name: 'plain', operations: ['text_to_image'], keys: [{ key: 'key-without-sheets' }] }] })
    await expect(approve(w.workshop).then(() => w.workshop.build())).rejects.toMatchObject({ code: 'SW_CAPABILITY' })
    expect(w.posts()).toEqual([])
  })
})

describe('money', () => {
  test('C20: a run that the balance cannot cover is refused with both figures, and nothing is submitted', async () => {
    const w = await world({ accounts: [{ name: 'poor', credits: '1.5', keys: [{ key: 'a-poor-key' }] }] })
    await approve(w.workshop)
    await expect(w.workshop.build()).rejects.toMatchObject({
      code: 'SW_BALANCE',
      message: expect.stringMatching(/1\.6.*1\.5|1\.5.*1\.6/s),
    })
    expect(w.posts()).not.toContain('/v1/execute')
  })

  test('C15: nothing is submitted without an approved ceiling, nor above it', async () => {
    const w = await world()
    await expect(w.workshop.build()).rejects.toMatchObject({ code: 'SW_APPROVAL' })
    await approve(w.workshop)
    w.service.setPricing({ first_tier_cents: 999 })
    await expect(w.workshop.build()).rejects.toMatchObject({ code: 'SW_CEILING' })
    expect(w.posts()).not.toContain('/v1/execute')
  })

  test('C14: the ledger moves from held to settled as the balance does', async () => {
    const w = await world()
    await approve(w.workshop)
    await w.workshop.build()
    const ledger = await w.workshop.ledger()
    expect([ledger.held, ledger.settled, ledger.restored]).toEqual([0n, parseCredits('1.6'), 0n])
    expect(w.service.charges()[0]?.credits).toBe(ledger.settled)
  })
})

describe('many sprites at once', () => {
  test('C31, C41: each is a submission of its own, and no third is ever active', async () => {
    const names = ['a', 'b', 'c', 'd', 'e']
    let tooMany = 0
    const w = await world(
      {
        jobMs: 30,
        after: async (request, response) => {
          if (request.path.startsWith('/v1/executions/') && response.body instanceof Uint8Array) {
            if (Buffer.from(response.body).toString().includes('too_many_active_jobs')) tooMany++
          }
          return response
        },
      },
      names,
    )
    await approve(w.workshop)
    expect((await w.workshop.build()).bought).toHaveLength(names.length)
    expect(tooMany).toBe(0)
    expect(w.posts().filter((path) => path === '/v1/execute')).toHaveLength(names.length)
    expect(w.service.charges()).toHaveLength(names.length)
  })
})
