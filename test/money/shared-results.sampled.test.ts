import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import { sha256 } from '../../src/host/sha256.ts'
import type { JobProgress } from '../../src/job/order.ts'
import type { Options } from '../../src/options/options.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv } from '../kit/keys.ts'
import { createProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type S3Asked, type S3Double, type S3Fault, startS3Double } from '../kit/s3-double.ts'
import { level } from '../level.ts'
import { quickPorts } from '../stores/quick-ports.ts'
import { approveAll } from './world.ts'

/** A checkout on one machine of a studio. */
interface Machine {
  readonly root: string
  open(options?: Options, env?: Readonly<Record<string, string>>): Promise<Workshop>
  /** Names of the results in the project's folder. */
  results(): Promise<readonly string[]>
  owed(): Promise<readonly string[]>
}

/** A service, a bucket, and machines that use both. */
interface Studio {
  readonly service: EmbeddedService
  readonly bucket: S3Double
  /** What the bucket does with requests from now on. */
  fault: (asked: S3Asked) => S3Fault | undefined
  /** A new machine with a clone of what another one has committed: specs and lock file. */
  clone(from?: Machine): Promise<Machine>
  posts(): number
  /** Objects in the bucket, without those of the journal and of probes. */
  stored(): Promise<readonly string[]>
}

const sprites = ['ant', 'bee', 'cat']
const store = { shared: 's3://studio/sprites' }
/** A machine that knows of no key and of no service. */
const keyless = { SPRITEWRIGHT_API_KEY: '', SPRITEWRIGHT_BASE_URL: '' }

async function studio(): Promise<Studio> {
  const service = await startEmbeddedService({ jobMs: 0, limits: { windowMs: 1 }, makers: quickMakers() })
  onTestFinished(() => service.close())
  const bucket = await startS3Double({ fault: (asked) => self.fault(asked) })
  onTestFinished(() => bucket.close())
  const self: Studio = {
    service,
    bucket,
    fault: () => undefined,
    posts: () => service.requests().filter(({ method, path }) => method === 'POST' && path === '/v1/execute').length,
    stored: async () =>
      [...bucket.files].flatMap(([key, { bytes }]) => (key.startsWith('sprites/') && bytes.length > 100 ? [key.slice(-64)] : [])).sort(),
    clone: async (from) => {
      const project = await createProject({})
      onTestFinished(() => project.remove())
      const { root } = project
      await rm(join(root, 'sprites/hero.sprite.json'))
      for (const name of sprites)
        await project.write(
          `sprites/${name}.sprite.json`,
          JSON.stringify({ reference: './hero.png', prompt: `a small ${name}`, animations: { walk: { frames: 7 } } }),
        )
      if (from) await project.write('sprites.lock.json', await readFile(join(from.root, 'sprites.lock.json')))
      return {
        root,
        results: async () => (await readdir(join(root, '.spritewright/results')).catch(() => [])).map((name) => name.slice(0, 64)).sort(),
        owed: () => readdir(join(root, '.spritewright/submissions/unshared')).catch(() => []),
        open: async (own = {}, env = {}) => {
          const all = { SPRITEWRIGHT_BASE_URL: service.url, SPRITEWRIGHT_API_KEY: service.key, ...bucket.env, ...env }
          const host = { ...nodeHost(), ...quickPorts(all), stateFolder: join(root, '.state') }
          const workshop = await createWorkshop({ host, root, options: { store, ...own } })
          onTestFinished(() => workshop.close())
          return workshop
        },
      }
    },
  }
  return self
}

/** A studio whose first machine has bought all sprites. */
async function bought(options: Options = {}): Promise<Studio & { readonly first: Machine }> {
  const all = await studio()
  const first = await all.clone()
  const workshop = await first.open(options)
  await approveAll(workshop)
  await workshop.build({ buyOnly: true })
  return Object.assign(all, { first })
}

/** Pictures and tables of a build, in comparable form. */
async function atlasOf(workshop: Workshop): Promise<readonly string[]> {
  const { sheets } = await workshop.build()
  expect(sheets.sprites.map(({ name, isPlaceholder }) => [name, isPlaceholder])).toEqual(sprites.map((name) => [name, false]))
  return sheets.atlases.flatMap(({ name, pages }) => pages.map((page) => `${name} ${page.sha256} ${sha256(page.bytes)}`))
}

const poison = { bytes: new TextEncoder().encode(`PK poison ${'.'.repeat(200)}`), atMs: 0 }
const keyOf = (hash: string): string => `sprites/cas/${hash}`

