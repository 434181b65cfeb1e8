import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { pictureInfo } from '../../atlas/index.ts'
import { sprites } from '../../src/cli/commands/mcp/sprites.ts'
import type { ToolContext } from '../../src/cli/commands/mcp/tool.ts'
import { errorCodes } from '../../src/errors.ts'
import { frameFaults } from '../../src/sprite-spec/spec.ts'
import { heroSpec } from '../kit/project.ts'
import { startMcp } from './mcp-session.ts'

test.each(['auto', 'legacy'] as const)('sprites and price are answered over both generations of the protocol: %s', async (era) => {
  const { client, call, service } = await startMcp({ era })
  expect(client.getNegotiatedProtocolVersion()).toBe(era === 'auto' ? '2026-07-28' : '2025-11-25')
  const { data } = await call('sprites')
  expect(data).toMatchObject({
    sprites: [{ id: 'hero.walk', state: 'missing', file: 'sprites/hero.sprite.json', frames: 7, credits: '1.6', usd: '0.40', faults: [] }],
    spent: { settled: '0', held: '0', uncertain: '0' },
    requests: [],
  })
  expect((await call('price', { names: ['hero'] })).data).toMatchObject({
    requests: [{ id: 'hero.walk', credits: '1.6', usd: '0.40', purchase: 'first' }],
    total: { credits: '1.6', usd: '0.40', covers: 'all that is not bought of hero' },
    balance: '100',
  })
  expect((await call('price', { names: ['herro'] })).errors).toMatchObject([{ code: 'SW_USAGE' }])
  expect(service.requests().filter(({ method, path }) => method === 'POST' && path === '/v1/execute')).toEqual([])
})

test('sprites with names shows the free values, in the form of the spec', async () => {
  const value = { reference: './hero.png', prompt: 'a small figure', anchor: [0.5, 1], size: { figure: 96 } }
  const animations = { walk: { frames: 7, fps: 8, use: [0, 2], meant: ['palette'] } }
  const { call } = await startMcp({ files: { 'sprites/hero.sprite.json': JSON.stringify({ ...value, animations }) } })
  const shown = async (input: object): Promise<unknown> =>
    ((await call('sprites', { ...input })).data.sprites as { free?: unknown }[]).map(({ free }) => free)
  expect(await shown({})).toEqual([undefined])
  const free = { fps: 8, loop: true, yoyo: false, use: [0, 2], meant: ['palette'], size: { figure: 96 }, anchor: [0.5, 1], pixelArt: false }
  expect(await shown({ names: ['hero'] })).toMatchObject([free])
  const set = Object.entries(free).map(([key, one]) => ({
    field: ['size', 'anchor', 'pixelArt'].includes(key) ? key : `animations.walk.${key}`,
    value: one,
  }))
  expect((await call('edit_free', { sprite: 'hero', set })).errors).toBeUndefined()
  expect(await shown({ names: ['hero'] })).toMatchObject([free])
})

test('bought frames have no price, and their faults and cost are told', async () => {
  const session = await startMcp({
    files: { 'sprites/hero.sprite.json': '{"reference":"./hero.png","prompt":"a small figure","animations":{"walk":{"frames":7}}}' },
  })
  const person = await session.workshop()
  await person.approve({ names: [], confirm: async () => true })
  await person.build()
  const { data } = await session.call('sprites', { names: ['hero'] })
  expect(data).toMatchObject({ sprites: [{ id: 'hero.walk', state: 'bought' }], spent: { settled: '1.6' } })
  expect(JSON.stringify(data)).not.toContain('"credits"')
})

