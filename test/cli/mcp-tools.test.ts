import { expect, test } from 'vitest'
import { explain, show } from '../../src/cli/commands/mcp/show.ts'
import { price, sprites } from '../../src/cli/commands/mcp/sprites.ts'
import type { Tool, ToolContext } from '../../src/cli/commands/mcp/tool.ts'
import { editFree, requestApproval, writeSpec } from '../../src/cli/commands/mcp/write.ts'
import { startMcp } from './mcp-session.ts'
import { memoryDisk } from './world.ts'

interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Schema
  readonly default?: unknown
  readonly [limit: string]: unknown
}

/** A schema in a line: `?` marks a member that may be missing, `only` an object that takes no other. */
function inWords(schema: Schema): string {
  const { type = 'any', properties, required = [], additionalProperties, items, default: preset, propertyNames: _names, ...rest } = schema
  const { $schema: _dialect, ...limits } = rest
  const members = Object.entries(properties ?? {}).map(([key, one]) => `${key}${required.includes(key) ? '' : '?'}: ${inWords(one)}`)
  const only = additionalProperties === false && 'properties' in schema ? 'only ' : ''
  const whole = properties ? `${only}{ ${members.join(', ')} }` : items ? `[${inWords(items)}]` : type
  const parts = [
    ...Object.entries(limits).map(([key, one]) => `${key} ${one}`),
    ...(preset === undefined ? [] : [`default ${JSON.stringify(preset)}`]),
  ]
  return whole + (parts.length > 0 ? ` (${parts.join(', ')})` : '')
}

test('a client sees each tool with its text, its input, its output and its hints, and each resource with its type', async () => {
  const { client } = await startMcp()
  const { tools } = await client.listTools()
  const told = tools.map(({ name, description, inputSchema, outputSchema, annotations }) => [
    name,
    description,
    inWords(inputSchema as Schema),
    inWords(outputSchema as Schema),
    Object.entries(annotations ?? {})
      .flatMap(([hint, is]) => (is ? [hint] : []))
      .join(),
  ])
  expect(told).toMatchInlineSnapshot(`
    [
      [
        "sprites",
        "Every sprite: state, file, prompt, ceiling, price if not bought, faults of bought frames; credits spent, ceilings, open requests to a person with their age in hours. With names: also their FREE values, defaults included. Start here.",
        "only { names?: [string (maxLength 200)] (maxItems 200, default []) }",
        "only { sprites: [only { id: string, state: string, why?: string, file?: string, prompt?: string, frames?: number, ceiling?: string, credits?: string, usd?: string, faults: [string], free?: object }], left: number, spent: only { settled: string, held: string, uncertain: string }, ceilings: only { perSprite?: string, perRun?: string, total?: string }, requests: [only { verb: string, names: [string], why: string, hours: number }], priceError?: only { code: string, message: string }, warnings: [string] }",
        "readOnlyHint",
      ],
      [
        "price",
        "Today's price of each request that is not bought, in credits and USD, their total and the balance; purchase: first, or again after a PAID change. Estimates, not binding. Spends nothing.",
        "only { names?: [string (maxLength 200)] (maxItems 200, default []) }",
        "only { requests: [only { id: string, state: string, credits: string, usd?: string, purchase?: string }], total: only { credits: string, usd?: string, covers: string }, balance?: string, service?: only { host: string, keyMode: string } }",
        "readOnlyHint",
      ],
      [
        "show",
        "A contact sheet of the bought frames of a sprite or animation, at most 1,024 px, faulty frames with a red border. takes: two takes of one animation, one below the other.",
        "only { name: string (maxLength 200), takes?: [integer (minimum 1, maximum 9999)] (minItems 1, maxItems 2) }",
        "only { animations: [only { id: string, faults: [string] }], missing: [string] }",
        "readOnlyHint",
      ],
      [
        "explain",
        "Explains an error code (SW_CEILING), a field of a spec (animations.walk.use: PAID or FREE) or an option (atlas.maxSize).",
        "only { about: string (minLength 1, maxLength 200) }",
        "only { about: string, text?: string, exit?: number, title?: string, whatToDo?: string, next?: string }",
        "readOnlyHint",
      ],
      [
        "write_spec",
        "Makes a spec (needs prompt, and picture: a PNG, JPEG or WebP of the project, by its path from the root) or edits one. set: fields such as animations.walk.frames. Keeps comments, removes nothing. Answers the changed lines, the PAID fields among them, what is to buy now; of a new spec, where the picture was copied to and the fields added by default. Buys nothing.",
        "only { sprite: string (maxLength 200), prompt?: string (maxLength 4000), picture?: string (maxLength 400), set?: [only { field: string (maxLength 200, pattern ^[A-Za-z0-9][\\w-]*(?:\\.[A-Za-z0-9][\\w-]*)*$), value: any }] (maxItems 50, default []) }",
        "only { requests?: [only { id: string, state: string, credits: string, usd?: string, purchase?: string }], total?: only { credits: string, usd?: string, covers: string }, balance?: string, service?: only { host: string, keyMode: string }, file: string, difference: [string], note?: string, copied?: string, added?: [string], paid: [string], priceError?: only { code: string, message: string } }",
        "",
      ],
      [
        "edit_free",
        "Edits FREE fields of a spec: animations.walk.fps, .use, .loop, .yoyo, .durations, .meant; size, anchor, borders, boxes, stabilize, pixelArt, trim … null resets a field. Refuses PAID fields. The running game shows it at once.",
        "only { sprite: string (maxLength 200), set?: [only { field: string (maxLength 200, pattern ^[A-Za-z0-9][\\w-]*(?:\\.[A-Za-z0-9][\\w-]*)*$), value: any }] (maxItems 50, default []) }",
        "only { file: string, difference: [string], note?: string, copied?: string, added?: [string] }",
        "",
      ],
      [
        "request_approval",
        "Asks a person to approve a purchase: which names (none: all that is not bought) and why. Returns at once. A person decides elsewhere, within a day. At most five requests are open. Ask once, then go on with other work.",
        "only { names?: [string (maxLength 200)] (maxItems 200, default []), why: string (minLength 1, maxLength 500) }",
        "only { id: string, names: [string], credits?: string, usd?: string, decide: string, note?: string }",
        "",
      ],
    ]
  `)
  const { resources } = await client.listResources()
  expect(resources.slice(2, 4)).toMatchInlineSnapshot(`
    [
      {
        "mimeType": "application/schema+json",
        "name": "schemas/sprite.schema.json",
        "uri": "spritewright:///schemas/sprite.schema.json",
      },
      {
        "mimeType": "text/markdown",
        "name": "skills/spritewright-free-edits/SKILL.md",
        "uri": "spritewright:///skills/spritewright-free-edits/SKILL.md",
      },
    ]
  `)
})