describe('results in a store that machines share', () => {
  if (level !== 'quick')
    test('a machine without a key and without a service builds what another one bought, the same bytes', async () => {
      const { first, clone, stored, service } = await bought()
      expect(await stored()).toEqual(await first.results())
      const second = await clone(first)
      const asked = service.requests().length
      expect(await atlasOf(await second.open({}, keyless))).toEqual(await atlasOf(await first.open({}, keyless)))
      expect(await second.results()).toEqual(await first.results())
      expect([service.requests().length, service.charges().length]).toEqual([asked, 3])
    })

  test('a result whose hash only the shared journal has is read from the store', async () => {
    const journal = { ...store, journal: 's3://studio/journal' }
    const { first, clone } = await bought({ store: journal })
    const lock = join(first.root, 'sprites.lock.json')
    const committed = JSON.parse(await readFile(lock, 'utf8')) as { animations: Record<string, Record<string, { result?: object }>> }
    for (const requests of Object.values(committed.animations)) for (const entry of Object.values(requests)) delete entry.result
    await writeFile(lock, JSON.stringify(committed))
    const second = await clone(first)
    await atlasOf(await second.open({ store: journal }, keyless))
    expect(await second.results()).toHaveLength(3)
  })

  test('missing results come from the store before the service is asked, and their progress is reported', async () => {
    const { first, clone, service } = await bought()
    const second = await clone(first)
    const asked = service.requests().length
    const seen: JobProgress[] = []
    await (await second.open()).build({ buyOnly: true, onProgress: (now) => seen.push(now) })
    expectCount(service.requests(), asked)
    expect(seen.map(({ id, phase }) => `${id} ${phase}`).sort()).toEqual(
      sprites.flatMap((name) => [`${name}.walk bought`, `${name}.walk downloading`]),
    )
  })

  test('what is in the project is built while the store is down, and without its credentials', async () => {
    const all = await bought()
    all.fault = () => ({ answer: 503 })
    const before = all.bucket.asked.length
    await atlasOf(await all.first.open({}, keyless))
    await atlasOf(await all.first.open({}, { ...keyless, AWS_SECRET_ACCESS_KEY: '' }))
    expect(all.bucket.asked).toHaveLength(before)
  })
})

describe('a poisoned object', () => {
  test('is not used, is told, and is replaced by what the service gives again, free of charge', async () => {
    const { first, clone, bucket, service, posts } = await bought()
    const [hash = ''] = await first.results()
    const whole = bucket.files.get(keyOf(hash))?.bytes
    bucket.files.set(keyOf(hash), poison)
    const sent = posts()
    const workshop = await (await clone(first)).open()
    const { warnings } = await workshop.build({ buyOnly: true })
    expect(warnings.filter((warning) => warning.includes(hash))).toEqual([expect.stringContaining('s3://studio/sprites')])
    expect(bucket.files.get(keyOf(hash))?.bytes).toEqual(whole)
    expect([posts(), service.charges().length]).toEqual([sent, 3])
  })

  test('ends the build of a machine that can ask nobody else, with its name and what to do; store verify of another machine replaces it', async () => {
    const { first, clone, bucket } = await bought()
    const [hash = ''] = await first.results()
    bucket.files.set(keyOf(hash), poison)
    const second = await clone(first)
    const message = expect.stringMatching(new RegExp(`s3://studio/sprites has wrong bytes under the name ${hash}.*store verify`))
    await expect((await second.open({}, keyless)).build()).rejects.toMatchObject({ code: 'SW_STORE', message })
    expect(await second.results()).toHaveLength(2)
    const report = await (await first.open({}, keyless)).store.verify()
    expect(report.findings).toMatchObject([{ sha256: hash, outcome: 'mended', damaged: ['shared'] }])
    await atlasOf(await second.open({}, keyless))
  })
})

