import fc from 'fast-check'
import type { Index } from './judge.ts'
import type { Death } from './machine.ts'
import type { Play } from './play.ts'
import { type SpecState, type SpriteName, spriteNames } from './project.ts'
import { nobody } from './table.ts'

type Act = (play: Play) => Promise<unknown> | unknown

/** An action of a person, or an event. It describes itself for the report of a failure. */
class Deed implements fc.AsyncCommand<Play, Play> {
  readonly #words: string
  readonly #act: Act
  readonly #can: (play: Play) => boolean

  constructor(words: string, act: Act, can: (play: Play) => boolean = () => true) {
    this.#words = words
    this.#act = act
    this.#can = can
  }

  check(play: Play): boolean {
    return this.#can(play)
  }

  async run(play: Play): Promise<void> {
    play.counts.commands++
    await this.#act(play)
    play.check()
  }

  toString(): string {
    return this.#words
  }
}

/** A deed on one machine. */
function on(who: Index, words: string, act: Act, can?: (play: Play) => boolean): Deed {
  return new Deed(`${who === 0 ? 'desk' : 'laptop'}: ${words}`, act, can)
}

/** A deed about one sprite of one machine. It can happen only if the machine has the sprite. */
function about(who: Index, sprite: SpriteName, words: string, act: Act, can: (play: Play) => boolean = () => true): Deed {
  return on(who, words, act, (play) => play.project.specs[who].has(sprite) && can(play))
}

function deathWords({ at, since, moment, power }: Death): string {
  const left =
    power === undefined
      ? ''
      : `, the power goes and ${typeof power === 'number' ? `chance ${power}` : power} of what was not synced is left`
  return `killed ${moment} change ${at}${since === 'submission' ? ' since its first submission' : ''}${left}`
}

// The first machine does most of the work, because two equally busy machines would seldom get far.
const machine: fc.Arbitrary<Index> = fc.oneof(
  { arbitrary: fc.constant<Index>(0), weight: 3 },
  { arbitrary: fc.constant<Index>(1), weight: 1 },
)
const sprite: fc.Arbitrary<SpriteName> = fc.constantFrom(...spriteNames)
const yesOrNo = fc.boolean()

/**
 * A death at a change of the disk.
 *
 * @param most Most changes that the command makes. If a command makes fewer, its process lives.
 */
function death(most: number): fc.Arbitrary<Death> {
  const change = fc.oneof(
    fc.record({ since: fc.constant('start' as const), at: fc.integer({ min: 1, max: most }) }),
    fc.record({ since: fc.constant('submission' as const), at: fc.integer({ min: 1, max: 12 }) }),
  )
  const power = fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 3 },
    { arbitrary: fc.constantFrom('nothing' as const, 'everything' as const), weight: 2 },
    { arbitrary: fc.integer({ min: 1, max: 1000 }), weight: 1 },
  )
  return fc
    .tuple(change, fc.constantFrom('before' as const, 'after' as const), power)
    .map(([when, moment, power]) => ({ ...when, moment, power }))
}

const build = fc.tuple(machine, yesOrNo).map(([who, isApproved]) => toBuild(who, isApproved))
const kill = fc.tuple(machine, yesOrNo, death(130)).map(([who, isApproved, end]) => toBuild(who, isApproved, end))
const frozen = machine.map((who) => on(who, 'build --frozen', (play) => play.build(who, { isFrozen: true })))

function toBuild(who: Index, isApproved: boolean, end?: Death): Deed {
  const words = `${isApproved ? 'approve everything, then ' : ''}build${end ? `, ${deathWords(end)}` : ''}`
  return on(who, words, async (play) => {
    if (isApproved) await play.approve(who, play.project.sprites(who))
    await play.build(who, end ? { death: end } : {})
  })
}

const approve = fc
  .tuple(machine, yesOrNo)
  .map(([who, isGenerous]) =>
    on(who, `approve everything${isGenerous ? ' with a credit to spare' : ''}`, (play) =>
      play.approve(who, play.project.sprites(who), { isGenerous }),
    ),
  )
const killedApprove = fc
  .tuple(machine, death(60))
  .map(([who, end]) =>
    on(who, `approve everything, ${deathWords(end)}`, (play) => play.approve(who, play.project.sprites(who), { death: end })),
  )
