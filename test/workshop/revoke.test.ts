import { expect, test } from 'vitest'
import type { LockFile } from '../../src/vault/lockfile.ts'
import { type Machine, team } from '../sim/two-machines.ts'

/** Entries of the lock file that have an approval: the ids of animations, and `a step` for each step. */
function approvedIn({ animations, steps = {} }: LockFile): readonly string[] {
  const entries = [...Object.entries(animations), ['a step', steps] as const]
  return entries.flatMap(([id, requests]) => Object.values(requests).flatMap(({ approval }) => (approval ? [id] : [])))
}

function write(machine: Machine, name: string, last: object): void {
  const steps = [{ image: './hero.png' }, { edit: 'add a hat' }, last]
  const spec = { reference: { steps }, prompt: 'a knight', animations: { walk: { frames: 7 } } }
  machine.write(`sprites/${name}.sprite.json`, JSON.stringify(spec))
}

test('what is taken back is in no entry of the lock file, of a step or a twin either; approvals of other requests stay', async () => {
  const { first, run } = await team()
  for (const name of ['hero', 'twin']) write(first, name, { upscale: 'sharply' })
  write(first, 'other', { upscale: 'softly' })
  await first.approve()
  expect(approvedIn(first.lock())).toEqual(['other.walk', 'twin.walk', 'a step', 'a step', 'a step'])
  const report = await run((await first.open()).revoke(['hero']))
  expect(report).toEqual({ revoked: ['hero#2', 'hero#3', 'hero.walk'], inFlight: [] })
  expect(approvedIn(first.lock())).toEqual(['other.walk', 'a step'])
  expect(await run((await first.open()).revoke())).toEqual({ revoked: ['other#3', 'other.walk'], inFlight: [] })
  expect(approvedIn(first.lock())).toEqual([])
})
