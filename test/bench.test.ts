import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createBitmap, encodePng } from '../atlas/index.ts'
import { defaultShapes } from '../src/embedded/http/shapes.ts'
import { packDelivery } from '../src/embedded/images/delivery.ts'
import { createWorkshop } from '../src/workshop.ts'
import { manySpritesHost } from './kit/many-sprites.ts'
import { figurePng } from './kit/project.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

async function newFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'spritewright-bench-')))
  folders.push(folder, `${folder}.state`)
  return folder
}

/** Ids of what a build packs, and what it pays. */
async function build(root: string, baseUrl?: string): Promise<unknown> {
  const workshop = await createWorkshop({
    root,
    options: baseUrl === undefined ? {} : { service: { baseUrl } },
    host: manySpritesHost(root),
  })
  const { sheets, bought } = await workshop.build()
  return { animations: sheets.atlases.flatMap(({ animations }) => animations.map(({ name }) => name)), bought }
}

test('a project of the benchmarks counts as bought, and one of its own art is packed', async () => {
  const script = '../bench/project.mjs'
  const { buyAll, makeOwnProject, projectEnv } = await import(script)
  const frames = Array.from({ length: 7 }, (_, index) => {
    const frame = createBitmap(8, 8)
    frame.data.fill(40 + 30 * index)
    return frame
  })
  const archives = await newFolder()
  const zip = join(archives, 'hero.zip')
  await writeFile(zip, (await packDelivery(frames, defaultShapes.names)).zip)
  const bought = buyAll(await newFolder(), [{ name: 'hero', frames: 7, zip }], figurePng())
  expect(await build(bought, projectEnv.SPRITEWRIGHT_BASE_URL)).toEqual({ animations: ['hero/walk'], bought: [] })

  await mkdir(join(archives, 'frames/hero'), { recursive: true })
  for (const [index, frame] of frames.entries()) await writeFile(join(archives, `frames/hero/frame_00${index}.png`), encodePng(frame))
  const own = makeOwnProject(join(archives, 'frames'), await newFolder())
  expect(await build(own)).toEqual({ animations: ['hero/frame'], bought: [] })
})