const adopt = fc.tuple(machine, sprite).map(([who, name]) =>
  about(
    who,
    name,
    `approve ${name} --adopt`,
    (play) => play.approve(who, [name], { adopt: true }),
    (play) => isOthers(play, who, name),
  ),
)
const decision = fc.constantFrom('replay' as const, 'abandon' as const)
const recover = fc.tuple(machine, sprite, decision, fc.option(death(80), { nil: undefined })).map(([who, name, word, end]) =>
  about(
    who,
    name,
    `recover ${name} --${word}${end ? `, ${deathWords(end)}` : ''}`,
    (play) => play.recover(who, name, word, end),
    (play) => isOpen(play, who, name),
  ),
)
const answer = fc.tuple(machine, fc.constantFrom('red', 'blue'), fc.option(death(60), { nil: undefined })).map(([who, text, end]) =>
  about(
    who,
    'slime',
    `answer slime "${text}"${end ? `, ${deathWords(end)}` : ''}`,
    (play) => play.answer(who, 'slime', text, end),
    (play) => isAsked(play, who),
  ),
)
const edit = fc
  .tuple(machine, sprite, fc.constantFrom(0 as const, 1 as const))
  .map(([who, name, variant]) =>
    toEdit(who, name, `the spec of ${name} gets its ${variant === 0 ? 'first' : 'second'} prompt`, { variant }),
  )
const take = fc
  .tuple(machine, sprite, fc.constantFrom(1, 2))
  .map(([who, name, number]) => toEdit(who, name, `the spec of ${name} asks for take ${number}`, { take: number }))

function toEdit(who: Index, name: SpriteName, words: string, change: Partial<SpecState>): Deed {
  return about(who, name, words, ({ project }) => {
    const before = project.specs[who].get(name)
    if (before) project.edit(who, name, { ...before, ...change })
  })
}

const minute = 60_000
const wait = fc
  .constantFrom(['a minute', minute] as const, ['over the window', 11 * minute] as const, ['over the retention', 31 * minute] as const)
  .map(([words, ms]) => new Deed(`wait ${words}`, (play) => play.world.wait(ms)))
const priceUp = fc.constant(new Deed('the price goes up', (play) => play.world.priceUp()))
const keyRotated = fc.constant(new Deed('the API key is rotated', (play) => play.world.rotateKey()))
const deleteCache = machine.map((who) => on(who, 'the cache is deleted', (play) => play.eraseCache(who)))
const deleteJournal = fc
  .tuple(machine, fc.constantFrom('first' as const, 'second' as const, 'both' as const), yesOrNo)
  .map(([who, which, isAll]) => {
    const place = { first: '.spritewright', second: "the user's state", both: ".spritewright and in the user's state" }[which]
    return on(who, `${isAll ? 'everything' : 'the records'} in ${place} deleted`, (play) => play.erase(who, which, isAll))
  })
const secondMachine = fc
  .constantFrom([0, 1] as const, [1, 0] as const)
  .map(([from, to]) => on(to, 'lock file and specs of the other machine are carried over', (play) => play.carry(from, to)))
const prune = fc
  .tuple(machine, fc.nat(5))
  .map(([who, choice]) => on(who, `store prune, number ${choice + 1} of what may go`, (play) => play.prune(who, choice)))

/** Whether the machine has another buyer's approval to take over. */
function isOthers(play: Play, who: Index, name: SpriteName): boolean {
  const own = play.table.identities[who]
  return play.project.wanted(who, [name]).some(({ cells }) => [...cells[who].approvals].some((buyer) => buyer !== own && buyer !== nobody))
}

/** Whether a decision may be waiting. */
function isOpen(play: Play, who: Index, name: SpriteName): boolean {
  return play.project.wanted(who, [name]).some(({ cells, isForked }) => !cells[who].isDone && (cells[who].doubt !== undefined || isForked))
}

/** Whether a question may be waiting. */
function isAsked(play: Play, who: Index): boolean {
  const row = play.project.sheet(who, 'slime')
  return row.isAsking && !row.cells[who].isDone && play.isHeard(row)
}

/** The start of a run. */
export const beginnings: fc.Arbitrary<{ readonly sprites: readonly (readonly [SpriteName, 0 | 1])[]; readonly isApproved: boolean }> =
  fc.record({
    sprites: fc.uniqueArray(fc.tuple(sprite, fc.constantFrom(0 as const, 1 as const)), { minLength: 1, selector: ([name]) => name }),
    isApproved: yesOrNo,
  })

/**
 * Commands in random order. Commands that lead further come more often.
 *
 * @param replayPath Path of a failure, to play it again.
 */
export function commandsOf(replayPath?: string): fc.Arbitrary<Iterable<fc.AsyncCommand<Play, Play>>> {
  return fc.commands(
    [
      ...[build, build, build, kill, kill, kill, kill],
      ...[approve, killedApprove, recover, recover, recover, answer, answer, adopt, secondMachine, secondMachine],
      ...[wait, wait, edit, take, priceUp, keyRotated, deleteJournal, deleteCache, prune, frozen],
    ],
    { maxCommands: 30, size: 'max', ...(replayPath === undefined ? {} : { replayPath }) },
  )
}
