import { expect, test } from 'vitest'
import { figurePng } from '../kit/project.ts'
import { answering, asking, lost, specOf, team } from '../sim/two-machines.ts'
import { watch } from './acts.ts'

const two = JSON.stringify({ ...JSON.parse(specOf('a knight', 'hero')), animations: { walk: { frames: 7 }, run: { frames: 7 } } })

test('an answer with a picture is for the request of the name that asks, uploads, records and sends, and ends what asks for it', async () => {
  const made = await team({
    ask: ({ answers, prompt }) =>
      prompt.endsWith('run') && answers.length === 0 ? { text: 'Which hand?', requiresAsset: true } : undefined,
  })
  const { first, run, wait } = made
  first.write('sprites/hero.sprite.json', two)
  await first.approve()
  await first.dieBuilding(() => Object.keys(first.lock().animations).every((id) => first.entry(id).execution !== undefined))
  await wait(60_000)
  const { init, all } = watch(made)
  const workshop = await first.open(init)
  for (const names of [['hero.run'], ['hero.walk'], ['hero']]) await workshop.requests.add({ verb: 'answer', why: 'x', from: 'mcp', names })
  await workshop.requests.add({ verb: 'recover', why: 'x', from: 'mcp', names: ['hero.run'] })
  await expect(run(workshop.answer({ name: 'hero', text: 'left' }))).rejects.toMatchObject({
    code: 'SW_USAGE',
    message: 'The question of "hero.run" wants a picture: Which hand? Give one with --asset FILE.',
    facts: { id: 'hero.run', question: 'Which hand?' },
  })
  const answered = await run(workshop.answer({ name: 'hero', text: 'left', asset: { path: 'hand.png', bytes: figurePng(3) } }))
  const left = (await workshop.requests.list()).map(({ verb, names }) => `${verb} ${names}`)
  expect([answered, left.sort()]).toEqual([
    { id: 'hero.run', executionId: first.entry('hero.run').execution?.id },
    ['answer hero.walk', 'recover hero.run'],
  ])
  const asked = ['GET executions/ID', 'GET executions/ID']
  const sent = ['record answerFrozen', 'record answerSent', 'POST conversations/ID/answers', 'record answerAccepted', 'lock']
  expect(all()).toEqual([...asked, ...asked, 'POST reference-assets', ...sent])
  const [frozen] = first.records().filter(({ type }) => type === 'answerFrozen')
  expect(frozen?.body).toMatchObject({ text: 'left', assetId: expect.stringMatching(/^[0-9a-f-]{36}$/) })
})

test('a sprite execution is not cancelled, a picture of the name is: recorded as such, with its hold restored', async () => {
  const limits = { activeJobs: 3, post: 100 }
  const made = await team({ limits })
  const { first, run } = made
  first.write(
    'sprites/rogue.sprite.json',
    JSON.stringify({ reference: './hero.png', pictures: { face: [{ edit: 'its face' }], hand: [{ edit: 'its hand' }] } }),
  )
  await first.approve()
  await first.dieBuilding(() => first.records().filter(({ type }) => type === 'accepted').length === 3, { options: { limits } })
  const { init, all } = watch(made)
  const workshop = await first.open(init)
  const sheet = { id: 'hero.walk', executionId: first.entry('hero.walk').execution?.id }
  await expect(run(workshop.cancel('hero'))).rejects.toMatchObject({ code: 'SW_CAPABILITY', facts: sheet })
  const pictures = ['rogue.face', 'rogue.hand']
  const ids = (await run(workshop.status(['rogue']))).items.map(({ executionId }) => executionId)
  expect(await run(workshop.cancel('rogue'))).toEqual(pictures.map((id) => ({ id, status: 'cancelled' })))
  const failed = first.records().filter(({ type }) => type === 'failed')
  const bodies = ids.map((executionId) => ({ attempt: 1, executionId, status: 'cancelled', error: null }))
  expect(new Set(failed.map(({ body }) => body))).toEqual(new Set(bodies))
  const { lines } = await run(workshop.ledger())
  expect(lines.map(({ id, state }) => `${id} ${state}`).sort()).toEqual(['hero.walk held', 'rogue.face restored', 'rogue.hand restored'])
  const one = ['POST executions/ID/cancel', 'record failed']
  expect(all()).toEqual([...one, ...one])
})

test('a conversation is deleted at the service after a yes alone, and the result stays', async () => {
  const made = await team()
  const { first, run } = made
  await first.approve()
  await first.build()
  const { init, all } = watch(made)
  const workshop = await first.open(init)
  const seen: unknown[] = []
  const confirm = async (ids: readonly string[]): Promise<boolean> => seen.push(ids) > 1
  expect([await run(workshop.forget('hero', confirm)), all()]).toEqual([[], []])
  expect([await run(workshop.forget('hero', confirm)), all(), seen]).toEqual([
    ['hero.walk'],
    ['DELETE conversations/ID'],
    [['hero.walk'], ['hero.walk']],
  ])
  expect([await first.states(), first.results().length]).toEqual([['bought'], 1])
})

test('an answer that the service does not confirm is an error that says how it is sent again', async () => {
  const silence = Array.from({ length: 20 }, () => lost)
  const { first, run } = await team({ ...asking, ...answering(silence, ({ path }) => path.endsWith('/answers')) })
  await first.approve()
  await expect(first.build()).rejects.toMatchObject({ code: 'SW_QUESTION' })
  await expect(run((await first.open()).answer({ name: 'hero', text: 'left' }))).rejects.toMatchObject({
    code: 'SW_UNREACHABLE',
    message:
      'The service did not confirm the answer to "hero.walk". Run npx spritewright build: it sends the same answer again under the same key, so it counts once.',
    facts: { id: 'hero.walk' },
  })
})
