import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { refreshTypings } from '../../src/cli/typings.ts'
import { createProject, figurePng, heroSpec, runCli } from '../kit/project.ts'

const files = { 'sprites/hero.png': figurePng(), 'sprites/hero.sprite.json': heroSpec() }
const typings = 'sprites/hero.sprite.d.json.ts'

test.each([
  ['types', 0],
  ['plan', 0],
  ['approve', 0],
  ['build', 3],
])('%s writes the typings of a project in TypeScript before Vite has run, with lines that linters respect', async (verb, code) => {
  const project = await createProject({
    ...files,
    'tsconfig.json': '{}',
    'spritewright.config.mjs': "export default { service: 'embedded' }",
  })
  try {
    expect(await runCli(project, verb === 'approve' ? [verb, '--yes'] : [verb])).toMatchObject({ code })
    const text = await readFile(join(project.root, typings), 'utf8')
    expect(text).toMatch(/^\/\/ Written by spritewright.*\n\/\/ biome-ignore-all lint: /)
    expect(text).toContain('"hero/walk/0006"')
  } finally {
    await project.remove()
  }
})

test('the command writes the one file of the option "typings"', async () => {
  const config = "export default { service: 'embedded', typings: 'src/sprites.d.ts' }"
  const project = await createProject({ ...files, 'spritewright.config.mjs': config })
  try {
    expect((await runCli(project, ['types'])).stdout).toContain('1 file: src/sprites.d.ts')
    expect(await readFile(join(project.root, 'src/sprites.d.ts'), 'utf8')).toContain(
      '"hero": Spritewright.SpriteModule<"walk", "hero/walk/0000"',
    )
    await expect(readFile(join(project.root, typings))).rejects.toThrow('ENOENT')
  } finally {
    await project.remove()
  }
})

test('a project without a tsconfig.json gets typings from the command alone; a second run says that they are up to date', async () => {
  const project = await createProject({ ...files, 'spritewright.config.mjs': "export default { service: 'embedded' }" })
  try {
    await runCli(project, ['plan'])
    await expect(readFile(join(project.root, typings))).rejects.toThrow('ENOENT')
    expect((await runCli(project, ['types'])).stdout).toContain(typings)
    expect((await runCli(project, ['types'])).stdout).toContain('up to date')
  } finally {
    await project.remove()
  }
})

test('typings that cannot be written are a warning, and the command goes on', async () => {
  const warned: string[] = []
  const stat = async (): Promise<object> => ({ isFolder: false })
  const printer = { warn: (text: string) => warned.push(text) }
  const workshop = { writeTypings: async () => Promise.reject(new Error('the disk is full')) }
  const context = { parts: { host: { disk: { stat } } }, printer, root: '/game' }
  await refreshTypings(context as never, workshop as never)
  expect(warned).toEqual([expect.stringContaining('the disk is full')])
})