test.each<[Tool, object, object]>([
  [sprites, { names: ['x'.repeat(200)] }, { names: ['x'.repeat(201)] }],
  [price, { names: Array.from({ length: 200 }, () => 'x') }, { names: Array.from({ length: 201 }, () => 'x') }],
  [show, { name: 'x'.repeat(200), takes: [1, 9999] }, { name: 'x', takes: [0] }],
  [show, { name: 'x', takes: [1] }, { name: 'x', takes: [10_000] }],
  [show, { name: 'x' }, { name: 'x', takes: [] }],
  [show, { name: 'x' }, { name: 'x', takes: [1, 2, 3] }],
  [explain, { about: 'x' }, { about: '' }],
  [explain, { about: 'x'.repeat(200) }, { about: 'x'.repeat(201) }],
  [writeSpec, { sprite: 'x'.repeat(200), set: [] }, { sprite: 'x'.repeat(201) }],
  [writeSpec, { sprite: 'x', prompt: 'x'.repeat(4000) }, { sprite: 'x', prompt: 'x'.repeat(4001) }],
  [writeSpec, { sprite: 'x', picture: 'x'.repeat(400) }, { sprite: 'x', picture: 'x'.repeat(401) }],
  [
    writeSpec,
    { sprite: 'x', set: Array.from({ length: 50 }, () => ({ field: 'a', value: 1 })) },
    { sprite: 'x', set: [{ field: 'a..b', value: 1 }] },
  ],
  [
    editFree,
    { sprite: 'x', set: [{ field: 'a.b-c_d', value: null }] },
    { sprite: 'x', set: Array.from({ length: 51 }, () => ({ field: 'a' })) },
  ],
  [editFree, { sprite: 'x' }, { sprite: 'x', set: [{ field: '.a', value: 1 }] }],
  [editFree, { sprite: 'x', set: [{ field: 'x'.repeat(200), value: 1 }] }, { sprite: 'x', set: [{ field: 'x'.repeat(201), value: 1 }] }],
  [requestApproval, { why: 'x'.repeat(500) }, { why: 'x'.repeat(501) }],
  [requestApproval, { why: 'x', names: ['a'] }, { why: '' }],
])('an input at its limit is taken, and one beyond is refused: row %#', (tool, taken, refused) => {
  expect([tool.input.safeParse(taken).success, tool.input.safeParse(refused).success]).toEqual([true, false])
})

