import { expect, test } from 'vitest'
import type { Context } from '../../src/project/context.ts'
import type { BuiltSheets } from '../../src/sheets/sheet.ts'
import type { BuildRequest } from '../../src/workshop/api/reports.ts'
import { keepLayout, readLayout } from '../../src/workshop/sheets/layout-file.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'

const path = '/game/sprites.layout.json'
const none: BuiltSheets = { sprites: [], atlases: [] }

function project({ stable = true, isCi = false } = {}) {
  const disk = new MemoryDisk()
  const context = { host: { disk, random: countingRandom() }, options: { root: '/game', isCi, atlas: { stable } } } as unknown as Context
  return {
    disk,
    read: () => readLayout(context),
    keep: async (request: BuildRequest = {}) => {
      await keepLayout(context, none, request)
      return disk.files.has(path)
    },
  }
}

test('a layout is written for the next build only if it is wanted and its files are committed', async () => {
  expect(await project().keep()).toBe(true)
  for (const init of [{ stable: false }, { isCi: true }]) expect(await project(init).keep()).toBe(false)
  for (const request of [{ frozen: true }, { buyOnly: true }]) expect(await project().keep(request)).toBe(false)
})

test('a layout that is as it was is not written again', async () => {
  const { disk, keep } = project()
  await keep()
  disk.calls.length = 0
  await keep()
  expect(disk.calls).toEqual([])
})

test('a build starts from the layout of the last one, from an empty one if there is none, and from none if none is wanted', async () => {
  const { disk, read, keep } = project()
  expect(await read()).toEqual(new Map())
  await keep()
  expect(await read()).toEqual(new Map())
  disk.files.set(path, Buffer.from('{'))
  await expect(read()).rejects.toMatchObject({ code: 'SW_LAYOUT' })
  const unwanted = project({ stable: false })
  unwanted.disk.files.set(path, Buffer.from('{'))
  expect(await unwanted.read()).toBeUndefined()
})
