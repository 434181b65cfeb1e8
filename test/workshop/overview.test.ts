import { describe, expect, test } from 'vitest'
import type { Overview } from '../../src/workshop/api/overview-report.ts'
import { type ProcessInit, specOf, type Team, team } from '../sim/two-machines.ts'

/** A team whose only execution runs, and whose spec asks for another prompt since. */
async function edited(): Promise<Team> {
  const made = await team()
  const { first } = made
  await first.approve()
  await first.dieBuilding(() => first.entry('hero.walk').execution !== undefined)
  first.write('sprites/hero.sprite.json', specOf('a rogue', 'hero'))
  return made
}

const overview = async ({ first, run }: Team, init?: ProcessInit): Promise<Overview> => run((await first.open(init)).overview())
const orphansOf = ({ orphans }: Overview): unknown => orphans.map(({ id, state, request }) => [id, state, request.prompt])
const running = [['hero.walk', 'running', expect.stringContaining('a knight')]]

describe('what no spec asks for any more and may be paid', () => {
  test('is an orphan with its own state and request, beside the new request', async () => {
    const seen = await overview(await edited())
    expect(orphansOf(seen)).toEqual(running)
    expect(seen.items.map(({ id, state }) => [id, state])).toEqual([['hero.walk', 'missing']])
  })

  test('is none as soon as a spec asks for it again, or its result is here', async () => {
    const made = await edited()
    const { first } = made
    first.write('sprites/hero.sprite.json', specOf('a knight', 'hero'))
    expect(orphansOf(await overview(made))).toEqual([])
    await first.build()
    first.write('sprites/hero.sprite.json', specOf('a rogue', 'hero'))
    expect(orphansOf(await overview(made))).toEqual([])
  })

  test('is shown at the service that has it and where no service is set, and at no other one', async () => {
    const made = await edited()
    expect(orphansOf(await overview(made, { env: { SPRITEWRIGHT_BASE_URL: '', SPRITEWRIGHT_API_KEY: '' } }))).toEqual(running)
    expect(orphansOf(await overview(made, { env: { SPRITEWRIGHT_BASE_URL: 'https://other.example' } }))).toEqual([])
  })
})
