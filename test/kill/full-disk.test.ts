import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CliRun, heroSpec, runCli } from '../project.ts'
import { type Desk, type DeskPlace, expectAllBought, onDesk, openDesk } from './desk.ts'
import { runMortalCli } from './mortal-cli.ts'
import { quickMakers } from './quick-makers.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'

let disk: SmallDisk | undefined
let elsewhere: string
beforeAll(async () => {
  disk = await mountSmallDisk(2 * 1024 * 1024)
  elsewhere = await mkdtemp(join(tmpdir(), 'spritewright-state-'))
  if (!disk) console.log('A file system cannot be mounted here: the calls of the process fail with ENOSPC in its place.')
})
afterAll(async () => {
  await disk?.remove()
  await rm(elsewhere, { recursive: true, force: true })
})

/** A result of several pages. */
const makers = quickMakers({ size: 32 })

/** Builds where there is room for so much and no more: pages of a real disk, or calls that need room. */
async function buildInLittleRoom(desk: Desk, room: number): Promise<CliRun> {
  const args = ['build', '--buy-only']
  if (!disk) return runMortalCli(desk, args, `ENOSPC ${room + 1}`)
  await disk.fill(room)
  // The same program either way; every fourth time as a process of its own.
  const run = await (room % 4 === 0 ? runCli(desk.project, args, desk.env) : desk.run(...args))
  await disk.empty()
  return run
}

/** A build in little room, then one with room enough. Answers the exit code of the first. */
async function fullOnce(room: number, place: DeskPlace): Promise<number | null> {
  const opening = openDesk({ makers }, { 'sprites/hero.sprite.json': heroSpec() }, { ...place, ...(disk ? { inside: disk.folder } : {}) })
  return onDesk(opening, async (desk) => {
    expect(await desk.run('approve', '--yes')).toMatchObject({ code: 0 })
    const full = await buildInLittleRoom(desk, room)
    if (full.code !== 0) {
      expect(full, `room ${room}`).toMatchObject({ code: 1, signal: null })
      expect(full.stderr, `room ${room}`).toMatch(/^error SW_DISK .*ENOSPC/)
      expect(full.stderr, `room ${room}: names what could not be written`).toContain(desk.project.root)
    }
    const again = await desk.run('build', '--buy-only')
    expect(again.code, `room ${room}: ${again.stderr}`).toBe(0)
    await expectAllBought(desk, 1, `room ${room}`)
    return full.code
  })
}

describe('I1, I4, I9: a disk that is full', () => {
  test.each([
    ['with the state folder on it', () => ({})],
    ['with the state folder elsewhere', () => ({ state: elsewhere })],
  ])(
    '%s: whatever room is left, it says what could not be written; with room again, one charge and the result',
    { timeout: 600_000 },
    async (_where, place) => {
      let failures = 0
      for (let room = 0; ; room++) {
        if ((await fullOnce(room, place())) === 0) break
        failures++
      }
      console.log(`a full disk ${_where}: ${failures + 1} fill levels, ${failures} runs stopped, ${failures + 1} charges, 0 lost`)
      expect(failures).toBeGreaterThan(5)
    },
  )
})
