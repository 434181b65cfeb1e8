import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import spritewright from '../../plugin/index.ts'
import { parseCredits } from '../../src/credit/credits.ts'
import type { EmbeddedOptions, HookedRequest } from '../../src/embedded/options/options.ts'
import { type ErrorCode, errorCodes } from '../../src/errors.ts'
import { nodeHost } from '../../src/host/host.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import type { Options } from '../../src/options/options.ts'
import { createClient } from '../../src/service/client.ts'
import { keyEnv } from '../kit/keys.ts'
import { hasPackages } from '../kit/packages.ts'
import { heroSpec } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type S3Rules, startS3Double } from '../kit/s3-double.ts'
import { approveAll, drop, isExecute, type World, world } from '../money/world.ts'
import { canary, everythingOf, search } from './canary.ts'
import { filesOf } from './vite-process.ts'

const accounts = [{ name: 'demo', keys: [{ key: canary }] }]

/**
 * A service that repeats the key wherever it may send a text. A proxy that logs, or a mistake, might do so.
 */
async function echo(request: HookedRequest, response: ServedResponse): Promise<ServedResponse> {
  if (response.status < 400 || !(response.body instanceof Uint8Array) || response.body.length === 0) return response
  const body = JSON.parse(new TextDecoder().decode(response.body)) as { error: Record<string, unknown> }
  body.error.message = `${body.error.message} (you sent ${request.headers.authorization})`
  body.error.details = { ...(body.error.details as object | null), sent: request.headers.authorization, [canary]: canary }
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  return { ...response, headers: { ...response.headers, 'content-length': `${bytes.length}` }, body: bytes }
}

let latest: World | undefined

async function open(options: EmbeddedOptions = {}, spec?: string): Promise<World> {
  latest = await world({ accounts, makers: quickMakers(), after: echo, ...options }, spec)
  return latest
}

/** The files of a world's project in which the key appears. */
async function searchFiles(root: string): Promise<string[]> {
  const found = (await filesOf(root)).map(async (path) => search(await readFile(join(root, path))).map((how) => `${path}: ${how}`))
  return (await Promise.all(found)).flat()
}

/** The error that the work throws, with the errors inside an aggregate. */
async function thrown(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work().then(() => undefined)
  } catch (error) {
    return error
  }
}

async function build(w: World, own: Options = {}, env: Record<string, string> = {}): Promise<unknown> {
  return thrown(async () => (await w.workshop(own, env)).build({ buyOnly: true }))
}

/** Buys with a journal in S3 that behaves by these rules. */
async function overStore(rules: S3Rules): Promise<unknown> {
  const double = await startS3Double(rules)
  onTestFinished(() => double.close())
  const w = await open()
  const workshop = await w.workshop({ store: { journal: 's3://studio/games' } }, double.env)
  return thrown(async () => {
    await approveAll(workshop)
    await workshop.build()
  })
}

async function approvedBuild(w: World): Promise<unknown> {
  await approveAll(await w.workshop())
  return build(w)
}

const lost = async (request: HookedRequest): Promise<ServedResponse | undefined> => (isExecute(request) ? drop : undefined)
const refusing =
  (status: number, reason: string) =>
  async (request: HookedRequest): Promise<ServedResponse | undefined> => {
    if (!isExecute(request)) return undefined
    const error = {
      code: reason.toUpperCase(),
      reason,
      message: 'No.',
      category: 'X',
      retryable: false,
      request_id: '00000000-0000-4000-8000-000000000000',
    }
    const body = new TextEncoder().encode(JSON.stringify({ error }))
    return { status, headers: { 'content-type': 'application/json' }, body }
  }

const never = new AbortController().signal
/** A queue where nobody listens. */
const queued: Options = { service: { queue: 'postgres://127.0.0.1:1/nothing' }, store: { journal: 'journal', shared: 'results' } }

