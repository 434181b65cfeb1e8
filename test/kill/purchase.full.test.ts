import { describe, expect, test } from 'vitest'
import { heroSpec } from '../kit/project.ts'
import { level } from '../level.ts'
import { type Desk, expectAllBought, onDesk, openDesk } from './desk.ts'
import { runMortalCli, untilAlive } from './mortal-cli.ts'

/**
 * Dying before the next step leaves the same disk as dying after this one. Only an answer of the service may
 * come between them.
 */
const deeds = level === 'long' ? ['before', 'after', 'torn'] : ['before']
/** Two purchases at once in the long run. A single purchase makes each of their changes and requests too. */
const animations = level === 'long' ? ['walk', 'idle'] : ['walk']

/** Specs of what is bought: each of these is one submission. */
const specs = {
  animation: heroSpec(animations),
  picture: JSON.stringify({ reference: './hero.png', pictures: Object.fromEntries(animations.map((name) => [name, [{ edit: name }]])) }),
}
const kinds = Object.keys(specs) as readonly (keyof typeof specs)[]
type Kind = (typeof kinds)[number]

async function approved(kind: Kind): Promise<Desk> {
  const desk = await openDesk({}, { 'sprites/hero.sprite.json': specs[kind] })
  expect(await desk.run('approve', '--yes')).toMatchObject({ code: 0 })
  return desk
}

interface Played {
  readonly hasDied: boolean
  /** Whether the process had recorded before its death that the service accepted everything. */
  readonly isAccepted: boolean
  readonly charges: number
  readonly posts: number
  readonly leftovers: number
}

/**
 * A run that buys and dies, then one that lives. Every sixteenth of those that live is a process of its own.
 */
function killedOnce(deed: string, kind: Kind, at: number): Promise<Played> {
  return onDesk(approved(kind), async (desk) => {
    const killed = await runMortalCli(desk, ['build', '--buy-only'], `${deed} ${at}`)
    const context = `${kind}, ${deed} step ${at}, ${killed.steps.at(-1)}`
    const hasDied = killed.signal === 'SIGKILL'
    if (!hasDied) expect(killed.code, `${context}: ${killed.stderr}`).toBe(0)
    const again =
      level === 'long' || at % 16 === 0 ? await runMortalCli(desk, ['build', '--buy-only']) : await desk.run('build', '--buy-only')
    expect(again.code, `${context}: ${again.stderr}`).toBe(0)
    const { leftovers } = await expectAllBought(desk, animations.length, context)
    const isAccepted = acceptedBefore(killed.steps.slice(0, -1)) === animations.length
    if (isAccepted) expect(desk.posts.count(), context).toBe(animations.length)
    return { hasDied, isAccepted, charges: desk.service.charges().length, posts: desk.posts.count(), leftovers: leftovers.length }
  })
}

describe('I1, I2, I4, I5, I6, I10: a real process that buys, killed with SIGKILL', () => {
  test.each(deeds.flatMap((deed) => kinds.map((kind) => [deed, kind] as const)))(
    '%s every change of the disk and every request (one %s): charged once each, nothing lost',
    { timeout: 1_200_000 },
    async (deed, kind) => {
      const played: Played[] = []
      await untilAlive(async (at) => {
        const run = await killedOnce(deed, kind, at)
        played.push(run)
        return run.hasDied
      })
      const sum = (of: (run: Played) => number): number => played.reduce((all, run) => all + of(run), 0)
      const kills = played.filter(({ hasDied }) => hasDied).length
      const charges = sum((run) => run.charges)
      console.log(
        `${kind}: killed ${deed} each of ${kills} operations: ${played.length} schedules, ${charges} charges for ${animations.length * played.length} approvals, ${sum((run) => run.posts) - charges} replays, 0 doubles, 0 lost; ${sum((run) => run.leftovers)} temporary files left`,
      )
      expect(kills).toBeGreaterThan(level === 'long' ? 150 : 80)
      // Of these, nothing was sent again.
      expect(played.filter(({ hasDied, isAccepted }) => hasDied && isAccepted).length).toBeGreaterThan(20)
    },
  )

  test('I6: the record of sending is flushed, with its name, before the POST that it speaks of', async () => {
    await onDesk(approved('animation'), async (desk) => {
      const { steps, code } = await runMortalCli(desk, ['build', '--buy-only'])
      expect(code).toBe(0)
      const posts = steps.flatMap((step, at) => (step === 'request POST /v1/execute' ? [at] : []))
      expect(posts).toHaveLength(animations.length)
      for (const [index, at] of posts.entries()) expect(flushedSends(steps.slice(0, at)), `POST ${index + 1}`).toBeGreaterThan(index)
    })
  })
})

/** Journals whose fourth record, `accepted`, was named. */
function acceptedBefore(steps: readonly string[]): number {
  return steps.filter((step) => /^link .*\.spritewright\/submissions\/\w{64}\/0004\.json$/.test(step)).length
}

/** Journals whose third record, `sent`, was written, flushed and named, and whose folder was flushed. */
function flushedSends(steps: readonly string[]): number {
  const after = (from: number, step: string): number => (from < 0 ? -1 : steps.findIndex((one, at) => at > from && one === step))
  return steps.filter((step, at) => {
    const folder = /^link (.*\.spritewright\/submissions\/\w{64})\/0003\.json$/.exec(step)?.[1]
    const isWritten = steps.slice(0, at).some((before) => before.startsWith(`sync ${folder}/0003.json.`))
    return folder !== undefined && isWritten && after(at, `sync ${folder}`) > 0
  }).length
}
