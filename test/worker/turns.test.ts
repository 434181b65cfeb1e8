import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nodeQueues } from '../../src/host/net/job-queue.ts'
import { resolveQueueTarget } from '../../src/queue/address.ts'
import { sha256 } from '../../src/vault/objects.ts'
import { moduleOf } from '../kit/packages.ts'
import { type CliProcess, heroSpec, runCli, startCli } from '../kit/project.ts'
import { hasRedis, type RedisServer, startRedis } from '../kit/servers/redis.ts'
import { push } from '../kit/studio.ts'
import { createTeam, type Team } from '../kit/team.ts'

describe.skipIf(!hasRedis)('orders that wait for their turn', () => {
  let redis: RedisServer
  let team: Team
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.close())
  beforeEach(async () => {
    team = await createTeam(redis)
  })
  afterEach(() => team.close())

  const orders = () => nodeQueues()(moduleOf('bullmq'), resolveQueueTarget(team.queue, redis.env), 'spritewright-orders', 10_000)

  /** Resolves when a build says that its order waits. */
  const waits = ({ child }: CliProcess): Promise<void> =>
    new Promise((resolve) => {
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => String(part).includes('it is ordered') && resolve())
    })

  test('a small build is not starved by a large one that began before: it comes next', async () => {
    let letOn = (): void => {}
    const on = new Promise<void>((resolve) => {
      letOn = resolve
    })
    team.sheetAt = () => on
    const worker = await team.hire()
    await team.desk.write('sprites/hero.sprite.json', heroSpec(['a', 'b', 'c', 'd', 'e', 'f']))
    const other = await team.studio.clone()
    await other.remove('sprites/hero.sprite.json')
    await other.write('sprites/coin.sprite.json', heroSpec(['spin']).replace('a small figure', 'a coin'))
    expect(await team.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk, 'large')
    expect(await runCli(other, ['approve', '--yes'], team.env)).toMatchObject({ code: 0 })
    await push(other, 'small')
    const large = team.run('build', '--buy-only')
    await worker.tells(': ordered.', 2)
    const small = startCli(other, ['build', '--buy-only'], team.env)
    await waits(small)
    letOn()
    expect(await small.ended).toMatchObject({ code: 0 })
    expect(await large).toMatchObject({ code: 0 })
    const ordered = worker.sentences.flatMap((sentence) => /^(.*): ordered\.$/.exec(sentence)?.[1] ?? [])
    // Two had begun. Of the next two, taken at once, one is that of the small build.
    expect(ordered.indexOf('coin.spin'), ordered.join(' ')).toBeLessThan(4)
    expect(ordered).toHaveLength(7)
  })

  test('a branch buys what the worker refused for another branch', async () => {
    let letOn = (): void => {}
    const on = new Promise<void>((resolve) => {
      letOn = resolve
    })
    team.sheetAt = () => on
    const worker = await team.hire()
    expect(await team.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    const both = team.run('build', 'hero.walk', 'hero.idle', '--buy-only')
    await worker.tells(': ordered.', 2)
    // Both places are taken, so this order waits. Nobody has pushed its commit.
    const lock = JSON.parse(await readFile(join(team.desk.root, 'sprites.lock.json'), 'utf8')) as { animations: Record<string, object> }
    const [hash = ''] = Object.keys(lock.animations['hero.jump'] ?? {})
    const picture = sha256(await readFile(join(team.desk.root, 'sprites/hero.png')))
    const queue = orders()
    const order = { id: 'hero.jump', hash, commit: '0'.repeat(40), file: 'sprites/hero.sprite.json', reference: picture }
    await queue.add(hash, order, 1)
    const mine = startCli(team.desk, ['build', 'hero.jump', '--buy-only'], team.env)
    await waits(mine)
    letOn()
    expect(await mine.ended).toMatchObject({ code: 0 })
    expect(await both).toMatchObject({ code: 0 })
    expect(worker.sentences.filter((sentence) => sentence.includes('Refused or failed'))).toHaveLength(1)
    expect(team.service.charges()).toHaveLength(3)
    await queue.close()
  })
})
