import { expect, test } from 'vitest'
import { describeField, filesIn } from '../../src/cli/commands/mcp/fields.ts'
import { askPrices } from '../../src/cli/commands/mcp/prices.ts'
import { toAnswer } from '../../src/cli/commands/mcp/tool.ts'
import type { CommandContext } from '../../src/cli/context.ts'
import { SpritewrightError } from '../../src/errors.ts'

/** Asks for prices a program that gives an answer, and says how it was run. */
async function priced(answer: unknown, config?: string, names: readonly string[] = []) {
  const runs: unknown[] = []
  const { signal } = new AbortController()
  const run = async (...call: unknown[]): Promise<string> => {
    runs.push(call)
    return JSON.stringify(answer)
  }
  const parts = { ownProcess: { run }, host: { workingFolder: '/work' }, signal }
  return { prices: await askPrices({ parts, root: '/game' } as unknown as CommandContext, config, names), runs, signal }
}

test('prices are asked for the project, its configuration and the names, and told with steps first', async () => {
  const quoted = (id: string, state: string, credits: string, usd?: string) => ({ id, state, quote: { credits, usd, more: 1 }, more: 2 })
  const answer = {
    items: [quoted('hero.walk', 'missing', '1.2', '0.30'), { id: 'hero.idle', state: 'bought' }],
    steps: [quoted('hero#1', 'stale', '2'), quoted('hero#2', 'missing', '3', '1')],
    ...{ total: '6.2', usd: '1.55', balance: '90', service: { host: 'api.example.com', keyMode: 'test', key: 'k' }, more: 3 },
  }
  const { prices, runs, signal } = await priced(answer, 'a/b.mjs', ['hero', 'orc'])
  expect(runs).toEqual([
    [['plan', '--json', '--root', '/game', '--config', '/work/a/b.mjs', '--', 'hero', 'orc'], '/game', expect.any(AbortSignal)],
  ])
  expect((runs[0] as unknown[])[2]).toBe(signal)
  expect(prices).toEqual({
    requests: [
      { id: 'hero#1', state: 'stale', credits: '2', usd: undefined },
      { id: 'hero#2', state: 'missing', credits: '3', usd: '1' },
      { id: 'hero.walk', state: 'missing', credits: '1.2', usd: '0.30' },
    ],
    total: { credits: '6.2', usd: '1.55', covers: 'all that is not bought of hero, orc' },
    ...{ balance: '90', service: { host: 'api.example.com', keyMode: 'test' } },
  })
})

test('each error of the program that is asked is told; only of a missing key, where a person puts it', async () => {
  const [one, other] = [
    { code: 'SW_NO_KEY', message: 'no key' },
    { code: 'SW_SPEC', message: 'no spec' },
  ]
  const failed = await priced({ error: one, errors: [one, other] }).catch((error: AggregateError) => error.errors)
  expect(failed).toMatchObject([
    { code: 'SW_NO_KEY', message: expect.stringMatching(/^no key .*\.env\.local/) },
    { code: 'SW_SPEC', message: expect.stringMatching(/^no spec$/) },
  ])
  expect(await priced({ error: other }).catch((error: AggregateError) => error.errors)).toMatchObject([other])
})

test('the data of an answer are short, safe and whole, and a picture comes first', async () => {
  const long = 'x'.repeat(999)
  const data = {
    ...{ spent: 15000n, none: undefined, nothing: null, is: false, count: 0, list: [2n, 'a\u001b', { deep: 'b\u202e', none: undefined }] },
    ...{
      prompt: `${long}xy`,
      message: `${long}x`,
      text: `${long}😀`,
      whatToDo: `${long}xy`,
      other: `${'x'.repeat(400)}y`,
      why: 'x'.repeat(400),
    },
  }
  const answer = await toAnswer(async () => ({ data, picture: Uint8Array.of(1, 2, 3) }))
  const safe = {
    ...{ spent: '1.5', nothing: null, is: false, count: 0, list: ['0.0002', 'a\\x1b', { deep: 'b\\u202e' }] },
    ...{
      prompt: `${long}x…`,
      message: `${long}x`,
      text: `${long}…`,
      whatToDo: `${long}x…`,
      other: `${'x'.repeat(400)}…`,
      why: 'x'.repeat(400),
    },
  }
  expect(answer.structuredContent).toStrictEqual(safe)
  expect(answer).toEqual({
    structuredContent: safe,
    content: [
      { type: 'image', data: 'AQID', mimeType: 'image/webp' },
      { type: 'text', text: JSON.stringify(safe) },
    ],
  })
  expect(await toAnswer(async () => ({ data: { a: 1 } }))).toEqual({
    structuredContent: { a: 1 },
    content: [{ type: 'text', text: '{"a":1}' }],
  })
})

test('twenty errors are told at most, with the tools of an agent where one names a command', async () => {
  const errors = Array.from({ length: 22 }, (_, at) => new SpritewrightError('SW_SPEC', { message: `error ${at}` }))
  const answer = await toAnswer(() => Promise.reject(new AggregateError(errors)))
  const textOf = (found: typeof answer): string => (found.content[0] as { readonly text: string }).text
  expect(answer).toEqual({ isError: true, content: [{ type: 'text', text: expect.any(String) }] })
  const told = Array.from({ length: 20 }, (_, at) => ({ code: 'SW_SPEC', message: expect.stringContaining(`error ${at}`) }))
  expect(JSON.parse(textOf(answer))).toEqual({ errors: told })
  const command = new SpritewrightError('SW_MISSING', { message: 'Run npx spritewright approve.' })
  const named = await toAnswer(() => Promise.reject(new AggregateError([errors[0], command])))
  expect(JSON.parse(textOf(named))).toMatchObject({ errors: [{}, {}], next: expect.stringContaining('request_approval') })
})

const schema = {
  description: 'root',
  properties: {
    fps: { type: 'number', description: 'FREE. fps' },
    size: { description: 'FREE. size', properties: { width: { type: 'number' } }, additionalProperties: false },
    animations: { additionalProperties: { properties: { use: { description: 'FREE. use' } }, additionalProperties: false } },
    options: { type: 'object', description: 'PAID. options', additionalProperties: { type: 'string', description: 'PAID. one' } },
    any: { description: 'FREE. any' },
  },
  additionalProperties: false,
}

test.each([
  ['fps', 'FREE. fps'],
  ['fps.more', undefined],
  ['size', 'FREE. size'],
  ['size.width', 'FREE. size'],
  ['size.depth', undefined],
  ['animations', undefined],
  ['animations.walk', undefined],
  ['animations.walk.use', 'FREE. use'],
  ['animations.walk.speed', undefined],
  ['options.a', 'PAID. one'],
  ['any.part', 'FREE. any'],
  ['toString', undefined],
  ['colour', undefined],
])('the field %s of a schema has the description %s', (path, description) => {
  expect(describeField(schema, path.split('.'))).toBe(description)
})

test('the files in a value are its references, images and sources, however deep', () => {
  const steps = [{ image: 'b.png', edit: 'c.png' }, { source: 'd' }, 'e.png', null, 7]
  expect(filesIn(['reference'], 'a.png')).toEqual(['a.png'])
  expect([filesIn(['prompt'], 'a.png'), filesIn([], null), filesIn(['reference'], 7)]).toEqual([[], [], []])
  expect(filesIn(['pictures', 'badge'], { steps, reference: 'f.png' })).toEqual(['b.png', 'd', 'f.png'])
})
