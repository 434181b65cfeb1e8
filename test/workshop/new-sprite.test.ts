import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { createProject, figurePng, type TestProject } from '../kit/project.ts'

let open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
  open = []
})

async function start(files: Readonly<Record<string, string>> = {}): Promise<{ project: TestProject; workshop: Workshop }> {
  const project = await createProject(files)
  open.push(project.remove)
  const workshop = await createWorkshop({ root: project.root, host: { ...nodeHost(), env: {} } })
  open.push(() => workshop.close())
  return { project, workshop }
}

const fox = { name: 'fox', prompt: 'a red fox', picture: figurePng(20) }

describe('a new sprite', () => {
  test('is a spec beside the others and its picture, which a plan can price', async () => {
    const { project, workshop } = await start()
    const { file, picture } = await workshop.createSprite(fox)
    expect([file, picture]).toEqual([join(project.root, 'sprites/fox.sprite.json'), join(project.root, 'sprites/fox.png')])
    expect(parseSpec(await readFile(file, 'utf8'), file)).toMatchObject({
      name: 'fox',
      prompt: 'a red fox',
      size: { kind: 'figure', px: 128 },
    })
    expect(new Uint8Array(await readFile(picture))).toEqual(fox.picture)
    expect((await workshop.status(['fox'])).items.map(({ id, state }) => [id, state])).toEqual([['fox.idle', 'missing']])
  })

  test('names the schema of an installed package', async () => {
    const { project, workshop } = await start()
    await mkdir(join(project.root, 'node_modules/spritewright/schemas'), { recursive: true })
    await writeFile(join(project.root, 'node_modules/spritewright/schemas/sprite.schema.json'), '{}')
    const { file } = await workshop.createSprite(fox)
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ $schema: '../node_modules/spritewright/schemas/sprite.schema.json' })
  })

  test.each([
    ['a name that a spec has, in any case', { name: 'HERO' }, 'SW_USAGE', /sprites\/hero.sprite.json has/],
    ['a name that is none', { name: '../fox' }, 'SW_USAGE', /as the name of a sprite/],
    ['an empty prompt', { prompt: '' }, 'SW_SPEC', /prompt/],
    ['bytes that are no picture', { picture: new TextEncoder().encode('GIF89a') }, 'SW_REFERENCE', /Nothing was written/],
  ])('%s is refused, and nothing is written', async (_, change, code, words) => {
    const { project, workshop } = await start()
    const before = await readdir(project.root, { recursive: true })
    await expect(workshop.createSprite({ ...fox, ...change })).rejects.toMatchObject({ code, message: expect.stringMatching(words) })
    expect(await readdir(project.root, { recursive: true })).toEqual(before)
  })

  test('overwrites no picture', async () => {
    const { project, workshop } = await start({ 'sprites/fox.png': 'mine' })
    await expect(workshop.createSprite(fox)).rejects.toMatchObject({
      code: 'SW_USAGE',
      message: expect.stringContaining('sprites/fox.png'),
    })
    expect(await readFile(join(project.root, 'sprites/fox.png'), 'utf8')).toBe('mine')
    expect(await readdir(join(project.root, 'sprites'))).not.toContain('fox.sprite.json')
  })
})