test('a price says whether the purchase is the first one, or another one after a paid change', async () => {
  const session = await startMcp()
  const person = await session.workshop()
  await person.approve({ names: [], confirm: async () => true })
  await person.build()
  const set = [
    { field: 'animations.walk.frames', value: 12 },
    { field: 'animations.jump', value: { frames: 8 } },
  ]
  const requests = [
    { id: 'hero.walk', credits: '2.4', purchase: 'again' },
    { id: 'hero.jump', credits: '1.6', purchase: 'first' },
  ]
  const total = { credits: '4', usd: '1.00', covers: 'all that is not bought of hero' }
  expect((await session.call('write_spec', { sprite: 'hero', set })).data).toMatchObject({ requests, total })
  await person.approve({ names: ['hero.walk'], confirm: async () => true })
  expect((await session.call('price')).data).toMatchObject({ requests, total: { ...total, covers: 'all that is not bought' } })
})

test('show returns a small picture with the faults, of a sprite or of two takes', async () => {
  const session = await startMcp()
  const person = await session.workshop()
  await person.approve({ names: [], confirm: async () => true })
  await person.build()
  await session.project.write('sprites/hero.sprite.json', heroSpec().replace('"frames":7', '"frames":7,"take":2'))
  await person.approve({ names: [], confirm: async () => true })
  await person.build()
  const whole = await session.call('show', { name: 'hero' })
  expect(whole.data).toMatchObject({ animations: [{ id: 'hero.walk', faults: expect.any(Array) }], missing: [] })
  const both = await session.call('show', { name: 'hero.walk', takes: [1, 2] })
  expect(both.data).toMatchObject({ animations: [{ id: 'hero.walk' }, { id: 'hero.walk' }] })
  for (const { picture } of [whole, both]) {
    expect(picture!.mimeType).toBe('image/webp')
    expect(picture!.bytes.length).toBeLessThanOrEqual(250_000)
    const { width, height } = pictureInfo(picture!.bytes)!
    expect(Math.max(width, height)).toBeLessThanOrEqual(1024)
  }
  expect(both.picture!.bytes).not.toEqual(whole.picture!.bytes)
  expect((await session.call('show', { name: 'hero.walk', takes: [1, 3] })).data).toMatchObject({ missing: ['hero.walk'] })
  expect((await session.call('show', { name: 'orc' })).errors).toMatchObject([{ code: 'SW_USAGE' }])
  expect(both.text).not.toContain('request_approval')
})

test('an error that names commands of a person names the tools of an agent too', async () => {
  const { call } = await startMcp()
  const { errors, text } = await call('show', { name: 'hero' })
  expect(errors).toMatchObject([{ code: 'SW_MISSING', message: expect.stringContaining('npx spritewright approve') }])
  expect(JSON.parse(text).next).toContain('To ask a person: request_approval. For prices: price.')
  expect(JSON.parse((await call('explain', { about: 'colour' })).text).next).toBeUndefined()
})

test('explain knows every error code, fields of specs and options, and nothing else', async () => {
  const { call } = await startMcp()
  for (const [about, { exit }] of Object.entries(errorCodes)) {
    const { data } = await call('explain', { about })
    expect(data, about).toMatchObject({ exit, title: expect.stringMatching(/^[^|]+$/), whatToDo: expect.stringMatching(/^[^|]+$/) })
    expect(data.next).toContain('request_approval')
  }
  expect((await call('explain', { about: 'SW_PNG' })).data).toMatchObject({ title: expect.stringMatching(/\w{3}/) })
  expect((await call('explain', { about: 'animations.walk.use' })).data.text).toMatch(/^FREE\./)
  expect((await call('explain', { about: 'frames' })).data.text).toMatch(/^PAID\./)
  expect((await call('explain', { about: 'atlas.maxSize' })).data.text).toContain('pixels')
  for (const about of ['meant', 'animations.walk.meant'])
    for (const fault of frameFaults) expect((await call('explain', { about })).data.text, about).toContain(fault)
  expect((await call('explain', { about: 'anchor' })).data.text).toContain('bottom middle')
  for (const about of ['SW_NOTHING', 'colour', '../../package.json', '__proto__', 'constructor'])
    expect((await call('explain', { about })).errors, about).toMatchObject([{ code: 'SW_USAGE' }])
})

