import { expect, test } from 'vitest'
import { expectCount } from '../kit/expect-count.ts'
import { describeWith } from '../kit/needs.ts'
import { hasRedis } from '../kit/servers/redis.ts'
import { git, push } from '../kit/studio.ts'
import { eachTeam, type Team } from '../kit/team.ts'

describeWith(hasRedis, 'Redis')('a worker and two branches', () => {
  let team: Team
  eachTeam((one) => {
    team = one
  })

  test('an approval that only an old branch has buys nothing, until the main branch approves again', async () => {
    await team.hire()
    expect(await team.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk, 'old')
    const refused = await team.run('build', '--buy-only')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/SW_ORDER .*default branch.*SPRITEWRIGHT_BRANCHES/) })
    expectCount(team.service.charges(), 0)
    // What the main branch approves is bought, also for the old one.
    await push(team.desk, 'main')
    expect(await team.run('build', '--buy-only')).toMatchObject({ code: 0 })
    expectCount(team.service.charges(), 3)
  })

  test('an approval that was taken back buys nothing on any branch, whatever their lock files say', async () => {
    await team.hire({}, { env: { SPRITEWRIGHT_BRANCHES: 'main,old' } })
    expect(await team.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk, 'old')
    const other = await team.studio.clone()
    await git(other.root, 'checkout', '-q', 'old')
    expect(await team.run('approve', '--revoke')).toMatchObject({ code: 0 })
    await push(team.desk, 'main')
    expect(await team.start(['build', '--buy-only'], other).ended).toMatchObject({ code: 3 })
    expectCount(team.service.charges(), 0)
  })
})
