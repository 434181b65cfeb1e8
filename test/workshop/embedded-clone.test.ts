import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { nodeHost } from '../../src/host/host.ts'
import { changedFields } from '../../src/project/last-purchase.ts'
import type { SheetRequest } from '../../src/sprite-spec/request.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { fasterClock } from '../kit/faster-clock.ts'
import { type Game, hostOf, openSource } from '../plugin/world.ts'

const machine = nodeHost()
const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function source(): Promise<Game> {
  const game = await openSource()
  open.push(() => game.remove())
  return game
}

async function workshopOf(game: Game): Promise<Workshop> {
  const workshop = await createWorkshop({
    root: game.root,
    options: { service: 'embedded', specs: ['sprites/hero.sprite.json'] },
    // A missing execution counts as gone after half a minute.
    host: hostOf(game, {}, { net: machine.net, clock: fasterClock(20) }),
  })
  open.push(() => workshop.close())
  return workshop
}

test('a clone without results is told that the embedded service of another checkout cannot give them', async () => {
  const [first, clone] = [await source(), await source()]
  const buyer = await workshopOf(first)
  await buyer.approve({ names: ['hero'], confirm: async () => true })
  await buyer.build({ buyOnly: true })
  // In the checkout that bought it, the service beside it has it.
  await first.remove('.spritewright/results')
  expect((await buyer.plan()).items[0]).toMatchObject({ state: 'lost' })
  expect((await buyer.plan()).items[0]).not.toHaveProperty('note')

  await cp(join(first.root, 'sprites.lock.json'), join(clone.root, 'sprites.lock.json'))
  const other = await workshopOf(clone)
  expect((await other.plan()).items[0]).toMatchObject({ state: 'lost', note: expect.stringContaining('the checkout that bought it') })
  const finding = (await other.doctor()).find(({ check }) => check === 'results')
  expect(finding?.advice).toContain('commit .spritewright/results/ there')
  expect(finding?.advice).not.toContain('for free')
  await expect(other.build({ frozen: true })).rejects.toMatchObject({
    code: 'SW_UNCERTAIN',
    message: expect.stringContaining('knows only what was bought in its own checkout'),
  })
})

describe('what has changed since the last purchase', () => {
  const request = {
    operation: 'sprite_sheet',
    id: 'hero.walk',
    prompt: 'walks',
    frames: 7,
    background: 'remove',
    take: 1,
    reference: { kind: 'request', hash: 'h2' },
  } as unknown as SheetRequest
  const entry = (host: string, at: string, asked: object): LockEntry =>
    ({
      service: { host, keyMode: 'test', apiVersion: '1' },
      asked: { prompt: 'walks', frames: 7, background: 'remove', take: 1, reference: 'h1', ...asked },
      approval: { at },
    }) as unknown as LockEntry
  const changed = (host: string, ...entries: readonly LockEntry[]): readonly string[] =>
    changedFields(request, { version: 1, animations: { 'hero.walk': Object.fromEntries(entries.map((one, at) => [`${at}`, one])) } }, host)

  test('is the service alone if another service had exactly this request, though another take was bought after it', () => {
    expect(changed('b', entry('a', '1', {}), entry('a', '2', { take: 2 }))).toEqual(['service'])
  })

  test('is a field if the same service had another one', () => {
    expect(changed('a', entry('a', '1', { reference: 'h2' }), entry('a', '2', { take: 2, reference: 'h2' }))).toEqual(['take'])
    expect(changed('a', entry('b', '3', { reference: 'h2' }), entry('a', '2', {}))).toEqual(['reference'])
  })
})
