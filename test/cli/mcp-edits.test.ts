import { expect, test } from 'vitest'
import type { Tool, ToolContext } from '../../src/cli/commands/mcp/tool.ts'
import { editFree, requestApproval, writeSpec } from '../../src/cli/commands/mcp/write.ts'
import { memoryDisk, planItem } from './world.ts'

const animation = {
  properties: { frames: { description: 'PAID. frames' }, fps: { description: 'FREE. fps' } },
  additionalProperties: false,
}
const schema = {
  properties: {
    ...{ prompt: { description: 'PAID. prompt' }, reference: { description: 'PAID. reference' }, size: { description: 'FREE. size' } },
    animations: { description: 'PAID. animations', additionalProperties: animation },
  },
  additionalProperties: false,
}
const lines = (from: number, to: number): string => Array.from({ length: to - from }, (_, at) => `line ${from + at}\n`).join('')
/** One byte more than a picture may have. */
const big = new Uint8Array(20_000_001)
const hero = '/game/art/hero.sprite.json'

/** A workshop with one paid sprite and one own sprite. Editing writes a text, and everything that was asked of it is kept. */
function studio(after: string, before = lines(0, 4)) {
  const disk = memoryDisk(
    new Map(
      Object.entries({
        [hero]: before,
        '/game/own/coin.sprite.json': '{}',
        '/game/new.PNG': 'pixels',
        '/game/empty.png': '',
        '/game/big.webp': '',
      }).map(([path, text]) => [path, path.endsWith('big.webp') ? big : new TextEncoder().encode(text)]),
    ),
  )
  const asked: object[] = []
  const specOf = (name: string, file: string, names: readonly string[]) => ({
    spec: { name, file, animations: names.map((one) => ({ name: one })) },
  })
  const workshop = {
    overview: async () => ({
      items: [specOf('hero', hero, ['walk'])],
      own: [specOf('coin', '/game/own/coin.sprite.json', ['spin'])],
      digests: new Map([[hero, 'digest of hero']]),
    }),
    editSpec: async ({ edit, ...rest }: { edit(): unknown; sprite: string }) => {
      asked.push({ ...rest, edits: edit() })
      const file = rest.sprite === 'hero' ? hero : '/game/own/coin.sprite.json'
      await disk.remove(file)
      await disk.writeTemp(file, new TextEncoder().encode(after))
      return { file }
    },
    createSprite: async (made: object) => {
      asked.push(made)
      await disk.writeTemp('/game/art/slime.sprite.json', new TextEncoder().encode(after))
      return { file: '/game/art/slime.sprite.json', picture: '/game/art/slime.png' }
    },
    status: async (names: readonly string[]) => {
      asked.push({ status: names })
      return { items: [{ id: 'hero.walk', superseded: ['old'] }, { id: 'hero.idle' }] }
    },
  }
  const context = {
    ...{
      root: '/game',
      parts: { host: { disk }, specSchema: async () => schema },
      withWorkshop: (work: (one: unknown) => unknown) => work(workshop),
    },
    prices: async (names: readonly string[]) => {
      asked.push({ prices: names })
      const requests = ['hero.walk', 'hero.idle', 'hero#1'].map((id) => ({ id, state: 'missing', credits: '1' }))
      return { requests, total: { credits: '3', covers: 'all' }, balance: '9' }
    },
  }
  const run = async (tool: Tool, input: object) => (await tool.run(tool.input.parse(input), context as unknown as ToolContext)).data
  return { asked, run }
}

const set = [
  { field: 'animations.walk.frames', value: 8 },
  { field: 'animations.walk.fps', value: 9 },
]
const edits = [
  { path: ['animations', 'walk', 'frames'], value: 8 },
  { path: ['animations', 'walk', 'fps'], value: 9 },
]

test('an edit is made at the text that was read, and the changed lines, the paid fields and the prices are told', async () => {
  const { asked, run } = studio('line 0\nline one\nadded\nline 2\nline 3\n')
  const data = await run(writeSpec, { sprite: 'hero', prompt: 'a knight', picture: 'new.PNG', set })
  expect(asked).toEqual([
    {
      ...{ sprite: 'hero', digest: 'digest of hero', picture: new TextEncoder().encode('pixels') },
      edits: [{ path: ['prompt'], value: 'a knight' }, ...edits],
    },
    { prices: ['hero'] },
    { status: ['hero'] },
  ])
  expect(data).toEqual({
    ...{ file: 'art/hero.sprite.json', difference: ['- line 1', '+ line one', '+ added'], note: undefined },
    paid: ['reference', 'prompt', 'animations.walk.frames'],
    requests: [
      { id: 'hero.walk', state: 'missing', credits: '1', purchase: 'again' },
      { id: 'hero.idle', state: 'missing', credits: '1', purchase: 'first' },
      { id: 'hero#1', state: 'missing', credits: '1', purchase: undefined },
    ],
    total: { credits: '3', covers: 'all' },
    balance: '9',
  })
})

