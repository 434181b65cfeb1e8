import { expect, test } from 'vitest'
import { expectCount } from '../kit/expect-count.ts'
import { describeWith } from '../kit/needs.ts'
import { heroSpec } from '../kit/project.ts'
import { hasRedis } from '../kit/servers/redis.ts'
import { git, push } from '../kit/studio.ts'
import { eachTeam, type Team } from '../kit/team.ts'

describeWith(hasRedis, 'Redis')('orders that wait for their turn', () => {
  let team: Team
  eachTeam((one) => {
    team = one
  })

  /** What a build says when its order waits. */
  const waits = 'it is ordered'

  test('a small build is not starved by a large one that began before: it comes next', async () => {
    let letOn = (): void => {}
    const on = new Promise<void>((resolve) => {
      letOn = resolve
    })
    team.sheetAt = () => on
    const worker = await team.hire({}, { env: { SPRITEWRIGHT_BRANCHES: 'large,small' } })
    await team.desk.write('sprites/hero.sprite.json', heroSpec(['a', 'b', 'c', 'd', 'e', 'f']))
    const other = await team.studio.clone()
    await other.remove('sprites/hero.sprite.json')
    await other.write('sprites/coin.sprite.json', heroSpec(['spin']).replace('a small figure', 'a coin'))
    expect(await team.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk, 'large')
    expect(await team.start(['approve', '--yes'], other).ended).toMatchObject({ code: 0 })
    await push(other, 'small')
    const large = team.run('build', '--buy-only')
    await worker.tells(': ordered.', 2)
    const small = team.start(['build', '--buy-only'], other)
    await small.writes(waits)
    letOn()
    expect(await small.ended).toMatchObject({ code: 0 })
    expect(await large).toMatchObject({ code: 0 })
    const ordered = worker.sentences.flatMap((sentence) => /^(.*): ordered\.$/.exec(sentence)?.[1] ?? [])
    // Two had begun. Of the next two, taken at once, one is that of the small build.
    expect(ordered.indexOf('coin.spin'), ordered.join(' ')).toBeLessThan(4)
    expect(ordered).toHaveLength(7)
  })

  test('two branches want the same at two commits: what the worker refuses both are told, and what it buys both get, for one charge', async () => {
    let letOn = (): void => {}
    const on = new Promise<void>((resolve) => {
      letOn = resolve
    })
    team.sheetAt = () => on
    const worker = await team.hire()
    expect(await team.run('approve', '--yes')).toMatchObject({ code: 0 })
    await push(team.desk)
    const others = team.run('build', 'hero.walk', 'hero.idle', '--buy-only')
    await worker.tells(': ordered.', 2)
    // Both places are taken, so what comes now waits. Nobody has pushed its commit.
    const clones = [team.desk, await team.studio.clone()]
    const commits: string[] = []
    for (const { root } of clones) {
      await git(root, 'commit', '-q', '--allow-empty', '-m', `branch ${commits.length}`)
      commits.push(await git(root, 'rev-parse', 'HEAD'))
    }
    const build = () => clones.map((clone) => team.start(['build', 'hero.jump', '--buy-only'], clone))
    const refused = build()
    await Promise.all(refused.map((one) => one.writes(waits)))
    const { waiting } = JSON.parse((await team.run('worker', 'status', '--json')).stdout) as { waiting: { commit: string }[] }
    expect(waiting.map(({ commit }) => commit).sort()).toEqual([...commits].sort())
    letOn()
    for (const { ended } of refused) expect(await ended).toMatchObject({ code: 2, stderr: expect.stringContaining('SW_ORDER') })
    expect(await others).toMatchObject({ code: 0 })
    for (const [index, { root }] of clones.entries()) await git(root, 'push', '-q', 'origin', `HEAD:branch-${index}`)
    for (const { ended } of build()) expect(await ended).toMatchObject({ code: 0 })
    expectCount(team.service.charges(), 3)
  })
})
