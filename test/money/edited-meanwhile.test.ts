import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { heroSpec } from '../kit/project.ts'
import { approveAll, world } from './world.ts'

const spec = 'sprites/hero.sprite.json'

test.each([
  ['is edited', (path: string) => writeFile(path, heroSpec().replace('a small figure', 'a large figure'))],
  ['is broken', (path: string) => writeFile(path, '{ "reference": ')],
  ['is removed', (path: string) => rm(path)],
])('a spec that %s while a build waits: the build ends with what it began, and says so', async (_what, change) => {
  let path = ''
  const w = await world({
    before: async ({ method, path: asked }) => {
      if (method === 'POST' && asked.startsWith('/v1/execute')) await change(path)
      return undefined
    },
  })
  path = join(w.project.root, spec)
  const workshop = await w.workshop()
  await approveAll(workshop)
  const { bought, sheets, warnings } = await workshop.build()
  expect(bought).toHaveLength(1)
  expect(sheets.sprites.map(({ name, isPlaceholder }) => [name, isPlaceholder])).toEqual([['hero', false]])
  expect(warnings.join('\n')).toContain('hero.sprite.json was changed during this run')
})

test('a build whose specs stay says nothing of them', async () => {
  const w = await world()
  const workshop = await w.workshop()
  await approveAll(workshop)
  expect((await workshop.build()).warnings).toEqual([])
})
