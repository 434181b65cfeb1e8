import { describe, expect, test } from 'vitest'
import { figurePng } from '../kit/project.ts'
import { asking, failing, type Machine, sheetOf, specOf, type Team, team } from '../sim/two-machines.ts'

/** A team whose first machine has two sprites, each with an execution that asks. */
async function twoQuestions(): Promise<Team> {
  const made = await team(asking)
  made.first.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  await made.first.approve()
  await expect(made.first.build()).rejects.toMatchObject({ errors: [{ code: 'SW_QUESTION' }, { code: 'SW_QUESTION' }] })
  return made
}

/** The request hash of an animation, and the id of its question. */
async function shownOf({ run, first }: Team, id: string): Promise<{ hash: string; questionId: string }> {
  const item = (await run((await first.open()).status())).items.find((one) => one.id === id)
  return { hash: item?.hash ?? '', questionId: item?.question?.questionId ?? '' }
}

const answersOf = ({ world }: Team): number => world.service.requests().filter(({ path }) => path.endsWith('/answers')).length

describe('a question that was shown', () => {
  test('is the only one that is answered', async () => {
    const made = await twoQuestions()
    const shown = await shownOf(made, 'rogue.walk')
    const workshop = await made.first.open()
    expect(await made.run(workshop.answer({ name: 'rogue.walk', text: 'left', shown }))).toMatchObject({ id: 'rogue.walk' })
    expect(await made.first.states()).toEqual(['question', 'running'])
  })

  test('and is another one by now, or asked of a request that is not there, is not answered', async () => {
    const made = await twoQuestions()
    const shown = await shownOf(made, 'rogue.walk')
    for (const other of [
      { ...shown, questionId: 'another' },
      { ...shown, hash: 'f'.repeat(64) },
    ]) {
      const answer = (await made.first.open()).answer({ name: 'rogue.walk', text: 'left', shown: other })
      await expect(made.run(answer)).rejects.toMatchObject({ code: 'SW_CHANGED' })
    }
    const wide = figurePng(1)
    new DataView(wide.buffer, wide.byteOffset).setUint32(16, 99_999)
    for (const bytes of [new TextEncoder().encode('GIF89a'), wide]) {
      const answer = (await made.first.open()).answer({ name: 'rogue.walk', text: 'left', shown, asset: { path: 'hand.gif', bytes } })
      await expect(made.run(answer)).rejects.toMatchObject({ code: 'SW_REFERENCE', message: expect.stringContaining('hand.gif') })
    }
    expect(answersOf(made)).toBe(0)
  })

  test('and a name that asks nothing or has no running picture: the error names it', async () => {
    const { first, run } = await team()
    await first.approve()
    await first.build()
    const workshop = await first.open()
    await expect(run(workshop.answer({ name: 'hero', text: 'left' }))).rejects.toMatchObject({ code: 'SW_USAGE', facts: { name: 'hero' } })
    await expect(run(workshop.cancel('hero'))).rejects.toMatchObject({ code: 'SW_USAGE', facts: { name: 'hero' } })
  })
})

describe('forgetting at the service', () => {
  const forget = async ({ run, first }: Team, name: string, confirm = async () => true): Promise<readonly string[]> =>
    run((await first.open()).forget(name, confirm))
  const deleted = ({ world }: Team): number => world.service.requests().filter(({ method }) => method === 'DELETE').length

  test('asks once, with all ids, and deletes each conversation', async () => {
    const made = await team()
    made.first.write('sprites/hero.sprite.json', JSON.stringify({ ...JSON.parse(specOf('a knight', 'hero')), animations: two }))
    await made.first.approve()
    await made.first.build()
    const asked: (readonly string[])[] = []
    const confirm = async (ids?: readonly string[]): Promise<boolean> => asked.push(ids ?? []) > 0
    expect(await forget(made, 'hero', confirm)).toEqual(['hero.walk', 'hero.run'])
    expect(asked).toEqual([['hero.walk', 'hero.run']])
    expect(deleted(made)).toBe(2)
  })

  test('is refused while one result of the name is not here, and names it', async () => {
    const made = await twoQuestions()
    let isAsked = false
    const confirm = async (): Promise<boolean> => {
      isAsked = true
      return true
    }
    await expect(forget(made, 'rogue', confirm)).rejects.toMatchObject({ code: 'SW_VAULT', facts: { ids: ['rogue.walk'] } })
    expect([isAsked, deleted(made)]).toEqual([false, 0])
  })

  test('works where only the lock file knows the execution, and finds the conversation by it', async () => {
    const made = await team()
    await made.first.approve()
    await made.first.build()
    const second = made.clone(made.first, 'results')
    expect(await forget({ ...made, first: second }, 'hero')).toEqual(['hero.walk'])
    expect(deleted(made)).toBe(1)
    expect(await second.states()).toEqual(['bought'])
  })

  test('names what has no execution', async () => {
    const made = await team()
    await expect(forget(made, 'hero')).rejects.toMatchObject({ code: 'SW_USAGE', facts: { name: 'hero' } })
  })

  test('a failed execution keeps nobody from it', async () => {
    const made = await team(failing('for good'))
    await made.first.approve()
    await expect(made.first.build()).rejects.toMatchObject({ code: 'SW_FAILED' })
    expect(await forget(made, 'hero')).toEqual(['hero.walk'])
  })
})

const two = { walk: { frames: 7 }, run: { frames: 7 } }

describe('a picture that is being made', () => {
  const chained = (name: string): string =>
    JSON.stringify({ reference: { steps: [{ text: `a ${name}` }] }, prompt: name, animations: { walk: { frames: 7 } } })
  /** Two sprites, whose pictures are being made. */
  async function drawing(): Promise<Team> {
    const made = await team()
    for (const name of ['hero', 'rogue']) made.first.write(`sprites/${name}.sprite.json`, chained(name))
    await made.first.approve()
    await made.first.dieBuilding(() => accepted(made.first) === 2)
    return made
  }
  const accepted = (machine: Machine): number => machine.records().filter(({ type }) => type === 'accepted').length

  test('and was shown, is the only one that is cancelled', async () => {
    const { first, run, world } = await drawing()
    const workshop = await first.open()
    const shown = (await run(workshop.status())).steps.find(({ id }) => id === 'rogue#1')?.hash
    expect(await run(workshop.cancel('rogue', undefined, shown))).toEqual([{ id: 'rogue#1', status: 'cancelled' }])
    expect(world.service.charges()).toEqual([])
    await expect(run(workshop.cancel('rogue', undefined, shown))).rejects.toMatchObject({ code: 'SW_CHANGED' })
    expect(await run(workshop.cancel('hero'))).toEqual([{ id: 'hero#1', status: 'cancelled' }])
  })

  test('and is finished meanwhile, is not cancelled, and the build takes it', async () => {
    const { first, run, wait } = await drawing()
    await wait(60_000)
    const [one] = await run((await first.open()).cancel('hero'))
    expect(one).toEqual({ id: 'hero#1', status: 'completed' })
    await first.build()
    expect(first.results()).toContain(sheetOf('hero walk'))
  })
})
