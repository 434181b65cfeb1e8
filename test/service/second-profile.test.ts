import { afterEach, describe, expect, test } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import { createClient } from '../../src/service/client.ts'
import { defaultProfile, type Profile } from '../../src/service/profile.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { createProject, figurePng, heroSpec } from '../kit/project.ts'
import { dropFrames, secondProfile, secondShapes } from './second-profile.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function serve(options: EmbeddedOptions = {}): Promise<EmbeddedService> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 }, shapes: secondShapes, ...options })
  open.push(() => service.close())
  return service
}

async function workshopFor(service: EmbeddedService, profile: Partial<Profile>, spec = heroSpec()): Promise<Workshop> {
  const project = await createProject({ 'sprites/hero.sprite.json': spec })
  open.push(project.remove)
  const base = nodeHost()
  const host = {
    ...base,
    stateFolder: `${project.root}/.state`,
    env: { SPRITEWRIGHT_API_KEY: service.key, SPRITEWRIGHT_TRUSTED_HOSTS: service.url },
  }
  const workshop = await createWorkshop({
    host,
    root: project.root,
    options: { service: { baseUrl: service.url, profile }, limits: { windowMs: 1 } },
  })
  open.push(() => workshop.close())
  return workshop
}

const { readDelivery: _, ...withoutLayout } = secondProfile

describe('a service that differs in every part', () => {
  test('the second profile shares nothing with the default one', () => {
    for (const [name, part] of Object.entries(defaultProfile)) expect(secondProfile[name as keyof Profile]).not.toBe(part)
    expect(Object.keys(secondProfile)).toEqual(expect.arrayContaining(Object.keys(defaultProfile)))
  })

  test('N1, N2, N3, N5, N6, N7, N12: from the spec to the atlas over the second profile, paid once', async () => {
    const service = await serve()
    const workshop = await workshopFor(service, secondProfile)
    await workshop.approve({ names: [], confirm: async () => true })
    const report = await workshop.build()
    expect(report.bought.map((one) => one.id)).toEqual(['hero.walk'])
    expect(service.charges()).toHaveLength(1)
    expect(service.holds()).toEqual([])
    const posts = service.requests().filter((note) => note.method === 'POST')
    expect(posts.map((note) => `${note.path} ${note.status}`)).toEqual(['/v1/files 201', '/v1/execute 202'])
    // A second build has everything and makes no request.
    expect((await workshop.build()).bought).toEqual([])
    expect(service.charges()).toHaveLength(1)
  })

  test('N12: a delivery of sheet and atlas without frames, under names of its own, becomes the same atlas', async () => {
    const built: unknown[] = []
    for (const drop of [false, true]) {
      const service = await serve({
        ...(drop ? { after: async (request, response) => (request.origin === 'assets' ? dropFrames(response) : response) } : {}),
      })
      const workshop = await workshopFor(service, drop ? withoutLayout : secondProfile)
      await workshop.approve({ names: [], confirm: async () => true })
      const report = await workshop.build()
      expect(report.bought).toHaveLength(1)
      const [atlas] = report.sheets.atlases
      expect(atlas?.frames).toHaveLength(7)
      built.push({ pages: atlas?.pages, frames: atlas?.frames, animations: atlas?.animations })
    }
    expect(built[1]).toEqual(built[0])
  })

  test('over the default profile nothing of it is taken for something else: the first shape that differs is named, and nothing is sent', async () => {
    const service = await serve()
    const workshop = await workshopFor(service, {})
    await expect(workshop.approve({ names: [], confirm: async () => true }).then(() => workshop.build())).rejects.toMatchObject({
      code: expect.stringMatching(/^SW_/),
    })
    expect(service.charges()).toEqual([])
    expect(service.holds()).toEqual([])
  })

  test('N4, C10: a question is answered over the second profile and the new execution is drawn', async () => {
    const service = await serve({ ask: ({ answers }) => (answers.length === 0 ? { text: 'Which hand?' } : undefined) })
    const { net, clock, random } = nodeHost()
    const client = createClient({ net, clock, random }, { baseUrl: service.url, key: service.key, profile: secondProfile })
    open.push(() => client.close())
    const referenceId = await client.uploadReference({ bytes: figurePng(), contentType: 'image/png' })
    const { credits } = await client.estimate(7, 'remove')
    const body = client.submissionBody({
      operation: 'sprite_sheet',
      prompt: 'p',
      referenceId,
      frames: 7,
      background: 'remove',
      maxCredits: credits,
    })
    const first = await client.submit({ key: 'sw1-first', body }, async () => {})
    if (first.kind !== 'accepted') throw new Error(first.kind)
    const asked = await until(
      () => client.execution(first.executionId),
      (execution) => execution.question !== null,
    )
    const answer = {
      executionId: first.executionId,
      conversationId: asked.conversationId ?? '',
      questionId: asked.question?.questionId ?? '',
      text: 'the left one',
      key: 'sw1-answer',
    }
    const second = await client.answer(answer, async () => {})
    if (second.kind !== 'accepted') throw new Error(`${second.kind} ${JSON.stringify(second)}`)
    expect(second.executionId).not.toBe(first.executionId)
    // The same answer under the same key names the same execution.
    expect(await client.answer(answer, async () => {})).toMatchObject({ executionId: second.executionId })
    const before = await client.execution(first.executionId)
    expect([before.status, before.question]).toEqual(['needs_input', null])
    const done = await until(
      () => client.execution(second.executionId),
      (execution) => execution.status === 'completed',
    )
    expect(done.assets).toHaveLength(1)
    const kinds: string[] = []
    const stop = new AbortController()
    for await (const event of client.events(second.executionId, null, stop.signal)) {
      kinds.push(event.kind)
      if (event.progress !== null) expect(event.progress).toBeLessThanOrEqual(1)
      if (event.kind === 'done') expect([event.status, event.id]).toEqual(['completed', expect.stringMatching(/^no \d+$/)])
    }
    expect(kinds.at(-1)).toBe('done')
  })
})

async function until<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read()
    if (isSo(value)) return value
  }
}