test('a path in a field is of the folder of its spec, not of the project', async () => {
  const { asked, run } = studio('{"reference":"./b.png"}', '{}')
  const field = (value: string) => ({ sprite: 'hero', set: [{ field: 'reference', value }] })
  await expect(run(writeSpec, field('./new.PNG'))).rejects.toThrow('Expected a file at "./new.PNG", found none. Nothing was written.')
  expect(asked).toEqual([])
  await run(writeSpec, field('../new.PNG'))
  expect(asked[0]).toMatchObject({ edits: [{ path: ['reference'], value: '../new.PNG' }] })
})

test('free fields of own art are edited and reset without a price', async () => {
  const { asked, run } = studio('{"size":1}')
  const free = [
    { field: 'animations.spin.fps', value: null },
    { field: 'size', value: 1 },
  ]
  expect(await run(editFree, { sprite: 'coin', set: free })).toEqual({
    ...{ file: 'own/coin.sprite.json', difference: ['- {}', '+ {"size":1}'], note: undefined },
  })
  const reset = { path: ['animations', 'spin', 'fps'], value: undefined }
  expect(asked).toStrictEqual([{ sprite: 'coin', digest: '', edits: [reset, { path: ['size'], value: 1 }] }])
})

test.each<[string, string, string, readonly string[]]>([
  ['nothing', lines(0, 4), lines(0, 4), []],
  ['a line at the beginning', lines(1, 4), lines(0, 4), ['+ line 0']],
  ['a line at the end', lines(0, 3), lines(0, 4), ['+ line 3']],
  ['a line less', lines(0, 4), lines(0, 3), ['- line 3']],
  ['one of two equal lines', 'a\na\n', 'a\n', ['- a']],
  ['a line end', 'a\n', 'a', []],
  [
    'all',
    '',
    lines(0, 81),
    lines(0, 80)
      .trim()
      .split('\n')
      .map((line) => `+ ${line}`),
  ],
])('the difference of a spec is told: %s', async (_what, before, after, difference) => {
  const { run } = studio(after, before)
  const note = difference.length === 0 ? 'Already so; nothing was written.' : undefined
  expect(await run(editFree, { sprite: 'hero', set: set.slice(1) })).toEqual({ file: 'art/hero.sprite.json', difference, note })
})

test('a new sprite is made of its prompt, its picture and its fields, and what it got by default is told', async () => {
  const { asked, run } = studio('{"reference":1,"prompt":2,"animations":3,"anchor":4,"size":5,"padding":6}\n')
  const data = await run(writeSpec, { sprite: 'slime', prompt: 'a slime', picture: 'new.PNG', set })
  const made = {
    name: 'slime',
    prompt: 'a slime',
    picture: new TextEncoder().encode('pixels'),
    edits: [{ path: ['prompt'], value: 'a slime' }, ...edits],
  }
  expect(asked[0]).toEqual(made)
  expect(data).toMatchObject({
    ...{ file: 'art/slime.sprite.json', copied: 'art/slime.png', added: ['anchor', 'size', 'padding'] },
    paid: ['reference', 'prompt', 'animations.walk.frames', 'animations.walk.fps'],
    difference: ['+ {"reference":1,"prompt":2,"animations":3,"anchor":4,"size":5,"padding":6}'],
  })
})

const long = 'x'.repeat(19_999)

