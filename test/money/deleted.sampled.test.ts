import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EmbeddedOptions } from '../../src/embedded/options/options.ts'
import type { LockFile } from '../../src/vault/lockfile.ts'
import { createWorkshop, type Workshop } from '../../src/workshop.ts'
import { expectCount } from '../kit/expect-count.ts'
import { keyEnv } from '../kit/keys.ts'
import { createProject, heroSpec, type TestProject } from '../kit/project.ts'
import { byLevel } from '../level.ts'
import { approveAll, drop, isExecute, type World, world } from './world.ts'

const own = '.spritewright'
const copy = '.state/journals'

async function lose(w: World, paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(join(w.project.root, path), { recursive: true, force: true })
}

/** What is lost after a purchase; in the quick level every second row. */
const lost = [
  ['the cache', ['node_modules/.cache/spritewright']],
  ['the results', [`${own}/results`]],
  ['the ledger', [`${own}/ledger.jsonl`]],
  ['the ids of uploads', [`${own}/uploads`]],
  ['the journal', [`${own}/submissions`]],
  ["the journal's copy", [copy]],
  ['the whole folder', [own]],
  ['the whole folder and the copy', [own, copy]],
  ['the lock file', ['sprites.lock.json']],
  ['the lock file and the results', ['sprites.lock.json', `${own}/results`]],
].filter((_, index) => index % byLevel({ quick: 2, full: 1, long: 1 }) === 0) as [string, string[]][]

describe('deleted after a purchase: the next build has the result again, and nothing is bought twice', () => {
  test.each(lost)('%s', async (_what, paths) => {
    const w = await world()
    const first = await w.workshop()
    await approveAll(first)
    await first.build()
    const posts = w.posts()
    await lose(w, paths)
    const report = await (await w.workshop()).build()
    expect(report.sheets.sprites).toMatchObject([{ name: 'hero', isPlaceholder: false }])
    expect(w.posts()).toBe(posts)
    expectCount(w.service.charges(), 1)
  })
})

test('the results, of a service that stands at another address by now: the embedded one takes a free port at every start', async () => {
  const project = await createProject({ 'sprites/hero.sprite.json': heroSpec() })
  try {
    const open = (): Promise<Workshop> => createWorkshop({ root: project.root, options: { service: 'embedded' } })
    const first = await open()
    await approveAll(first)
    expect((await first.build()).bought).toHaveLength(1)
    await first.close()
    await rm(join(project.root, own, 'results'), { recursive: true })
    const second = await open()
    const { bought, sheets } = await second.build()
    expect([bought, sheets.sprites.map(({ isPlaceholder }) => isPlaceholder)]).toEqual([[], [false]])
    await second.close()
  } finally {
    await project.remove()
  }
})

describe("the embedded service's folder, for fresh play money", () => {
  const embedded = join(own, 'embedded')
  async function onEmbedded(play: (open: () => Promise<Workshop>, project: TestProject) => Promise<void>): Promise<void> {
    const project = await createProject({ 'sprites/hero.sprite.json': heroSpec() })
    const opened: Workshop[] = []
    try {
      await play(async () => {
        await opened.at(-1)?.close()
        const workshop = await createWorkshop({ root: project.root, options: { service: 'embedded' } })
        opened.push(workshop)
        return workshop
      }, project)
    } finally {
      await opened.at(-1)?.close()
      await project.remove()
    }
  }

  test('the next purchase from the same picture uploads it again, and is bought at once', () =>
    onEmbedded(async (open, project) => {
      const first = await open()
      await approveAll(first)
      expect((await first.build()).bought).toHaveLength(1)
      await first.close()
      await rm(join(project.root, embedded), { recursive: true })
      await project.write('sprites/hero.sprite.json', heroSpec(['run']))
      const second = await open()
      await approveAll(second)
      const { bought, balance } = await second.build()
      expect(bought.map(({ id }) => id)).toEqual(['hero.run'])
      expect(balance?.before).toBe(1_000_000n)
    }))

  test('what was approved before, with the id of the picture, is refused for free; approved again, it is bought', () =>
    onEmbedded(async (open, project) => {
      const first = await open()
      await approveAll(first)
      await first.close()
      await rm(join(project.root, embedded), { recursive: true })
      const second = await open()
      await expect(second.build()).rejects.toMatchObject({
        code: 'SW_REFUSED',
        message: expect.stringMatching(/uploaded reference\. Nothing was bought\. Approve it again, which uploads the picture anew/),
      })
      await approveAll(second)
      expect((await second.build()).bought).toHaveLength(1)
    }))
})

describe('deleted while a submission has no answer', () => {
  const unanswered = async (env: Record<string, string> = {}): Promise<World> => {
    let isLost = true
    const options: EmbeddedOptions = { after: async (request, response) => (isExecute(request) && isLost ? drop : response) }
    const w = await world(options)
    const first = await w.workshop({}, env)
    await approveAll(first)
    await expect(first.build()).rejects.toMatchObject({ code: 'SW_UNREACHABLE' })
    isLost = false
    return w
  }

  test.each([[[own]], [[copy]], [[`${own}/submissions`]]])('%s: the other one knows of it, and it is charged once', async (paths) => {
    const w = await unanswered()
    await lose(w, paths)
    expect((await (await w.workshop()).build()).bought).toHaveLength(1)
    expectCount(w.service.charges(), 1)
  })

  test('both: this checkout is no buyer any more, and nothing is sent; taken over, the frozen bytes go out under the same key', async () => {
    const w = await unanswered()
    const posts = w.posts()
    await lose(w, [own, copy])
    const bereft = await w.workshop()
    await expect(bereft.build()).rejects.toMatchObject({ code: 'SW_BUYER', exitCode: 3 })
    expect(w.posts()).toBe(posts)
    await approveAll(bereft, { adopt: true })
    await (await w.workshop()).build()
    expectCount(w.service.charges(), 1)
  })

  test('both, under a key that the environment gives: the frozen bytes go out under the same key', async () => {
    const env = keyEnv(4)
    const w = await unanswered(env)
    await lose(w, [own, copy])
    // The journal that knew whether the approval was used is gone, so the environment must name the project.
    await expect((await w.workshop({}, env)).build()).rejects.toMatchObject({ code: 'SW_BUYER' })
    const lock = JSON.parse(await readFile(join(w.project.root, 'sprites.lock.json'), 'utf8')) as LockFile
    const [entry] = Object.values(lock.animations['hero.walk'] ?? {})
    await (await w.workshop({}, { ...env, SPRITEWRIGHT_PROJECT: `${entry?.approval?.project}` })).build()
    expectCount(w.service.charges(), 1)
  })

  test('everything, the lock file too: only another approval buys, and while the service knows the key that is a conflict and no second charge', async () => {
    const w = await unanswered()
    await lose(w, ['sprites.lock.json', own, copy])
    const bereft = await w.workshop()
    await expect(bereft.build()).rejects.toMatchObject({ code: 'SW_APPROVAL', exitCode: 3 })
    await approveAll(bereft)
    await expect((await w.workshop()).build()).rejects.toMatchObject({ code: 'SW_CONFLICT' })
    expectCount([...w.service.charges(), ...w.service.holds()], 1)
  })
})