test('show asks the workshop for a small picture, and answers the faults and what is missing beside it', async () => {
  const asked: unknown[] = []
  const review = async (...call: unknown[]) => {
    asked.push(call)
    const flags = [
      { fault: 'blank', words: 'no content', frames: [2, 5] },
      { fault: 'halo', words: 'a bright edge', frames: [7] },
    ]
    return { animations: [{ id: 'hero.walk', flags, more: 1 }], missing: ['hero.idle'], warnings: [], picture: Uint8Array.of(1) }
  }
  const context = { withWorkshop: (work: (one: unknown) => unknown) => work({ review }) } as unknown as ToolContext
  expect(await show.run({ name: 'hero', takes: [1, 2] }, context)).toEqual({
    data: {
      animations: [{ id: 'hero.walk', faults: ['blank, frames 2 5: no content', 'halo, frames 7: a bright edge'] }],
      missing: ['hero.idle'],
    },
    picture: Uint8Array.of(1),
  })
  expect(asked).toEqual([['hero', { takes: [1, 2], within: { sidePx: 1024, bytes: 250_000 } }]])
})

const walk = { properties: { fps: { description: 'FREE. fps' }, name: { description: 'FREE. of an animation' } } }
const documents = {
  'docs/errors.md': [
    '| code | exit | title | what to do |',
    '| `SW_ONE` | 3 | One fault | Do `this` or that. |',
    '| `SW_ONE_MORE` | 4 | Another fault | Do more. |',
    '| `SW_PICTURE` | A bad picture | Save it again. |',
  ].join('\n'),
  'schemas/sprite.schema.json': JSON.stringify({
    properties: {
      name: { description: 'PAID. of a sprite' },
      size: { description: 'FREE. size' },
      animations: { additionalProperties: walk },
    },
  }),
  'schemas/config.schema.json': JSON.stringify({
    properties: { size: { description: 'an option of the same name' }, atlas: { properties: { maxSize: { description: 'pixels' } } } },
  }),
}
const next = 'A person runs commands that approve or buy. To ask a person: request_approval. For prices: price. For states: sprites.'

test.each([
  ['SW_ONE', { exit: 3, title: 'One fault', whatToDo: 'Do `this` or that.', next }],
  ['SW_ONE_MORE', { exit: 4, title: 'Another fault', whatToDo: 'Do more.', next }],
  ['SW_PICTURE', { exit: undefined, title: 'A bad picture', whatToDo: 'Save it again.', next }],
  ['size', { text: 'FREE. size' }],
  ['name', { text: 'PAID. of a sprite' }],
  ['fps', { text: 'FREE. fps' }],
  ['animations.run.name', { text: 'FREE. of an animation' }],
  ['atlas.maxSize', { text: 'pixels' }],
  ['SW_ON', undefined],
  ['colour', undefined],
])('the documents of the package explain %s', async (about, found) => {
  const files = Object.entries(documents).map(([path, text]) => [`/package/${path}`, new TextEncoder().encode(text)] as const)
  const parts = { host: { disk: memoryDisk(new Map(files)) }, ownProcess: { packageFolder: '/package' } }
  const answer = explain.run({ about }, { parts } as unknown as ToolContext)
  if (found) return expect(await answer).toEqual({ data: { about, ...found } })
  const message = `Expected an error code, a field of a spec or an option, found "${about}". Write it as in SW_CEILING or animations.walk.fps.`
  await expect(answer).rejects.toMatchObject({ code: 'SW_USAGE', message })
})