test.each<[Tool, object, string | undefined]>([
  [writeSpec, { sprite: 'hero', set: [{ field: 'size', value: long.slice(1) }] }, undefined],
  [writeSpec, { sprite: 'hero', set: [{ field: 'size', value: long }] }, 'Expected a short value of size, found a long one.'],
  [
    writeSpec,
    {
      sprite: 'hero',
      prompt: 'x',
      set: [
        { field: 'size', value: null },
        { field: 'reference', value: null },
      ],
    },
    'Expected a value of size, found none. This tool removes nothing; a person may.',
  ],
  [
    writeSpec,
    { sprite: 'hero', set: [{ field: 'reference', value: 'gone.png' }] },
    'Expected a file at "gone.png", found none. Nothing was written.',
  ],
  [
    writeSpec,
    { sprite: 'hero', set: [{ field: 'reference', value: '.git/a.png' }] },
    'Expected a path inside the project, not behind a link or in a hidden folder, found ".git/a.png". Nothing was written.',
  ],
  [
    writeSpec,
    { sprite: 'hero', picture: 'notes.txt' },
    'Expected a PNG, JPEG or WebP file inside the project, not behind a link or in a hidden folder, found "notes.txt". Nothing was written.',
  ],
  [
    writeSpec,
    { sprite: 'hero', picture: 'node_modules/a.png' },
    'Expected a PNG, JPEG or WebP file inside the project, not behind a link or in a hidden folder, found "node_modules/a.png". Nothing was written.',
  ],
  [
    writeSpec,
    { sprite: 'hero', set: [{ field: 'animations.walk', value: {} }] },
    'Expected the fields of animations.walk one by one, found the whole of it. Nothing was written.',
  ],
  [
    writeSpec,
    { sprite: 'hero', set: [{ field: 'animations', value: {} }] },
    'Expected a field of a spec such as animations.walk.fps, found animations. Nothing was written.',
  ],
  [
    editFree,
    { sprite: 'hero', set: [{ field: 'approval.perSprite', value: 9 }] },
    'Expected a field of a spec such as animations.walk.fps, found approval.perSprite. Nothing was written. A person decides about approvals and ceilings: request_approval asks.',
  ],
  ...['empty.png', 'big.webp', 'gone.png'].map((picture): [Tool, object, string] => [
    writeSpec,
    { sprite: 'hero', picture },
    `Expected a picture of at most 20 MB at "${picture}", found none. Nothing was written.`,
  ]),
  ...[{ prompt: 'x' }, { picture: 'new.PNG' }, { picture: 'new.PNG', set: [{ field: 'prompt', value: 7 }] }].map(
    (more): [Tool, object, string] => [
      writeSpec,
      { sprite: 'slime', ...more },
      'Expected a sprite whose spec is in order, or prompt and picture of a new one, found "slime". Nothing was written.',
    ],
  ),
  [
    writeSpec,
    { sprite: 'slime', prompt: 'x', picture: 'new.PNG', set: [{ field: 'reference', value: './new.PNG' }] },
    'Expected a new sprite to begin with its picture alone, found further pictures. Nothing was written. Add them with another write_spec.',
  ],
  [
    editFree,
    { sprite: 'hero', set: [...set, { field: 'prompt', value: 'x' }] },
    'Expected FREE fields, found animations.walk.frames, prompt. Nothing was written. write_spec edits PAID fields.',
  ],
  [
    editFree,
    { sprite: 'hero', set: [{ field: 'animations.run.fps', value: 1 }] },
    'Expected FREE fields, found animations.run.fps. Nothing was written. write_spec edits PAID fields.',
  ],
])('a value that is too long, missing or of no use is refused, and nothing is written: row %#', async (tool, input, message) => {
  const { asked, run } = studio('')
  const outcome = await run(tool, input).then(
    () => undefined,
    ({ code, message: words }: { code: string; message: string }) => ({ code, message: words }),
  )
  expect(outcome).toEqual(message === undefined ? undefined : { code: 'SW_USAGE', message })
  expect(asked.length).toBe(message === undefined ? 3 : 0)
})

test('a request for what is bought is refused, and nobody is asked for prices', async () => {
  const status = async () => ({ steps: [], items: [planItem('hero.walk', { state: 'bought' })], own: [], warnings: [] })
  const context = { withWorkshop: (work: (one: unknown) => unknown) => work({ status }) } as unknown as ToolContext
  const message = 'Expected something that is not bought, found nothing. There is nothing to approve.'
  await expect(requestApproval.run({ names: [], why: 'x' }, context)).rejects.toMatchObject({ code: 'SW_USAGE', message })
})

test.each<[readonly string[], readonly { verb: string; names: readonly string[] }[], boolean]>([
  [['hero'], [], false],
  [['hero'], [{ verb: 'approve', names: [] }], true],
  [['hero', 'my orc'], [{ verb: 'approve', names: ['my orc', 'hero', 'elf'] }], true],
  [['hero', 'my orc'], [{ verb: 'approve', names: ['hero'] }], false],
  [['hero'], [{ verb: 'answer', names: ['hero'] }], false],
  [[], [{ verb: 'approve', names: ['hero'] }], false],
  [[], [{ verb: 'approve', names: [] }], true],
])('a request of %j beside %j is added with its price, and known as a second one: %s', async (names, open, isKnown) => {
  const calls: unknown[] = []
  const workshop = {
    status: async (of: unknown) => {
      calls.push(['status', of])
      return { steps: [], items: [planItem('hero.walk'), planItem('hero.idle', { state: 'bought' })], own: [], warnings: [] }
    },
    requests: {
      list: async () => open,
      add: async (one: unknown) => {
        calls.push(['add', one])
        return { id: 'request-1' }
      },
    },
  }
  const prices = async (of: unknown) => {
    calls.push(['prices', of])
    return { total: { credits: '2.4', usd: '0.60', covers: 'all' } }
  }
  const context = { withWorkshop: (work: (one: unknown) => unknown) => work(workshop), prices } as unknown as ToolContext
  const { data } = await requestApproval.run({ names, why: 'for the demo' }, context)
  const request = { verb: 'approve', from: 'mcp', names, credits: '2.4', why: 'for the demo' }
  expect(calls).toEqual([
    ['status', names],
    ['prices', names],
    ['add', request],
  ])
  const words = names.map((name) => (name.includes(' ') ? JSON.stringify(name) : name))
  expect(data).toEqual({
    ...{ id: 'request-1', names: names.length === 0 ? ['all that is not bought'] : names, credits: '2.4', usd: '0.60' },
    decide: expect.stringContaining(`with ${['npx spritewright approve', ...words].join(' ')} in a terminal`),
    note: isKnown ? expect.stringContaining('already') : undefined,
  })
})