describe('a store that is down', () => {
  test.each([
    ['a write', { method: 'PUT' }],
    ['a read', { method: 'GET' }],
  ])('before the first submission, for %s: nothing is sent', async (_what, at) => {
    const all = await studio()
    const workshop = await (await all.clone()).open()
    await approveAll(workshop)
    all.fault = ({ method }) => (method === at.method ? { answer: 500 } : undefined)
    await expect(workshop.build({ buyOnly: true })).rejects.toMatchObject({ code: 'SW_STORE' })
    expect([all.posts(), all.service.charges().length]).toEqual([0, 0])
    all.fault = () => undefined
    await workshop.build({ buyOnly: true })
    expectCount(all.service.charges(), 3)
  })

  test('after the first submissions: what was sent is kept and owed, nothing more is sent, and the next build pushes it and buys the rest', async () => {
    const all = await studio()
    const machine = await all.clone()
    const workshop = await machine.open({ limits: { activeJobs: 1 } })
    await approveAll(workshop)
    all.fault = ({ method }) => (method === 'PUT' && all.posts() > 0 ? { answer: 503 } : undefined)
    const failure = await workshop.build({ buyOnly: true }).then(
      () => undefined,
      (error: AggregateError) => error,
    )
    const [paid, ...others] = failure?.errors ?? []
    expect(paid).toMatchObject({
      code: 'SW_STORE',
      message: expect.stringMatching(/"ant.walk" is bought.*safe on this machine.*next build pushes it/),
    })
    expect(others.map(({ code }: { code: string }) => code)).toEqual(['SW_STORE', 'SW_STORE'])
    expect([all.posts(), all.service.charges().length]).toEqual([1, 1])
    expect(await machine.owed()).toEqual(await machine.results())
    all.fault = () => undefined
    await (await machine.open()).build({ buyOnly: true })
    expect([await machine.owed(), await all.stored()]).toEqual([[], await machine.results()])
    expectCount(all.service.charges(), 3)
  })

  test('for large objects only: nothing more is bought, a build of what is here goes on, and each says what is owed', async () => {
    const all = await studio()
    const machine = await all.clone()
    const workshop = await machine.open({ limits: { activeJobs: 1 } })
    await approveAll(workshop)
    all.fault = ({ method, headers }) => (method === 'PUT' && Number(headers['content-length']) > 100 ? { answer: 403 } : undefined)
    for (const build of [() => workshop.build({ buyOnly: true }), async () => (await machine.open()).build({ buyOnly: true })])
      await expect(build()).rejects.toThrow(/Nothing more is bought. The result [0-9a-f]{64} is safe on this machine/)
    expect([all.service.charges().length, (await machine.owed()).length, await all.stored()]).toEqual([1, 1, []])
    const report = await (await machine.open({}, keyless)).build({ names: ['ant'] })
    expect(report.warnings).toEqual([
      expect.stringContaining('s3://studio/sprites did not take it'),
      'Left out of the atlases, since not bought: bee, cat.',
    ])
    expect(report.sheets.sprites).toMatchObject([{ name: 'ant', isPlaceholder: false }])
  })

  test('for a machine without the results: a warning, and the service gives them again, free of charge', async () => {
    const all = await bought()
    const second = await all.clone(all.first)
    all.fault = () => ({ answer: 503 })
    const report = await (await second.open()).build({ buyOnly: true })
    expect(report.warnings[0]).toMatch(/s3:\/\/studio\/sprites.*503.*count as missing/)
    expect([await second.results(), all.service.charges().length]).toEqual([await all.first.results(), 3])
    await expect((await (await all.clone(all.first)).open({}, keyless)).build()).rejects.toMatchObject({
      code: 'SW_STORE',
      message: expect.stringContaining('503'),
    })
  })
})

