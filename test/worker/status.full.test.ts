import { afterEach, beforeEach, expect, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { openQueues, type Queues } from '../../src/queue/open.ts'
import { describeWith } from '../kit/needs.ts'
import { hasRedis, type RedisServer } from '../kit/servers/redis.ts'
import { eachTeam, type Team } from '../kit/team.ts'

describeWith(hasRedis, 'Redis')('worker status', () => {
  let redis: RedisServer
  let team: Team
  let queues: Queues
  eachTeam((one, server) => {
    team = one
    redis = server
  })
  beforeEach(async () => {
    queues = await openQueues({ ...nodeHost(), env: redis.env }, team.queue, process.cwd())
  })
  afterEach(() => queues.close())

  test.each([
    { since: 1e300, seen: 1 },
    { since: 1, seen: -1e300 },
    { since: 0.5, seen: 1 },
  ])('a note with times that are none (%o) counts as none', async (times) => {
    await queues.lease.add('lease', { state: 'held', by: 'somebody', ...times }, 0)
    expect(await team.run('worker', 'status')).toMatchObject({ code: 0, stdout: expect.stringContaining('No worker was ever active') })
  })

  test('a job that is no order is shown as one, without its words that a terminal would obey', async () => {
    await queues.orders.add('a', { id: 'hero.walk\u001b[2J' }, 1)
    const { code, stdout } = await team.run('worker', 'status')
    expect(code).toBe(0)
    expect(stdout).toContain('Waiting: 1')
    expect(stdout).not.toContain('\u001b[2J')
  })
})