/** Ways to reach each code. The test lists every code without a way. */
const ways: Partial<Record<ErrorCode | 'SW_PACK', () => Promise<unknown>>> = {
  SW_INTERNAL: async () => {
    const w = await open()
    const client = createClient(nodeHost(), { baseUrl: w.service.url, key: canary })
    return thrown(() => client.submit({ key: 'not one', body: new Uint8Array() }, async () => {}))
  },
  SW_DISK: async () => build(await open({}, heroSpec(['walk'], `./${'long'.repeat(80)}.png`))),
  SW_JOURNAL: async () => {
    const w = await open({ before: lost })
    await approvedBuild(w)
    // Both copies of the first record, on which the others depend.
    const records = (await readdir(w.project.root, { recursive: true })).filter((path) => path.endsWith('0001.json'))
    for (const path of records) await w.project.write(path, '{"v":1,"n":1}')
    return build(w)
  },
  SW_VAULT: async () => {
    const w = await open()
    await approvedBuild(w)
    const [name = ''] = await readdir(join(w.project.root, '.spritewright', 'results'))
    await w.project.write(`.spritewright/results/${name}`, 'version https://git-lfs.github.com/spec/v1\n')
    return thrown(async () => (await w.workshop()).build())
  },
  SW_PACK: async () => {
    const w = await open({ makers: quickMakers({ size: 128 }) })
    await approvedBuild(w)
    return thrown(async () => (await w.workshop({ atlas: { maxSize: 64 } })).build())
  },
  SW_USAGE: async () => thrown(async () => (await (await open()).workshop()).plan([canary.slice(0, 4)])),
  SW_SPEC: async () => build(await open({}, '{ "reference": ')),
  SW_SPEC_NAME: async () => {
    const w = await open()
    await w.project.write('other/hero.sprite.json', heroSpec(['run'], '../sprites/hero.png'))
    return build(w)
  },
  SW_REFERENCE: async () => build(await open({}, heroSpec(['walk'], './nothing.png'))),
  SW_CONFIG: async () => build(await open(), { replayWindow: 'soon' }),
  SW_LOCKFILE: async () => {
    const w = await open()
    await w.project.write('sprites.lock.json', '<<<<<<< mine')
    return build(w)
  },
  SW_NO_KEY: async () => build(await open(), {}, { SPRITEWRIGHT_API_KEY: `${canary}\u00e9` }),
  SW_KEY_EXPOSED: async () => build(await open(), {}, { VITE_OTHER_NAME: canary }),
  SW_NO_SERVICE: async () => {
    const w = await open()
    await approveAll(await w.workshop())
    return thrown(async () => (await w.workshop({}, { SPRITEWRIGHT_BASE_URL: '' })).approve({ names: [], confirm: async () => true }))
  },
  SW_APPROVAL: async () => build(await open()),
  SW_CEILING: async () => {
    const w = await open()
    return thrown(async () => approveAll(await w.workshop(), { max: parseCredits('0.1') }))
  },
  SW_PRICE_VERSION: async () => {
    let isNew = false
    const after = async (request: HookedRequest, response: ServedResponse): Promise<ServedResponse> => {
      if (!isNew || !request.path.startsWith('/v1/sprite-pricing')) return response
      const text = new TextDecoder()
        .decode(response.body as Uint8Array)
        .replace(/sprite-base-frame-\d+-v1/, 'sprite-base-frame-20990101-v1')
      return { ...response, body: new TextEncoder().encode(text) }
    }
    const w = await open({ after })
    await approveAll(await w.workshop())
    isNew = true
    return build(w)
  },
  SW_BALANCE: async () => approvedBuild(await open({ accounts: [{ name: 'demo', credits: '0.1', keys: [{ key: canary }] }] })),
  SW_MISSING: async () => build(await open(), { build: { generate: 'never' } }),
  SW_BUYER: async () => {
    const w = await open()
    await approveAll(await w.workshop())
    return build(w, {}, keyEnv(8))
  },
  SW_UNREACHABLE: async () => build(await open(), {}, { SPRITEWRIGHT_BASE_URL: 'http://127.0.0.1:9' }),
  SW_UNTRUSTED_HOST: async () => build(await open(), { service: { baseUrl: 'https://127.0.0.2:9' } }, { SPRITEWRIGHT_BASE_URL: '' }),
  SW_REFUSED: async () => approvedBuild(await open({ before: refusing(422, 'invalid_request') })),
  SW_KEY_REFUSED: async () => {
    const w = await open()
    await w.service.putAccount({ name: 'demo', keys: [{ key: canary, isRevoked: true }] })
    return build(w)
  },
  SW_CAPABILITY: async () => approvedBuild(await open({ before: refusing(403, 'feature_unavailable') })),
  SW_WIRE: async () => {
    const body = new TextEncoder().encode(`<html>${canary}`)
    const before = async (): Promise<ServedResponse> => ({ status: 200, headers: { 'content-type': 'application/json' }, body })
    return build(await open({ before }))
  },
  SW_FAILED: async () =>
    approvedBuild(await open({ verdict: () => ({ reason: 'generation_failed', message: `for ${canary}`, retryable: false }) })),
  SW_DELIVERY: async () => {
    const { sheet, image } = quickMakers()
    const broken: typeof sheet = async (...all) => ({
      ...(await sheet(...all)),
      bytes: new TextEncoder().encode(`PK ${canary.slice(0, 4)}`),
    })
    const w = await open({ makers: { sheet: broken, image } })
    await approvedBuild(w)
    return thrown(async () => (await w.workshop()).build())
  },
  SW_CONFLICT: async () => approvedBuild(await open({ before: refusing(409, 'conflict') })),
  SW_QUESTION: async () => approvedBuild(await open({ ask: () => ({ text: `Is it ${canary}?` }) })),
  SW_UNCERTAIN: async () => {
    const w = await open({ before: lost })
    await approvedBuild(w)
    w.skip(11 * 60_000)
    return build(w)
  },
  SW_STORE: () => overStore({ fault: () => ({ answer: 403 }) }),
  SW_STORE_UNSAFE: () => overStore({ condition: 'ignored' }),
  // Each is thrown by a program that has its packages.
  ...(hasPackages('bullmq')
    ? {
        SW_QUEUE: async () => thrown(async () => (await (await open()).workshop(queued)).workerStatus()),
        SW_ORDER: async () => thrown(async () => (await (await open()).workshop(queued)).work({ onEvent: () => {}, signal: never })),
      }
    : {}),
  SW_INTERRUPTED: async () => {
    const w = await open()
    const workshop = await w.workshop()
    return thrown(() => workshop.build({ signal: AbortSignal.abort() }))
  },
}

