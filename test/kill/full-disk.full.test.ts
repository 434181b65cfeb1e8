import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { type CliRun, heroSpec, startCli } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { mountSmallDisk, type SmallDisk } from '../kit/small-disk.ts'
import { level } from '../level.ts'
import { type Desk, type DeskPlace, expectAllBought, onDesk, openDesk } from './desk.ts'
import { runMortalCli } from './mortal-cli.ts'
import { isExecute } from './posts.ts'

let disk: SmallDisk | undefined
let elsewhere: string
beforeAll(async () => {
  disk = await mountSmallDisk(2 * 1024 * 1024)
  elsewhere = await mkdtemp(join(tmpdir(), 'spritewright-elsewhere-'))
  if (!disk) console.log('A file system cannot be mounted here: the calls of the process fail with ENOSPC in its place.')
})
afterAll(async () => {
  await disk?.remove()
  await rm(elsewhere, { recursive: true, force: true })
})

/** When the disk becomes full. */
type Moment = 'before the run' | 'once the submission is there'

const args = ['build', '--buy-only']
const kept = /Until then it is kept in (\S+)$/

/** Builds on a disk that has only this many free pages. Some runs are a process of their own. */
async function buildInLittleRoom(desk: Desk, small: SmallDisk, moment: Moment, pages: number): Promise<CliRun> {
  if (moment === 'before the run') await small.fill(pages)
  const run = await (pages % (level === 'long' ? 4 : 8) === 0 ? startCli(desk.project, args, desk.env).ended : desk.run(...args))
  await small.empty()
  return run
}

/** A run with too little room must name the file that failed, or the place of a rescued result. */
async function expectTold({ code, signal, stderr }: CliRun, desk: Desk, context: string): Promise<'stopped' | 'rescued'> {
  expect({ code, signal }, `${context}: ${stderr}`).toEqual({ code: 1, signal: null })
  expect(stderr, context).toMatch(/^error SW_DISK /m)
  const place = kept.exec(stderr.trim())?.[1]
  if (place === undefined) {
    expect(stderr, context).toMatch(/ENOSPC.* (['"]).+\1/)
    return 'stopped'
  }
  expect(await readdir(resolve(desk.project.root, place)), context).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.zip$/)])
  return 'rescued'
}

/** A build with little room, then one with enough room. */
async function fullOnce(pages: number, moment: Moment, place: DeskPlace): Promise<'done' | 'stopped' | 'rescued'> {
  let isWaiting = moment === 'once the submission is there'
  const before = async (request: HookedRequest): Promise<undefined> => {
    if (!isWaiting || !isExecute(request)) return undefined
    isWaiting = false
    await disk?.fill(pages)
    return undefined
  }
  const options = { makers: quickMakers({ size: 32 }), before }
  const opening = openDesk(options, { 'sprites/hero.sprite.json': heroSpec() }, { ...place, ...(disk ? { inside: disk.folder } : {}) })
  return onDesk(opening, async (desk) => {
    const context = `${pages} pages left ${moment}`
    expect(await desk.run('approve', '--yes')).toMatchObject({ code: 0 })
    const full = await (disk ? buildInLittleRoom(desk, disk, moment, pages) : runMortalCli(desk, args, `ENOSPC ${pages + 1}`))
    const outcome = full.code === 0 ? 'done' : await expectTold(full, desk, context)
    const again = await desk.run(...args)
    expect(again.code, `${context}: ${again.stderr}`).toBe(0)
    await expectAllBought(desk, 1, context)
    return outcome
  })
}

const places: readonly (readonly [name: string, place: () => DeskPlace])[] = [
  ['everything on it', () => ({ temp: disk?.folder ?? elsewhere })],
  ['the folder for temporary files elsewhere', () => ({ temp: elsewhere })],
  ['the state folder elsewhere', () => ({ state: elsewhere })],
]

describe('I1, I4, I9: a disk that is full', () => {
  test.each(places)(
    'with %s: it is told what could not be written or where the result is; with room again, one charge and the result',
    { timeout: 600_000 },
    async (name, place) => {
      const counts = { done: 0, stopped: 0, rescued: 0 }
      for (const moment of ['before the run', 'once the submission is there'] as const) {
        // The free checks before money write more than all records together, so the first levels end there. A
        // result is rescued at only one or two levels after that, so none of those is left out.
        const step = moment === 'before the run' && disk ? (level === 'long' ? 4 : 8) : 1
        for (let pages = 0, isDone = false; !isDone; pages += step) {
          const outcome = await fullOnce(pages, moment, place())
          counts[outcome]++
          isDone = outcome === 'done'
        }
        if (!disk) break
      }
      const { done, stopped, rescued } = counts
      console.log(
        `a full disk, ${name}: ${done + stopped + rescued} fill levels, ${stopped} stopped, ${rescued} results kept elsewhere, one charge each, 0 lost`,
      )
      expect(stopped).toBeGreaterThan(level === 'long' ? 5 : 2)
      if (name === 'everything on it' && disk) expect(rescued).toBe(0)
      else expect(rescued).toBeGreaterThan(0)
    },
  )
})
