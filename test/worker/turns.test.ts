import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { nodeQueues } from '../../src/host/net/job-queue.ts'
import { resolveQueueTarget } from '../../src/queue/address.ts'
import { sha256 } from '../../src/vault/objects.ts'
import { moduleOf } from '../kit/packages.ts'
import { startCli } from '../kit/project.ts'
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
    await new Promise<void>((resolve) => {
      for (const stream of [mine.child.stdout, mine.child.stderr])
        stream?.on('data', (part) => String(part).includes('it is ordered') && resolve())
    })
    letOn()
    expect(await mine.ended).toMatchObject({ code: 0 })
    expect(await both).toMatchObject({ code: 0 })
    expect(worker.sentences.filter((sentence) => sentence.includes('Refused or failed'))).toHaveLength(1)
    expect(team.service.charges()).toHaveLength(3)
    await queue.close()
  })
})
