import { Broken } from './check.ts'
import type { Index } from './judge.ts'
import type { Play } from './play.ts'
import type { SpriteName } from './project.ts'
import { windowMs } from './table.ts'

/** Rounds of decisions that are enough to bring anything to an end. */
const roundsEnough = 10

/**
 * Brings everything on a machine to its end, as a person would: approves, takes over, answers, and gives up
 * whatever cannot be known. Returns early if a question was answered on another machine, because nothing
 * shows which execution goes on.
 *
 * @throws {@link Broken} If no number of decisions is enough (I9).
 */
async function resolve(play: Play, machine: Index): Promise<void> {
  const answered = new Set<SpriteName>()
  for (let round = 1; round <= roundsEnough; round++) {
    const ending = await play.build(machine)
    if (ending.how !== 'refused') return
    const sprites = (...codes: string[]): SpriteName[] => {
      const ids = ending.refusals.filter(({ code }) => codes.includes(code)).flatMap((one) => one.ids)
      return [...new Set(ids.map((id) => id.split(/[.#]/)[0] as SpriteName))]
    }
    for (const sprite of sprites('SW_UNCERTAIN', 'SW_CONFLICT')) await play.recover(machine, sprite, 'abandon')
    for (const sprite of sprites('SW_QUESTION')) {
      if (answered.has(sprite)) return
      answered.add(sprite)
      await play.answer(machine, sprite, 'red')
    }
    const [others, own] = [sprites('SW_BUYER'), sprites('SW_APPROVAL', 'SW_CEILING')]
    if (others.length > 0) await play.approve(machine, others, { adopt: true })
    if (own.length > 0) await play.approve(machine, own)
    play.check()
    // A person's permission to replay holds for a window. During it, nothing else can be decided.
    if (round % 3 === 0) await play.world.wait(windowMs + 60_000)
  }
  throw new Broken(`${roundsEnough} rounds of decisions did not bring ${play.world.machines[machine].name} to an end (I9)`)
}

/**
 * Brings one machine to its end, and then the other one with its lock file. At last it asks again for every
 * charged result that is gone.
 */
export async function finish(play: Play): Promise<void> {
  const { counts, project, table, world } = play
  await resolve(play, 0)
  play.carry(0, 1)
  await resolve(play, 1)
  const charged = world.charges()
  for (const row of table.rows().filter(({ name }) => charged.has(name))) {
    if (row.cells[0].kept !== undefined || project.wanted(0).includes(row)) continue
    project.ask(0, row)
    await resolve(play, 0)
    counts.askedAgain++
  }
  play.check()
  for (const { allowed, name } of table.rows()) {
    const count = world.charges().get(name)?.length ?? 0
    counts.charges += count
    counts.doubleCharges += Math.max(0, count - allowed)
    counts.decidedCharges += Math.max(0, Math.min(count, allowed) - 1)
  }
}
