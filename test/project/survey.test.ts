import { describe, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../../atlas/index.ts'
import { SpritewrightError } from '../../src/errors.ts'
import type { Submission } from '../../src/job/records/submission.ts'
import type { PlanItem, PlanStep } from '../../src/project/plan.ts'
import { checkReferences, listedSteps, survey, throwAll } from '../../src/project/survey.ts'
import { readWantedAnimations } from '../../src/project/wanted.ts'
import { capabilities } from '../sim/exhaustive/project.ts'
import { entryOf, identity, openMemoryProject } from './memory-project.ts'

const chain = (text: string, ...more: readonly object[]) => ({ reference: { steps: [{ text }, ...more] }, prompt: 'x' })
const specs = {
  zed: { ...chain('a hero'), animations: { walk: {} } },
  hero: { ...chain('a hero', { edit: 'in red' }), animations: { walk: { frames: 8 }, idle: {} } },
  done: { ...chain('a done one', { edit: 'in blue' }), animations: { walk: {} } },
  coin: { reference: './hero.png', prompt: 'x', animations: { spin: {} } },
}
const first = await survey(openMemoryProject({ specs }).context, [], { identity })
const hashOf = (id: string): string => [...first.items, ...first.steps].find((one) => one.id === id)?.hash ?? ''
const result = (sha256: string) => ({ result: { sha256, bytes: 1 } })
const stored = (sha256: string): Partial<Submission> => ({
  attempt: 1,
  stored: { attempt: 1, sha256 } as unknown as NonNullable<Submission['stored']>,
})

const lock = {
  version: 1 as const,
  animations: { 'done.walk': { [hashOf('done.walk')]: entryOf(result('r1')) } },
  steps: { [hashOf('done#1')]: entryOf(result('r3')), [hashOf('hero#2')]: entryOf() },
}
const submissions = { [hashOf('done.walk')]: stored('r2'), [hashOf('hero#2')]: stored('r4'), [hashOf('hero.walk')]: stored('r5') }
const kept = Object.fromEntries(['r1', 'r2', 'r3', 'r4'].map((name) => [name, new Uint8Array()]))
const shown = ({ items, steps }: { readonly items: readonly PlanItem[]; readonly steps: readonly PlanStep[] }): unknown => ({
  items: items.map(({ id, state, result: sha256 = '-', hash = '-' }) => `${id} ${state} ${sha256} ${hash.slice(0, 6)}`),
  steps: steps.map(({ id, request, state, result: sha256 = '-', sprites, ids }) => [
    `${id} ${request.id} ${state} ${sha256}`,
    sprites,
    ids,
  ]),
})
const six = (id: string): string => hashOf(id).slice(0, 6)

describe('a survey', () => {
  test('has all requests, and of the steps those that are bought or needed, each once with all of its sprites', async () => {
    const { context, asked } = openMemoryProject({ specs, lock, submissions, kept })
    const found = await survey(context, [], { identity })
    expect(shown(found)).toEqual({
      items: [
        `coin.spin missing - ${six('coin.spin')}`,
        `done.walk bought r2 ${six('done.walk')}`,
        `hero.walk lost r5 ${six('hero.walk')}`,
        `hero.idle missing - ${six('hero.idle')}`,
        `zed.walk missing - ${six('zed.walk')}`,
      ],
      // The second step of "done" is not bought, and nothing needs it any more.
      steps: [
        ['done#1 done#1 bought r3', ['done'], ['done#1']],
        ['hero#2 hero#2 bought r4', ['hero'], ['hero#2']],
        ['hero#1 hero#1 missing -', ['hero', 'zed'], ['hero#1', 'zed#1']],
      ],
    })
    expect([found.lock, found.own, found.errors, found.wanted.length]).toEqual([lock, [], [], 5])
    expect([found.submissionOf(hashOf('hero#2')).stored?.sha256, found.submissionOf('nowhere').attempt]).toEqual(['r4', 0])
    // What is bought by the lock file needs no network.
    const peeked = ['done.walk', 'done#1'].map((id) => `peek ${hashOf(id)}`)
    expect(asked.filter((one) => one.startsWith('peek')).toSorted()).toEqual(peeked.toSorted())
    expect(asked.filter((one) => one.startsWith('read'))).toHaveLength(7)
    expect(asked.filter((one) => one.startsWith('has')).toSorted()).toEqual(['has r1', 'has r2', 'has r3', 'has r4', 'has r5'])
  })

  test('without a service has those of the lock file, and the others without a hash', async () => {
    const { context } = openMemoryProject({ specs, lock, submissions, kept })
    expect(shown(await survey(context, ['done', 'hero.walk', 'zed'], {}))).toEqual({
      items: [`done.walk bought r2 ${six('done.walk')}`, 'hero.walk missing - -', 'zed.walk missing - -'],
      steps: [
        ['done#1 done#1 bought r3', ['done'], ['done#1']],
        ['hero#1 hero#1 missing -', ['hero'], ['hero#1']],
        ['hero#2 hero#2 missing -', ['hero'], ['hero#2']],
        ['zed#1 zed#1 missing -', ['zed'], ['zed#1']],
      ],
    })
    expect(shown(await survey(context, ['done'], { host: 'b.test' }))).toMatchObject({ items: ['done.walk missing - -'] })
  })

  test('of a journal that cannot be reached has what this machine knows, with one warning, and no other fault is passed over', async () => {
    const { context } = openMemoryProject({ specs, lock, submissions, kept })
    const reading = (error: Error) => ({ ...context, journal: { ...context.journal, read: () => Promise.reject(error) } })
    const away = reading(new SpritewrightError('SW_STORE', { message: 'It is away.' }))
    expect(shown(await survey(away, ['hero.walk'], { identity }))).toMatchObject({ items: [`hero.walk lost r5 ${six('hero.walk')}`] })
    expect(context.warnings).toEqual([expect.stringMatching(/^It is away\. .*nothing can be bought/)])
    const torn = new SpritewrightError('SW_JOURNAL', { message: 'It is torn.' })
    await expect(survey(reading(torn), ['hero.walk'], { identity })).rejects.toBe(torn)
  })
})

describe('the wanted animations', () => {
  const ids = async (names: readonly string[], over: object = {}) => {
    const { context } = openMemoryProject({ specs: { ...specs, ...over } })
    const { wanted, errors } = await readWantedAnimations(context, names)
    return [wanted.map(({ spec, animation }) => `${spec.name}.${animation.name}`), errors.map(({ code }) => code), context.warnings]
  }
  const other = (words: string) => [expect.stringMatching(new RegExp(`^${words} broken`))]

  test.each<[string, readonly string[], object, unknown]>([
    ['of no name', [], { coin: '{' }, [['done.walk', 'hero.walk', 'hero.idle', 'zed.walk'], ['SW_SPEC'], []]],
    ['of a sprite', ['hero'], {}, [['hero.walk', 'hero.idle'], [], []]],
    ['of animations', ['hero.idle', 'zed.walk'], { coin: '{' }, [['hero.idle', 'zed.walk'], [], other('1 other spec is')]],
    ['beside broken specs', ['zed'], { coin: '{', hero: '{' }, [['zed.walk'], [], other('2 other specs are')]],
    ['of a broken sprite', ['hero', 'zed'], { coin: '{', hero: '{' }, [['zed.walk'], ['SW_SPEC'], other('1 other spec is')]],
    ['of a step of a broken sprite', ['hero#1'], { hero: '{' }, [[], ['SW_SPEC'], []]],
    [
      'without its picture',
      [],
      { coin: { ...specs.coin, reference: './none.png' }, hero: '{' },
      [['done.walk', 'zed.walk'], ['SW_SPEC', 'SW_REFERENCE'], []],
    ],
  ])('%s are those that can be read, with the errors of the others', async (_what, names, over, expected) => {
    expect(await ids(names, over)).toEqual(expected)
  })

  test('of a wrong name are refused, with the names that nothing has', async () => {
    await expect(ids(['hero', 'hreo', 'zed.run'])).rejects.toMatchObject({ code: 'SW_USAGE', facts: { unknown: ['hreo', 'zed.run'] } })
    // A prefix is another sprite.
    await expect(ids(['her'], { hero: '{' })).rejects.toMatchObject({ code: 'SW_USAGE', facts: { unknown: ['her'] } })
  })

  test('read a picture once, and have it under its path', async () => {
    const { context, disk } = openMemoryProject({ specs: { ...specs, gem: specs.coin } })
    const read = disk.read.bind(disk)
    const pictures: string[] = []
    disk.read = (path) => {
      if (path.endsWith('.png')) pictures.push(path)
      return read(path)
    }
    const { wanted } = await readWantedAnimations(context, ['coin', 'gem', 'zed'])
    expect(pictures).toEqual(['/game/hero.png'])
    expect(wanted.map(({ spec, picture }) => [spec.name, picture?.path])).toEqual([
      ['coin', '/game/hero.png'],
      ['gem', '/game/hero.png'],
      ['zed', undefined],
    ])
  })
})

describe('the references of what is not bought yet', () => {
  const small = encodePng(createBitmap(9, 4))
  const check = async (pictures: Readonly<Record<string, Uint8Array>>, state = 'missing') => {
    const names = Object.keys(pictures)
    const { context, disk } = openMemoryProject({
      specs: Object.fromEntries(names.map((name) => [name, { ...specs.coin, reference: `./${name}.png` }])),
    })
    for (const [name, bytes] of Object.entries(pictures)) disk.files.set(`/game/${name}.png`, bytes)
    const { wanted } = await readWantedAnimations(context)
    const items = wanted.map(({ spec }) => ({ spec, state })) as unknown as readonly PlanItem[]
    return { doubts: [...(await checkReferences(context, items, capabilities))], warnings: context.warnings }
  }

  test('are doubted by sprite, with a warning of each', async () => {
    const { doubts, warnings } = await check({ a: small, b: small })
    const words = ['a', 'b'].map((name) =>
      expect.stringMatching(new RegExp(`^The reference of ${name} has only 9 × 4 pixels.*/game/${name}\\.png`)),
    )
    expect(doubts).toEqual([
      ['a', words[0]],
      ['b', words[1]],
    ])
    expect(warnings).toEqual(words)
    expect(await check({ a: small }, 'bought')).toEqual({ doubts: [], warnings: [] })
  })
})

test('a step that is a picture of the game as well is listed once, with or without a hash', () => {
  const step = (id: string, hash?: string) =>
    ({ id, hash, request: { operation: 'text_to_image', id, prompt: id.slice(-1), take: 1 } }) as unknown as PlanStep
  const item = (one: PlanStep, isPicture?: true) => ({ ...one, animation: { isPicture } }) as unknown as PlanItem
  const [known, unknown, other] = [step('a#1', 'h'), step('b#2'), step('c#3', 'i')]
  const steps = [known, unknown, other]
  expect(listedSteps({ items: [item(step('x', 'h'), true), item(step('y2'), true), item(other)], steps })).toEqual([other])
  expect(listedSteps({ items: [item(other)], steps })).toBe(steps)
})

test('the errors of a run are thrown together, each once, and a single one as it is', () => {
  const [one, two] = [new Error('one'), new Error('two')]
  expect(() => throwAll([])).not.toThrow()
  expect(() => throwAll([one, one])).toThrow(one)
  expect(() => throwAll([one, two, one])).toThrow(expect.objectContaining({ errors: [one, two], message: 'one\ntwo' }))
})
