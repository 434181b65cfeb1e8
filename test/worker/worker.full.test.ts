import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type EmbeddedService, startEmbeddedService } from '../../src/embedded/service.ts'
import { nodeHost } from '../../src/host/host.ts'
import { nodeQueues } from '../../src/host/net/job-queue.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { resolveQueueTarget } from '../../src/queue/address.ts'
import { createWorkshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv, testKey } from '../kit/keys.ts'
import { describeWith } from '../kit/needs.ts'
import { OutageClock } from '../kit/outage-clock.ts'
import { moduleOf } from '../kit/packages.ts'
import { startHere } from '../kit/program.ts'
import { type CliProcess, heroSpec, runCli, serviceEnv, startCli, type TestProject } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { hasRedis, type RedisServer, startRedis } from '../kit/servers/redis.ts'
import { shortPauses } from '../kit/short-pauses.ts'
import { createStudio, git, push, type Studio } from '../kit/studio.ts'
import { eachTeam, type Team } from '../kit/team.ts'

const [keeper, artist, stranger] = [1, 2, 3]

const lockOf = async ({ root }: TestProject) =>
  JSON.parse(await readFile(join(root, 'sprites.lock.json'), 'utf8')) as {
    animations: Record<string, Record<string, { execution?: object; result?: { sha256: string }; approval: { signature?: string } }>>
  }

const pictureOf = async ({ root }: TestProject): Promise<string> => sha256(await readFile(join(root, 'sprites/hero.png')))

describeWith(hasRedis, 'Redis')('a worker that buys for a machine without a key', () => {
  let redis: RedisServer
  let service: EmbeddedService
  let studio: Studio
  let desk: TestProject
  let worker: CliProcess
  /** Keeps a request to the service waiting. */
  let hold: (request: HookedRequest) => Promise<void> = async () => {}
  /** It knows neither the service nor its key. */
  const deskEnv = (): Record<string, string> => ({ ...redis.env, ...keyEnv(artist) })
  const here = (...args: string[]) => startHere(desk, args, deskEnv(), { clock: shortPauses() }).ended
  /** What `doctor` finds at the desk, by check. */
  const findings = async (): Promise<object> => {
    const { stdout } = await here('doctor', '--json')
    const { findings: all } = JSON.parse(stdout) as { findings: { check: string }[] }
    return Object.fromEntries(all.map((one) => [one.check, one]))
  }

  beforeAll(async () => {
    redis = await startRedis()
    const before = async (request: HookedRequest): Promise<undefined> => void (await hold(request))
    service = await startEmbeddedService({ jobMs: 0, makers: quickMakers(), before })
    studio = await createStudio({ 'sprites/hero.sprite.json': heroSpec(['walk', 'idle']) }, (folder) => ({
      service: { queue: `redis://127.0.0.1:${redis.port}` },
      store: { shared: join(folder, 'results'), journal: join(folder, 'journal') },
    }))
    desk = await studio.clone()
    worker = startCli(await studio.clone(), ['worker'], {
      ...redis.env,
      ...serviceEnv(service),
      ...keyEnv(keeper),
      SPRITEWRIGHT_APPROVERS: testKey(artist).fingerprint,
    })
  })
  afterAll(async () => {
    worker.child.kill('SIGINT')
    await worker.ended
    await service.close()
    await studio.remove()
    await redis.close()
  })

  test('plans, approves and builds what the worker bought, and ends when it is told to', async () => {
    const plan = await here('plan', '--json')
    expect(plan.code, plan.stdout + plan.stderr).toBe(0)
    expect(JSON.parse(plan.stdout)).toMatchObject({ items: [{ id: 'hero.walk', state: 'missing' }, { id: 'hero.idle' }] })
    const approve = await runCli(desk, ['approve', '--yes'], deskEnv())
    expect(approve.code).toBe(0)
    const words = approve.stdout + approve.stderr
    expect(words).toContain('Next: commit specs, pictures and sprites.lock*, and push. Then: npx spritewright build')
    expect(words).not.toContain('Commit sprites.lock*.')
    await push(desk)
    expect((await here('status')).stdout).toContain('Next: commit specs, pictures and sprites.lock*, and push.')
    // No result is delivered before the client knows how far the worker is.
    const phases: string[] = []
    let tell = (): void => {}
    const told = new Promise<void>((resolve) => {
      tell = resolve
    })
    hold = async ({ path }) => (path.includes('/asset') ? told : undefined)
    const stateFolder = join(desk.root, '.state', 'spritewright')
    const workshop = await createWorkshop({ root: desk.root, host: { ...nodeHost(), env: deskEnv(), stateFolder } })
    const built = await workshop.build({
      onProgress: ({ phase }) => {
        phases.push(phase)
        if (phase === 'running' || phase === 'downloading') tell()
      },
    })
    await workshop.close()
    expect(built.bought.map(({ id, credits }) => `${id} ${credits}`)).toEqual(['hero.idle 16000', 'hero.walk 16000'])
    expect(phases.filter((phase) => phase === 'bought')).toHaveLength(2)
    expectCount(service.charges(), 2)
    expect(service.mistakes()).toEqual([])
    const entries = Object.values((await lockOf(desk)).animations).flatMap((one) => Object.values(one))
    expect(entries).toHaveLength(2)
    for (const { execution, result } of entries) {
      expect(execution).toBeDefined()
      expect((await readdir(studio.shared)).join(' ')).toContain(result?.sha256)
    }
    expect(await findings()).toMatchObject({
      key: { verdict: 'good', found: 'none needed: the worker has it' },
      queue: { verdict: 'good', found: expect.stringMatching(/ buys, last sign at 20\S+Z, 0 orders waiting$/) },
      service: { verdict: 'good', found: expect.stringContaining('test key') },
      balance: { verdict: 'good' },
    })
    // A third machine has neither key nor worker, only the repository and the store.
    await push(desk)
    worker.child.kill('SIGINT')
    expect(await worker.ended).toMatchObject({ code: 0 })
    const third = await studio.clone()
    expect(await runCli(third, ['build', '--frozen'], redis.env)).toMatchObject({ code: 0 })
    expectCount(service.charges(), 2)
    const status = await here('worker', 'status', '--json')
    expect(JSON.parse(status.stdout)).toMatchObject({ worker: { hasEnded: true }, running: [], waiting: [], failed: [] })
    expect(await findings()).toMatchObject({
      queue: { verdict: 'warning', advice: expect.stringContaining('npx spritewright worker') },
      service: { verdict: 'warning', found: 'not asked: no worker is active' },
    })
  })
})