test('the resources are the skills and the schemas of the package', async () => {
  const { client } = await startMcp()
  const { resources } = await client.listResources()
  expect(resources.map(({ uri }) => uri)).toEqual([
    'spritewright:///schemas/config.schema.json',
    'spritewright:///schemas/lock.schema.json',
    'spritewright:///schemas/sprite.schema.json',
    ...(await readdir('skills')).sort().map((name) => `spritewright:///skills/${name}/SKILL.md`),
  ])
  const uri = 'spritewright:///skills/spritewright-money/SKILL.md'
  const { contents } = await client.readResource({ uri })
  expect(contents).toEqual([{ uri, mimeType: 'text/markdown', text: await readFile('skills/spritewright-money/SKILL.md', 'utf8') }])
  for (const other of ['spritewright:///package.json', 'spritewright:///skills/../package.json', 'file:///etc/passwd'])
    await expect(client.readResource({ uri: other })).rejects.toThrow()
})

test('the list of tools is short, has no tool that spends or decides, and takes no ceiling', async () => {
  const { client } = await startMcp()
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(['sprites', 'price', 'show', 'explain', 'write_spec', 'edit_free', 'request_approval'])
  expect(JSON.stringify(tools).length / 4).toBeLessThanOrEqual(2500)
  const inputs = tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}))
  expect([...new Set(inputs)].sort()).toEqual(['about', 'name', 'names', 'picture', 'prompt', 'set', 'sprite', 'takes', 'why'])
  const forbidden = /^(?:approve|adopt|revoke|recover|answer|cancel|forget|prune|trust|serve|build|buy)|ceiling|^max/
  for (const word of [...tools.map(({ name }) => name), ...inputs]) expect(word).not.toMatch(forbidden)
  expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([true, true, true, true, false, false, false])
  for (const { annotations, outputSchema } of tools) {
    expect([annotations?.destructiveHint, annotations?.openWorldHint]).toEqual([false, false])
    expect(outputSchema).toBeDefined()
  }
  expect(client.getServerVersion()).toMatchObject({ name: 'spritewright', version: '1.2.3' })
  expect(client.getInstructions()).toMatch(/None of them buys or approves.*not instructions/)
})

/** What the tool `sprites` says of a report, after two hours and a half, and for which names it asked prices. */
async function told(report: object, names: readonly string[] = []) {
  const asked: unknown[] = []
  const workshop = {
    status: async () => ({ steps: [], items: [], own: [], warnings: [], ...report }),
    ledger: async () => ({ settled: 1n, held: 2n, uncertain: 3n, lines: [] }),
    requests: { list: async () => [{ id: 'r', verb: 'approve', names: [], why: 'for the demo', at: 3_600_000 }] },
    options: { approval: { perSprite: 4n } },
  }
  const prices = async (of: readonly string[]) => {
    asked.push(of)
    return { requests: [{ id: 'hero.walk', credits: '1.6', usd: '0.40' }] }
  }
  const withWorkshop = (work: (one: unknown) => unknown) => work(workshop)
  const context = { root: '/game', parts: { host: { clock: { wall: () => 12_600_000 } } }, prices, withWorkshop }
  const { data } = await sprites.run({ names }, context as unknown as ToolContext)
  return { data, asked }
}

const shownSpec = {
  ...{ name: 'hero', file: '/game/art/hero.sprite.json', size: { kind: 'box', width: 20, height: 30 }, anchor: { x: 0.5, y: 1 } },
  ...{
    borders: { left: 1, top: 2, right: 3, bottom: 4 },
    boxes: { body: {} },
    mirrors: { left: 'right' },
    normals: true,
    variants: { red: {} },
  },
  ...{ pixelArt: true, stabilize: true, trim: false, extrude: 2, padding: 3, scales: [1, 0.5], atlas: 'main' },
}
const walk = { name: 'walk', isPicture: false, frames: 8, fps: 9, loop: false, yoyo: true, durations: [5], use: [0, 2], meant: ['blank'] }
const itemOf = (id: string, state: string, more: object = {}) => ({
  id,
  state,
  request: { prompt: id },
  spec: shownSpec,
  animation: walk,
  ...more,
})
const flag = { fault: 'blank', words: 'no content', frames: Array.from({ length: 25 }, (_, at) => at) }

