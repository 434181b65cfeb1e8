import { expect, test } from 'vitest'
import { heroSpec } from '../kit/project.ts'
import { type Desk, expectAllBought, onDesk, openDesk } from './desk.ts'
import { runMortalCli } from './mortal-cli.ts'

async function approved(): Promise<Desk> {
  const desk = await openDesk({}, { 'sprites/hero.sprite.json': heroSpec(['walk']) })
  expect(await desk.run('approve', '--yes')).toMatchObject({ code: 0 })
  return desk
}

// kill/purchase kills at every step, in the full level.
test('I1, I4: a real process killed with SIGKILL right after its POST is charged once, and the next one has the result', async () => {
  const posted = await onDesk(approved(), async (desk) => {
    const { steps, code } = await runMortalCli(desk, ['build', '--buy-only'])
    expect(code).toBe(0)
    return 1 + steps.indexOf('request POST /v1/execute')
  })
  expect(posted).toBeGreaterThan(0)
  await onDesk(approved(), async (desk) => {
    const killed = await runMortalCli(desk, ['build', '--buy-only'], `before ${posted + 1}`)
    expect(killed).toMatchObject({ signal: 'SIGKILL' })
    expect(killed.steps.at(-2)).toBe('request POST /v1/execute')
    expect(await desk.run('build', '--buy-only')).toMatchObject({ code: 0 })
    await expectAllBought(desk, 1, 'killed after its POST')
  })
})