describe('store push, pull, verify, ls and prune over a store', () => {
  if (level !== 'quick')
    test('a push that was cut goes on where it stopped, and says how far it is', async () => {
      const all = await studio()
      const first = await all.clone()
      const alone = await first.open({ store: {} })
      await approveAll(alone)
      await alone.build({ buyOnly: true })
      await mkdir(join(first.root, '.spritewright/results'), { recursive: true })
      for (let count = 0; count < 40; count++) {
        const bytes = new TextEncoder().encode(`a stray ${count} ${'.'.repeat(200)}`)
        await writeFile(join(first.root, `.spritewright/results/${sha256(bytes)}.bin`), bytes)
      }
      let written = 0
      all.fault = ({ method }) => (method === 'PUT' && ++written > 20 ? { answer: 403 } : undefined)
      const workshop = await first.open({}, keyless)
      await expect(workshop.store.push()).rejects.toMatchObject({ code: 'SW_STORE' })
      expect(await all.stored()).toHaveLength(20)
      all.fault = () => undefined
      const steps: string[] = []
      const report = await workshop.store.push([], undefined, (done, total) => steps.push(`${done}/${total}`))
      expect([report.copied.length, report.present, report.folder]).toEqual([23, 20, 's3://studio/sprites'])
      expect(steps).toEqual(Array.from({ length: 43 }, (_, index) => `${index + 1}/43`))
      expect(await all.stored()).toEqual(await first.results())
      const second = await (await all.clone(first)).open({}, keyless)
      expect((await second.store.pull()).copied).toHaveLength(3)
      expect((await second.store.list()).results.map(({ places }) => places)).toEqual(sprites.map(() => ['project', 'shared']))
    })

  test('a pull takes no poison, and says so; one from a store that is down says why', async () => {
    const all = await bought()
    const [hash = ''] = await all.first.results()
    all.bucket.files.set(keyOf(hash), poison)
    const second = await (await all.clone(all.first)).open({}, keyless)
    expect(await second.store.pull()).toMatchObject({ lacking: [{ sha256: hash }], warnings: [expect.stringContaining(hash)] })
    all.fault = () => ({ answer: 503 })
    const third = await (await all.clone(all.first)).open({}, keyless)
    const report = await third.store.pull()
    expect([report.lacking.length, report.warnings]).toEqual([3, [expect.stringContaining('503')]])
  })

  if (level !== 'quick')
    test('prune leaves the store alone, and with fromShared removes only what a hash names and no spec asks for', async () => {
      const all = await bought()
      const [used = ''] = await all.first.results()
      const others = new TextEncoder().encode(`of another project ${'.'.repeat(200)}`)
      const other = sha256(others)
      all.bucket.files.set(keyOf(other), { bytes: others, atMs: 0 })
      const spec = join(all.first.root, 'sprites/ant.sprite.json')
      await writeFile(spec, (await readFile(spec, 'utf8')).replace('a small ant', 'a large ant'))
      const { store: own } = await all.first.open()
      const confirm = async (): Promise<boolean> => true
      const superseded = (await own.list()).results.find(({ state }) => state === 'superseded')?.sha256 ?? ''
      const wanted = [used, ...(await all.first.results())].find((hash) => hash !== superseded) ?? ''
      for (const names of [[], ['ant'], [wanted], [`${'0'.repeat(64)}`]])
        await expect(own.prune({ names, fromShared: true, force: true, confirm })).rejects.toMatchObject({ code: 'SW_USAGE' })
      await expect(own.prune({ names: [other], fromShared: true, confirm })).rejects.toMatchObject({ facts: { names: [other] } })
      expect(await all.stored()).toHaveLength(4)
      const report = await own.prune({ names: [superseded.slice(0, 12), other], fromShared: true, force: true, confirm })
      expect(report.lines.map(({ name, recovery }) => [name, recovery]).sort()).toEqual(
        [
          [superseded, 'copy'],
          [other, 'none'],
        ].sort(),
      )
      expect(await all.stored()).toHaveLength(2)
      expect(await all.first.results()).toHaveLength(3)
      await own.push([superseded])
      expect(await own.prune({ names: ['ant'], confirm })).toMatchObject({
        isDone: true,
        lines: [{ name: superseded, recovery: 'shared' }],
      })
      expect([(await all.first.results()).length, (await all.stored()).length]).toEqual([2, 3])
    })
})

test.each(['http://cache.example.com/x', 's3://NO', 's3://'])('the address %j ends every command at once', async (shared) => {
  const machine = await (await studio()).clone()
  await expect(machine.open({ store: { shared } })).rejects.toMatchObject({ code: 'SW_CONFIG' })
})

test('doctor says whether the store takes results and gives them back', async () => {
  const all = await studio()
  const machine = await all.clone()
  const finding = async (): Promise<object | undefined> =>
    (await (await machine.open()).doctor()).find(({ check }) => check === 'shared results')
  expect(await finding()).toMatchObject({ verdict: 'good', found: 's3://studio/sprites' })
  all.fault = ({ method }) => (method === 'PUT' ? { answer: 403 } : undefined)
  expect(await finding()).toMatchObject({ verdict: 'warning', advice: expect.stringContaining('needs no right to write') })
})

if (level !== 'quick')
  test('no credential of the store, and no API key, is in an object of the store or in a warning', async () => {
    const all = await studio()
    const machine = await all.clone()
    const workshop = await machine.open({}, keyEnv(1))
    await approveAll(workshop)
    all.fault = ({ method }) => (method === 'PUT' && all.posts() > 1 ? { answer: 403 } : undefined)
    const failure = await workshop.build({ buyOnly: true }).catch((error: unknown) => error)
    const said = JSON.stringify([failure, (failure as AggregateError).errors, (await workshop.status()).warnings])
    const objects = [...all.bucket.files.values()].map(({ bytes }) => Buffer.from(bytes).toString('latin1')).join()
    for (const secret of [all.bucket.env.AWS_SECRET_ACCESS_KEY ?? '', all.bucket.env.AWS_ACCESS_KEY_ID ?? '', all.service.key])
      expect([said.includes(secret), objects.includes(secret)]).toEqual([false, false])
  })
