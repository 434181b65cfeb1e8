import { afterEach, describe, expect, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { createProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

type Json = Record<string, unknown>
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Adds unknown fields to every object, also under names that have a meaning in other places. */
function addEverywhere(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(addEverywhere)
  if (!isObject(value)) return value
  const known = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, addEverywhere(inner)]))
  return { zeta: { status: 'failed', error: { reason: 'conflict' } }, constructor: 7, toString: null, 'état 🦊': [[]], ...known }
}

/** Fields that must be there, because the interface says so or because nothing works without them. */
const needed: Readonly<Record<string, readonly string[]>> = {
  capabilities: ['key_mode'],
  balance: ['credits'],
  upload: ['asset_id'],
  accepted: ['execution_id'],
  execution: ['execution_id', 'status', 'image_job', 'finished_assets', 'download_url'],
}

function keepOnly(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((inner) => keepOnly(inner, names))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => names.includes(name))
      .map(([name, inner]) => [name, keepOnly(inner, names)]),
  )
}

function kindOf(method: string, path: string): string | null {
  if (path === '/v1/capabilities') return 'capabilities'
  if (path === '/v1/balance') return 'balance'
  if (method === 'POST') return path === '/v1/execute' ? 'accepted' : 'upload'
  return /^\/v1\/executions\/[^/]+$/.test(path) ? 'execution' : null
}

async function serve(change: (value: unknown, kind: string) => unknown, changeEvents: (text: string) => string): Promise<EmbeddedService> {
  const service = await startEmbeddedService({
    jobMs: 0,
    makers: quickMakers(),
    limits: { windowMs: 1 },
    after: async (request, response): Promise<ServedResponse> => {
      if (request.origin !== 'api') return response
      const { body } = response
      // Streams: line by line, as the service writes them.
      if (!(body instanceof Uint8Array)) {
        const parts = async function* (): AsyncGenerator<Uint8Array> {
          for await (const part of body) yield Buffer.from(changeEvents(Buffer.from(part).toString()))
        }
        return { ...response, body: parts() }
      }
      const kind = kindOf(request.method, request.path)
      if (kind === null || response.status > 299) return response
      const changed = Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(body).toString()), kind)))
      return { ...response, headers: { ...response.headers, 'content-length': String(changed.length) }, body: changed }
    },
  })
  open.push(() => service.close())
  return service
}

describe('a service that says more, or as little as it may', () => {
  test.each([
    [
      'adds fields everywhere',
      (value: unknown) => addEverywhere(value),
      (text: string) =>
        text.replaceAll(/^data: (\{.*\})$/gm, (_, data: string) => `data: ${JSON.stringify(addEverywhere(JSON.parse(data)))}`),
    ],
    [
      'drops every optional field',
      (value: unknown, kind: string) => keepOnly(value, needed[kind] ?? []),
      (text: string) => text.replaceAll(/^data: .*$/gm, 'data: {}').replaceAll(/^id: .*\n/gm, ''),
    ],
    [
      'adds fields and drops every optional one',
      (value: unknown, kind: string) => addEverywhere(keepOnly(value, needed[kind] ?? [])),
      (text: string) => text,
    ],
  ] as const)('C39: one that %s is worked with from the spec to the atlas, and paid once', async (_, change, changeEvents) => {
    const service = await serve(change, changeEvents)
    const project = await createProject()
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
    await workshop.approve({ names: [], confirm: async () => true })
    const report = await workshop.build()
    expect(report.bought.map((one) => one.id)).toEqual(['hero.walk'])
    expect(report.sheets.atlases[0]?.frames).toHaveLength(7)
    expect(service.charges()).toHaveLength(1)
    expect(service.holds()).toEqual([])
  })
})
