import { parseCredits } from '../../../src/credit/credits.ts'
import type { LockEntry } from '../../../src/vault/lockfile.ts'
import { keyEnv } from '../../kit/keys.ts'
import { BrokenInvariant } from '../invariants.ts'
import { type Machine, minutes, type ProcessInit, type Team, team } from '../two-machines.ts'
import type { Counter } from './explorations.ts'

const dayMs = 24 * 60 * minutes

/** Puts one entry in the place of all entries of the animation. */
function putBack(machine: Machine, entry: LockEntry): void {
  machine.edit((lock) => {
    lock.animations['hero.walk'] = Object.fromEntries(Object.keys(lock.animations['hero.walk'] ?? {}).map((hash) => [hash, entry]))
  })
}

/** Builds, and checks that nothing was sent under an approval that no longer counts. */
async function sendsNothing({ posts }: Team, counter: Counter, machine: Machine, what: string, init?: ProcessInit): Promise<void> {
  counter.runs++
  await machine.build({}, init).catch(() => {})
  if (posts() > 0) throw new BrokenInvariant('I11', `a build sends on ${what}`)
}

/** T1: a ceiling that was lowered, an approval that was taken back, and one that nobody used in time come back. */
export async function endedApprovals(counter: Counter): Promise<void> {
  const made = await team()
  const { first } = made
  await first.approve({ max: parseCredits('50') })
  const high = first.entry('hero.walk')
  await first.approve({ max: parseCredits('1.7') })
  const low = first.entry('hero.walk')
  const late = made.copy(first)
  putBack(first, high)
  await sendsNothing(made, counter, first, 'an approval that a newer one has replaced')
  putBack(first, low)
  await (await first.open()).revoke()
  putBack(first, low)
  await sendsNothing(made, counter, first, 'an approval that was taken back')
  await made.wait(31 * dayMs)
  await sendsNothing(made, counter, late, 'an approval that has expired')
}

/** T3: an entry is copied into another project, on a machine that trusts its approver. */
export async function copiedApprovals(counter: Counter): Promise<void> {
  const made = await team()
  await made.first.approve()
  const SPRITEWRIGHT_APPROVERS = `${made.first.entry('hero.walk').approval?.buyer}`
  for (const named of [{}, { SPRITEWRIGHT_PROJECT: 'f'.repeat(32) }]) {
    const env = { ...keyEnv(5), SPRITEWRIGHT_APPROVERS, ...named }
    await sendsNothing(made, counter, made.clone(made.first), 'an approval of another project', { env })
  }
}
