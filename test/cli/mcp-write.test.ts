import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { figurePng } from '../kit/project.ts'
import { type McpSession, startMcp } from './mcp-session.ts'

const commented = `{
  // The figure of the player.
  "reference": "./hero.png",
  "prompt": "a small figure",
  "animations": {
    "walk": { "frames": 7, "fps": 10 } // slow
  }
}
`

const files = { 'sprites/hero.sprite.json': commented }

function spec(session: McpSession, name = 'hero'): Promise<string> {
  return readFile(join(session.project.root, `sprites/${name}.sprite.json`), 'utf8')
}

describe('write_spec', () => {
  test('edits fields, keeps comments, and answers the lines, the paid fields and the price', async () => {
    const session = await startMcp({ files })
    const { data, errors } = await session.call('write_spec', {
      sprite: 'hero',
      set: [
        { field: 'animations.walk.frames', value: 8 },
        { field: 'animations.walk.fps', value: 12 },
      ],
    })
    expect(errors).toBeUndefined()
    expect(data).toMatchObject({
      file: 'sprites/hero.sprite.json',
      paid: ['animations.walk.frames'],
      requests: [{ id: 'hero.walk', credits: '1.6' }],
      difference: ['-     "walk": { "frames": 7, "fps": 10 } // slow', '+     "walk": { "frames": 8, "fps": 12 } // slow'],
    })
    expect(await spec(session)).toBe(commented.replace('"frames": 7, "fps": 10', '"frames": 8, "fps": 12'))
    expect((await (await session.workshop()).ledger()).lines).toEqual([])
  })

  test('says that nothing was written if the spec has the values already', async () => {
    const session = await startMcp({ files })
    const set = [{ field: 'animations.walk.fps', value: 10 }]
    for (const tool of ['write_spec', 'edit_free'])
      expect((await session.call(tool, { sprite: 'hero', set })).data).toMatchObject({
        difference: [],
        note: 'Already so; nothing was written.',
      })
    set[0]!.value = 11
    expect((await session.call('edit_free', { sprite: 'hero', set })).data.note).toBeUndefined()
  })

  test('adds an animation, and refuses one that is there as a whole', async () => {
    const session = await startMcp({ files })
    const value = { prompt: 'jumps', frames: 8 }
    const { data } = await session.call('write_spec', { sprite: 'hero', set: [{ field: 'animations.jump', value }] })
    expect(data).toMatchObject({ paid: ['animations.jump'], requests: [{ id: 'hero.walk' }, { id: 'hero.jump', credits: '1.6' }] })
    const before = await spec(session)
    expect(before).toContain('// The figure of the player.')
    for (const field of ['animations.jump', 'animations', 'pictures', '$schema', 'constructor', 'animations.jump.speed', 'colour'])
      expect((await session.call('write_spec', { sprite: 'hero', set: [{ field, value: {} }] })).errors, field).toBeDefined()
    expect(
      (await session.call('write_spec', { sprite: 'hero', set: [{ field: 'animations.jump.fps', value: null }] })).errors,
    ).toMatchObject([{ code: 'SW_USAGE' }])
    expect(await spec(session)).toBe(before)
  })

  test('makes a spec from a picture of the project, which stays', async () => {
    const session = await startMcp({ files: { ...files, 'art/slime.png': figurePng(2) } })
    const set = [
      { field: 'animations.hop.frames', value: 8 },
      { field: 'size', value: 64 },
    ]
    const { data, errors } = await session.call('write_spec', { sprite: 'slime', prompt: 'a green slime', picture: 'art/slime.png', set })
    expect(errors).toBeUndefined()
    expect(data).toMatchObject({
      file: 'sprites/slime.sprite.json',
      paid: ['reference', 'prompt', 'animations.hop.frames'],
      requests: [{ id: 'slime.hop', credits: '1.6' }],
    })
    expect(data).toMatchObject({ copied: 'sprites/slime.png', added: ['anchor'] })
    expect(await readFile(join(session.project.root, 'sprites/slime.png'))).toEqual(Buffer.from(figurePng(2)))
    expect(JSON.parse(await spec(session, 'slime'))).toMatchObject({
      prompt: 'a green slime',
      animations: { hop: { frames: 8 } },
      size: 64,
    })
    expect(await readFile(join(session.project.root, 'art/slime.png'))).toEqual(Buffer.from(figurePng(2)))
    expect((await session.call('write_spec', { sprite: 'orc', prompt: 'an orc' })).errors).toMatchObject([{ code: 'SW_USAGE' }])
  })

  test('takes another reference picture, and keeps the one before', async () => {
    const session = await startMcp({ files: { ...files, 'art/new.png': figurePng(3) } })
    const { data } = await session.call('write_spec', { sprite: 'hero', picture: 'art/new.png' })
    expect(data).toMatchObject({ paid: ['reference'], difference: ['-   "reference": "./hero.png",', '+   "reference": "./hero-2.png",'] })
  })

  test('a picture or a path in a spec is inside the project, or nothing is written', async () => {
    const session = await startMcp({ files: { ...files, '.hidden/x.png': figurePng(), 'art/notes.txt': 'x' } })
    const { root } = session.project
    const folder = await mkdtemp(join(tmpdir(), 'spritewright-outside-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const outside = join(folder, 'art.png')
    await writeFile(outside, figurePng())
    await symlink(outside, join(root, 'art/link.png'))
    await symlink(folder, join(root, 'linked'))
    await symlink('../.env.local', join(root, 'art/key.png'))
    await mkdir(join(root, 'art/folder.png'))
    const pictures = [
      outside,
      `../${basename(folder)}/art.png`,
      `art/../../${basename(folder)}/art.png`,
      'art/../sprites/hero.png',
      'art/link.png',
      'linked/art.png',
      'art/key.png',
      'art/folder.png',
      'art/notes.txt',
      'art/missing.png',
      '.env.local',
      '.hidden/x.png',
      'art\\link.png',
      'C:/x.png',
      'file:///etc/passwd.png',
      '\u0000.png',
    ]
    for (const picture of pictures) {
      const { errors, text } = await session.call('write_spec', { sprite: 'new', prompt: 'x', picture })
      expect(errors, picture).toMatchObject([{ code: 'SW_USAGE' }])
      expect(text).not.toContain(session.service.key)
    }
    const paths = [
      { field: 'reference', value: outside },
      { field: 'reference', value: `../../${basename(folder)}/art.png` },
      { field: 'reference', value: '../linked/art.png' },
      { field: 'reference', value: { steps: [{ image: `../../${basename(folder)}/art.png` }, { edit: 'x' }] } },
      { field: 'pictures.badge', value: [{ image: `../../${basename(folder)}/art.png` }] },
      { field: 'source', value: '../../..' },
      { field: 'reference', value: './missing.png' },
    ]
    for (const one of paths)
      expect((await session.call('write_spec', { sprite: 'hero', set: [one] })).errors).toMatchObject([{ code: 'SW_USAGE' }])
    expect(await spec(session)).toBe(commented)
    // A spec behind a link is not of the project.
    await writeFile(join(folder, 'far.sprite.json'), JSON.stringify({ reference: './art.png', prompt: 'x', animations: { walk: {} } }))
    const far = await session.call('edit_free', { sprite: 'far', set: [{ field: 'animations.walk.fps', value: 7 }] })
    expect(far.errors).toMatchObject([{ code: 'SW_USAGE' }])
    // The folder of a new spec is not known before, so its paths could lead anywhere.
    const made = {
      sprite: 'new',
      prompt: 'x',
      picture: 'sprites/hero.png',
      set: [{ field: 'reference', value: { steps: [{ image: './hero.png' }] } }],
    }
    const { errors } = await session.call('write_spec', made)
    expect(errors).toMatchObject([{ code: 'SW_USAGE', message: expect.stringContaining('begin with its picture alone') }])
  })
})

test.each(['approved', 'approval.ceiling', 'animations.walk.ceiling'])('the refusal of the field %s says who decides', async (field) => {
  const session = await startMcp({ files })
  for (const tool of ['write_spec', 'edit_free']) {
    const { errors } = await session.call(tool, { sprite: 'hero', set: [{ field, value: true }] })
    expect(errors).toMatchObject([{ code: 'SW_USAGE', message: expect.stringContaining('A person decides about approvals and ceilings') }])
  }
  const asked = await session.call('request_approval', { why: 'x', ceiling: '5' })
  expect(asked.text).toContain('A person decides about approvals and ceilings')
})

describe('edit_free', () => {
  test('edits and resets free fields, and refuses a paid one whole', async () => {
    const session = await startMcp({ files })
    const free = [
      { field: 'animations.walk.use', value: [0, 1, 2, 4] },
      { field: 'animations.walk.fps', value: null },
      { field: 'size.figure', value: 64 },
    ]
    const { data } = await session.call('edit_free', { sprite: 'hero', set: free })
    expect(data).toMatchObject({ file: 'sprites/hero.sprite.json' })
    const now = await spec(session)
    expect(now).toContain('"use": [0, 1, 2, 4]')
    expect(now).not.toContain('fps')
    expect(now).toContain('{ "figure": 64 }')
    for (const field of [
      'prompt',
      'reference',
      'background',
      'animations.walk',
      'animations.walk.take',
      'animations.walk.options.x',
      'animations.fly.fps',
    ])
      expect((await session.call('edit_free', { sprite: 'hero', set: [free[0], { field, value: 1 }] })).errors, field).toMatchObject([
        { code: 'SW_USAGE' },
      ])
    expect((await session.call('edit_free', { sprite: 'hero', set: [{ field: 'prompt', value: null }] })).errors).toBeDefined()
    expect((await session.call('edit_free', { sprite: 'orc', set: free })).errors).toMatchObject([{ code: 'SW_USAGE' }])
    expect(await spec(session)).toBe(now)
  })
})

describe('request_approval', () => {
  test('writes a request with names, credits and reason, and says where a person decides; approves nothing', async () => {
    const session = await startMcp({ files })
    const { data } = await session.call('request_approval', { names: ['hero.walk'], why: 'The level needs it.\u202e\u001b[31m' })
    expect(data).toMatchObject({ names: ['hero.walk'], credits: '1.6' })
    expect(data.decide).toContain('npx spritewright approve hero.walk in a terminal of their own')
    const person = await session.workshop()
    expect(await person.requests.list()).toMatchObject([
      { verb: 'approve', from: 'mcp', names: ['hero.walk'], credits: '1.6', why: 'The level needs it.\\u202e\\x1b[31m' },
    ])
    expect(await person.status()).toMatchObject({ items: [{ state: 'missing' }] })
    expect((await session.call('sprites')).data.requests).toEqual([
      { verb: 'approve', names: ['hero.walk'], why: 'The level needs it.\\u202e\\x1b[31m', hours: 0 },
    ])
    expect(data.note).toBeUndefined()
    const again = await session.call('request_approval', { names: ['hero.walk'], why: 'The level still needs it.' })
    expect(again.data.note).toContain('already')
    const all = await session.call('request_approval', { why: 'All of it.' })
    expect(all.data).toMatchObject({ names: ['all that is not bought'], usd: '0.40' })
    expect(all.data.note).toBeUndefined()
    expect((await session.call('request_approval', { names: ['hero'], why: 'Once more.' })).data.note).toContain('already')
  })

  test('a flood leaves five requests; unknown names and long reasons are refused', async () => {
    const session = await startMcp({ files, otherProcess: () => '' })
    const all = await Promise.all(Array.from({ length: 30 }, (_, number) => session.call('request_approval', { why: `reason ${number}` })))
    expect(all.filter(({ errors }) => errors?.[0]?.code === 'SW_USAGE')).toHaveLength(25)
    expect(await (await session.workshop()).requests.list()).toHaveLength(5)
    expect((await session.call('request_approval', { names: ['herro'], why: 'x' })).errors).toMatchObject([{ code: 'SW_USAGE' }])
    expect((await session.call('request_approval', { why: 'x'.repeat(501) })).errors).toBeDefined()
  })
})