function codesOf(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(codesOf)
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? [code] : []
}

describe('C40, I7: nothing that can be printed shows the key', () => {
  const reached = new Set<string>()
  test.each(Object.entries(ways))('%s, as thrown by a workshop whose service repeats the key', async (code, way) => {
    const error = await way()
    expect(error, 'something is thrown').toBeInstanceOf(Error)
    for (const one of codesOf(error)) reached.add(one)
    expect(search(everythingOf(error)), `${error}`).toEqual([])
    if (latest) expect(await searchFiles(latest.project.root)).toEqual([])
    expect(codesOf(error), `${error}`).toContain(code)
  })

  test('the list of codes that were reached', () => {
    const missed = Object.keys(errorCodes).filter((code) => !reached.has(code))
    console.log(`errors looked at: ${[...reached].sort().join(', ')}${missed.length > 0 ? `; not reached: ${missed.join(', ')}` : ''}`)
    // A command turns a refusal of atlas/ into SW_BUILD, and shows its own code. The other codes are the dev
    // server's refusals, and files that are read when nothing is sent. Tests beside them cover these,
    // including the panel's own search for the key.
    const absent = hasPackages('bullmq') ? [] : ['SW_QUEUE', 'SW_ORDER']
    expect(missed.filter((code) => !absent.includes(code))).toEqual([
      'SW_BUILD',
      'SW_ORIGIN',
      'SW_GUARD',
      'SW_OVERRIDE',
      'SW_SOURCE',
      'SW_LAYOUT',
      'SW_CHANGED',
    ])
  })

  test('workshop, client, options, reports, plugin and service, hidden members too', async () => {
    const w = await open({ after: async (_request, response) => response })
    await appendFile(join(w.project.root, '.env.local'), `SPRITEWRIGHT_API_KEY=${canary}\n`)
    const workshop = await w.workshop()
    const shown: Record<string, unknown> = { workshop, options: workshop.options }
    shown.plan = await workshop.plan()
    shown.approved = await approveAll(workshop)
    shown.progress = []
    shown.built = await workshop.build({ onProgress: (news) => (shown.progress as unknown[]).push(news) })
    shown.status = await workshop.status()
    shown.ledger = await workshop.ledger()
    shown.disclosed = await workshop.disclose()
    shown.verified = await workshop.verifyLedger()
    shown.doctor = await workshop.doctor()
    shown.store = await workshop.store.list()
    shown.client = createClient(nodeHost(), { baseUrl: w.service.url, key: canary })
    shown.plugin = spritewright()
    // The embedded service returns its own key on purpose, so only the rest of it is searched.
    const { key, ...service } = w.service
    expect(key).toBe(canary)
    shown.service = service
    shown.requests = [w.service.requests(), w.service.charges(), w.service.mistakes()]
    for (const [name, value] of Object.entries(shown)) expect(search(everythingOf(value)), name).toEqual([])
    console.log(`objects looked at: ${Object.keys(shown).join(', ')}`)
  })

  test('the search sees what is hidden', () => {
    const hidden = Object.defineProperty({}, 'inner', { value: { deep: [[[[[[canary]]]]]] }, enumerable: false })
    expect(search(everythingOf(hidden))).toContain('plain')
    expect(search(everythingOf(new Error('x', { cause: { headers: { authorization: canary } } })))).toContain('plain')
    class Held {
      get secret(): string {
        return canary
      }
    }
    expect(search(everythingOf({ held: Object.defineProperty(new Held(), 'own', { get: () => canary }) }))).toContain('plain')
  })
})