describeWith(hasRedis, 'Redis')('a worker that gets an order', () => {
  let redis: RedisServer
  let team: Team
  eachTeam((one, server) => {
    team = one
    redis = server
  })
  beforeEach(async () => void (await team.hire()))

  const posts = () => team.service.requests().filter(({ method }) => method === 'POST')

  test('refuses what is not committed and pushed: 0 charges, SW_ORDER; after the push it is bought', async () => {
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    const unpushed = await team.run('build', 'hero.walk', '--json')
    expect(JSON.parse(unpushed.stdout)).toMatchObject({
      error: { code: 'SW_ORDER', message: expect.stringContaining('lacks the approval') },
    })
    await git(team.desk.root, 'add', '-A')
    await git(team.desk.root, 'commit', '-qm', 'approve')
    const unseen = await git(team.desk.root, 'rev-parse', 'HEAD')
    const local = await team.run('build', 'hero.walk', '--json')
    expect(local.code).toBe(2)
    expect(JSON.parse(local.stdout)).toMatchObject({ error: { code: 'SW_ORDER' } })
    expect(posts()).toEqual([])
    await push(team.desk)
    expect(await team.run('build', 'hero.walk')).toMatchObject({ code: 0 })
    expectCount(team.service.charges(), 1)
    const status = JSON.parse((await team.run('worker', 'status', '--json')).stdout) as object
    // The failure is that of the commit that nobody had.
    expect(status).toMatchObject({ worker: { hasEnded: false }, failed: [{ id: 'hero.walk', commit: unseen }] })
  })

  test.each([
    [
      'of somebody whom the worker does not know',
      async () => ({
        person: stranger,
        words: `"hero.walk", approved by ${testKey(stranger).fingerprint}. Nothing was sent. If that key may approve, name it in SPRITEWRIGHT_APPROVERS where the worker runs, `,
      }),
    ],
    [
      'without a signature',
      async () => ({
        person: artist,
        words: '"hero.walk", approved before approvals were signed. Nothing was sent. Somebody whom the worker knows approves it: ',
        edit: (approval: Record<string, unknown>) => {
          delete approval.publicKey
          delete approval.signature
        },
      }),
    ],
    [
      'with a raised ceiling',
      async () => ({
        person: artist,
        words: '"hero.walk", approved under a signature that does not fit. Nothing was sent. Somebody whom the worker knows approves it: ',
        edit: (approval: Record<string, unknown>) => {
          approval.ceiling = '99'
        },
      }),
    ],
  ])('buys nothing on an approval %s: SW_BUYER, 0 charges', async (_what, how) => {
    const { person, words, edit } = (await how()) as { person: number; words: string; edit?: (approval: Record<string, unknown>) => void }
    const run = (...args: string[]) => startHere(team.desk, args, { ...redis.env, ...keyEnv(person) }, { clock: shortPauses() }).ended
    expect(await run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    if (edit) {
      const lock = await lockOf(team.desk)
      for (const entry of Object.values(lock.animations['hero.walk'] ?? {})) edit(entry.approval as Record<string, unknown>)
      await team.desk.write('sprites.lock.json', `${JSON.stringify(lock, undefined, 2)}\n`)
    }
    await push(team.desk)
    const built = await run('build', 'hero.walk', '--json')
    expect(JSON.parse(built.stdout)).toMatchObject({
      error: { code: 'SW_BUYER', message: expect.stringContaining(`The worker does not buy ${words}`) },
    })
    expect(built.code).toBe(3)
    expect(posts()).toEqual([])
  })

  /** Writes an order into the queue, as anybody may who can reach it. Returns the worker's refusal, or `undefined`. */
  async function orderByHand(data: object): Promise<unknown> {
    const queue = nodeQueues(new OutageClock())(
      moduleOf('bullmq'),
      resolveQueueTarget(team.queue, redis.env),
      'spritewright-orders',
      10_000,
    )
    try {
      const id = randomUUID()
      await queue.add(id, data, 1)
      let job = await queue.read(id)
      while (job?.state !== 'failed' && job?.state !== 'done') job = await queue.read(id)
      return job.state === 'done' ? undefined : JSON.parse(job.failure)
    } finally {
      await queue.close()
    }
  }

  test('an approval that was taken back on its branch is stale, also by the commit that had it: SW_ORDER, 0 charges', async () => {
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    const approved = await push(team.desk)
    const [hash = ''] = Object.keys((await lockOf(team.desk)).animations['hero.walk'] ?? {})
    await git(team.desk.root, 'rm', '-q', '--cached', 'sprites.lock.json')
    await git(team.desk.root, 'commit', '-qm', 'take it back')
    await git(team.desk.root, 'push', '-q', 'origin', 'HEAD')
    const message = { id: 'hero.walk', hash, commit: approved, file: 'sprites/hero.sprite.json' }
    const refusal = await orderByHand({ ...message, reference: await pictureOf(team.desk) })
    expect(refusal).toMatchObject({ code: 'SW_ORDER', message: expect.stringContaining('is not the newest one') })
    expect(posts()).toEqual([])
  })

  test('T4: an approval that was taken back on the default branch buys nothing for an old branch that still has it', async () => {
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    const approved = await push(team.desk, 'feature')
    const [hash = ''] = Object.keys((await lockOf(team.desk)).animations['hero.walk'] ?? {})
    // By hand, so that only the branches know of it.
    await git(team.desk.root, 'rm', '-q', '--cached', 'sprites.lock.json')
    await git(team.desk.root, 'commit', '-qm', 'take it back')
    await git(team.desk.root, 'push', '-q', 'origin', 'HEAD:main')
    const message = { id: 'hero.walk', hash, commit: approved, file: 'sprites/hero.sprite.json' }
    const refusal = await orderByHand({ ...message, reference: await pictureOf(team.desk) })
    expect(refusal).toMatchObject({ code: 'SW_ORDER', message: expect.stringContaining("the remote's default branch") })
    expect(posts()).toEqual([])
  })

  test('what was sent goes on for its commit, also after the default branch has lost the approval: no further POST', async () => {
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    const approved = await push(team.desk)
    const [hash = ''] = Object.keys((await lockOf(team.desk)).animations['hero.walk'] ?? {})
    expect(await team.run('build', 'hero.walk')).toMatchObject({ code: 0 })
    const sent = posts().length
    await git(team.desk.root, 'rm', '-q', '--cached', 'sprites.lock.json')
    await git(team.desk.root, 'commit', '-qm', 'take it back')
    await git(team.desk.root, 'push', '-q', 'origin', 'HEAD:main')
    const message = { id: 'hero.walk', hash, commit: approved, file: 'sprites/hero.sprite.json' }
    expect(await orderByHand({ ...message, reference: await pictureOf(team.desk) })).toBeUndefined()
    expect(posts()).toHaveLength(sent)
  })

  test('an execution that only a commit names is not taken over: SW_ORDER', async () => {
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    const lock = await lockOf(team.desk)
    const [[hash = '', entry] = []] = Object.entries(lock.animations['hero.walk'] ?? {})
    if (entry) entry.execution = { id: randomUUID(), conversation: randomUUID() }
    await team.desk.write('sprites.lock.json', `${JSON.stringify(lock, undefined, 2)}\n`)
    const commit = await push(team.desk)
    const message = { id: 'hero.walk', hash, commit, file: 'sprites/hero.sprite.json', reference: await pictureOf(team.desk) }
    expect(await orderByHand(message)).toMatchObject({ code: 'SW_ORDER', message: expect.stringContaining('does not know') })
    expect(team.service.requests().filter(({ path }) => path.includes('/executions/'))).toEqual([])
  })

  test('an order that was written into the queue by hand is refused, whatever it says', async () => {
    expect(await team.run('approve', 'hero.walk', '--yes')).toMatchObject({ code: 0 })
    const commit = await push(team.desk)
    const [hash = ''] = Object.keys((await lockOf(team.desk)).animations['hero.walk'] ?? {})
    const spec = { id: 'hero.walk', hash, commit, file: 'sprites/hero.sprite.json' }
    const forged: readonly object[] = [
      { ...spec, hash: 'f'.repeat(64) },
      { ...spec, id: 'hero.idle' },
      { ...spec, commit: '0'.repeat(40) },
      { ...spec, reference: 'a'.repeat(64) },
      { ...spec, file: '../../../etc/passwd' },
      { ...spec, file: 'sprites/hero.png' },
      { ...spec, ceiling: '99' },
      { hash },
      {},
    ]
    for (const data of forged) expect(await orderByHand(data)).toMatchObject({ code: 'SW_ORDER' })
    expect(posts()).toEqual([])
  })
})