test('all that is known of each sprite is told, and its free values if it is named', async () => {
  const still = {
    ...itemOf('hero.icon', 'bought'),
    spec: { ...shownSpec, truePixels: 16, size: { kind: 'px', px: 64 } },
    animation: { ...walk, isPicture: true },
  }
  const report = {
    steps: [{ id: 'hero.reference', state: 'bought', request: { prompt: 'a step' } }],
    items: [itemOf('hero.walk', 'missing', { note: 'wait', ceiling: '2' }), still],
    own: [{ name: 'coin', file: '/game/own/coin.sprite.json' }],
    quality: [
      { id: 'hero.walk', flags: [flag] },
      { id: 'hero.walker', flags: [{ ...flag, fault: 'halo' }] },
      { id: 'coin.spin', flags: [{ ...flag, fault: 'scale', frames: [7] }] },
    ],
    warnings: Array.from({ length: 21 }, (_, at) => `warning ${at}`),
  }
  const { data, asked } = await told(report, ['hero', 'coin'])
  const shapes = {
    anchor: [0.5, 1],
    borders: [1, 2, 3, 4],
    boxes: { body: {} },
    mirror: { left: 'right' },
    normals: true,
    variants: { red: {} },
  }
  const rest = { ...shapes, stabilize: true, trim: false, extrude: 2, padding: 3, scales: [1, 0.5], atlas: 'main' }
  const played = { fps: 9, loop: false, yoyo: true, durations: [5], use: [0, 2], meant: ['blank'] }
  const file = 'art/hero.sprite.json'
  expect(asked).toEqual([['hero', 'coin']])
  expect(data).toEqual({
    sprites: [
      { id: 'hero.reference', state: 'bought', why: '', prompt: 'a step', faults: [] },
      {
        ...{
          id: 'hero.walk',
          state: 'missing',
          why: 'wait',
          file,
          frames: 8,
          prompt: 'hero.walk',
          ceiling: '2',
          credits: '1.6',
          usd: '0.40',
        },
        faults: [`blank, frames ${flag.frames.slice(0, 20).join(' ')}: no content`],
        free: { ...played, ...rest, size: { width: 20, height: 30 }, pixelArt: true },
      },
      {
        id: 'hero.icon',
        state: 'bought',
        why: '',
        file,
        frames: 8,
        prompt: 'hero.icon',
        faults: [],
        free: { ...rest, size: 64, pixelArt: 16 },
      },
      { id: 'coin', state: 'own', file: 'own/coin.sprite.json', faults: ['scale, frames 7: no content'] },
    ],
    left: 0,
    spent: { settled: 1n, held: 2n, uncertain: 3n },
    ceilings: { perSprite: 4n },
    requests: [{ verb: 'approve', names: ['all that is not bought'], why: 'for the demo', hours: 3 }],
    priceError: undefined,
    warnings: report.warnings.slice(0, 20),
  })
})

test('a hundred sprites are told, and how many are left; without names they have no free values, and what is bought is not priced', async () => {
  const items = Array.from({ length: 98 }, (_, at) => itemOf(`s${at}.walk`, 'bought'))
  const own = ['a', 'b', 'c'].map((name) => ({ name, file: `/game/${name}.sprite.json` }))
  const { data, asked } = await told({ items, own })
  const shown = data.sprites as readonly { readonly id: string; readonly free?: unknown }[]
  expect([shown.length, shown.at(-1)?.id, data.left, asked]).toEqual([100, 'b', 1, []])
  expect(shown.filter(({ free }) => free !== undefined)).toEqual([])
  expect((await told({ items: [...items, itemOf('new.walk', 'missing', { note: 'new' })] })).asked).toEqual([[]])
})
