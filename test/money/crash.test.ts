import { afterEach, describe, expect, test } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { isExecute } from '../kill/posts.ts'
import { createProject, serviceEnv, startCli, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'

/** A trap for one request. It reports the request, and holds its answer back until it is released. */
interface Trap {
  /** Resolves when the request has arrived (`before`) or has been done (`after`). */
  readonly sprung: Promise<void>
  letGo(): void
}

const services: EmbeddedService[] = []
const projects: TestProject[] = []

afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
  for (const project of projects.splice(0)) await project.remove()
})

async function world(
  trapped: (request: HookedRequest) => boolean,
  when: 'before' | 'after',
): Promise<{ service: EmbeddedService; project: TestProject; trap: Trap }> {
  let spring = (): void => {}
  let letGo = (): void => {}
  let isSet = true
  const sprung = new Promise<void>((resolve) => {
    spring = resolve
  })
  const free = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const hold = async (request: HookedRequest): Promise<boolean> => {
    if (!isSet || !trapped(request)) return false
    isSet = false
    spring()
    await free
    return true
  }
  const dropped: ServedResponse = { status: 200, headers: {}, body: new Uint8Array(), cutAfter: 0 }
  const service = await startEmbeddedService({
    jobMs: 0,
    makers: quickMakers({ size: 32 }),
    ...(when === 'before'
      ? { before: async (request: HookedRequest) => ((await hold(request)) ? dropped : undefined) }
      : { after: async (request: HookedRequest, response: ServedResponse) => ((await hold(request)) ? dropped : response) }),
  })
  services.push(service)
  const project = await createProject()
  projects.push(project)
  return { service, project, trap: { sprung, letGo } }
}

/** Approves, starts a build, kills it with SIGKILL when the trap springs, and builds again. */
async function crashAndBuildAgain(
  trapped: (request: HookedRequest) => boolean,
  when: 'before' | 'after',
): Promise<{ service: EmbeddedService; project: TestProject; posts: number }> {
  const { service, project, trap } = await world(trapped, when)
  const env = serviceEnv(service)
  expect(await startCli(project, ['approve', '--yes'], env).ended).toMatchObject({ code: 0 })
  const first = startCli(project, ['build', '--out', 'out'], env)
  await trap.sprung
  first.child.kill('SIGKILL')
  expect(await first.ended).toMatchObject({ signal: 'SIGKILL' })
  trap.letGo()
  const second = await startCli(project, ['build', '--out', 'out'], env).ended
  expect(second.stderr + second.stdout).not.toContain('error')
  expect(second.code).toBe(0)
  const posts = service.requests().filter((note) => note.method === 'POST' && note.path === '/v1/execute').length
  return { service, project, posts }
}

const isStatus = (request: HookedRequest): boolean => request.method === 'GET' && /^\/v1\/executions\/[^/]+$/.test(request.path)
const isAsset = (request: HookedRequest): boolean => request.origin === 'assets'

describe('kill -9 of the real CLI, then a second build', () => {
  test('C3, C32: after "sent", the service never saw it: charged once', async () => {
    const { service, posts } = await crashAndBuildAgain(isExecute, 'before')
    expect(service.charges()).toHaveLength(1)
    expect(service.holds()).toEqual([])
    expect(posts).toBe(2)
  })

  test('C3, C32: after "sent", the service took it and the answer was lost: charged once', async () => {
    const { service, posts } = await crashAndBuildAgain(isExecute, 'after')
    expect(service.charges()).toHaveLength(1)
    expect(service.holds()).toEqual([])
    expect(posts).toBe(2)
  })

  test('C23, C32: after "accepted": charged once, and nothing is sent again', async () => {
    const { service, posts } = await crashAndBuildAgain(isStatus, 'before')
    expect(service.charges()).toHaveLength(1)
    expect(posts).toBe(1)
  })

  test('C25, C32: during the download: charged once, and only the download is made again', async () => {
    const { service, posts, project } = await crashAndBuildAgain(isAsset, 'before')
    expect(service.charges()).toHaveLength(1)
    expect(posts).toBe(1)
    const third = await startCli(project, ['build', '--out', 'out']).ended
    expect(third.code).toBe(0)
  })
})
