import { describe, expect, test } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { createGame } from '../e2e/game.ts'
import { gameFiles } from '../e2e/vite-process.ts'
import { expectCount } from '../kit/expect-count.ts'
import { patienceMs } from '../kit/patience.ts'
import { figurePng, heroSpec, startCli } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { expectAllBought, onDesk, openDesk } from './desk.ts'
import { type DevProcess, startDevProcess, type Told } from './dev-process.ts'
import { isExecute } from './posts.ts'

/** Delays the first `count` requests of a kind until all of them have arrived. */
function gather(count: number, is: (request: HookedRequest) => boolean): (request: HookedRequest) => Promise<undefined> {
  let there = 0
  let go = (): void => {}
  const all = new Promise<void>((resolve) => {
    go = resolve
  })
  return async (request) => {
    if (!is(request)) return undefined
    if (++there === count) go()
    if (there <= count) await all
    return undefined
  }
}

const isBought = ({ event, data }: Told): boolean =>
  event === 'spritewright:update' &&
  (data?.sheets ?? []).some(({ sprites }) => sprites.some(({ name, isPlaceholder }) => name === 'hero' && !isPlaceholder))

/** The module of a sprite, with that of its sheet. */
async function sheetOf(dev: Pick<DevProcess, 'get'>, path: string): Promise<string> {
  const sprite = await dev.get(path)
  const sheets = [...sprite.matchAll(/from "([^"]*spritewright\/atlas\/[^"]*)"/g)].map(([, url = '']) => dev.get(url))
  return [sprite, ...(await Promise.all(sheets))].join('\n')
}

describe('two CLIs and a dev server at once on one project', () => {
  test('I1, I5, I10: all buy, both builds end well with one charge a request, and the page is shown what was bought', {
    timeout: 3 * patienceMs,
  }, async () => {
    const game = await createGame({ ...gameFiles, 'sprites/hero.png': figurePng(), 'sprites/hero.sprite.json': heroSpec(['walk', 'idle']) })
    let hasStarted = false
    // All processes meet at the service before any may go on. The dev server has an approval, and buys too.
    const meet = gather(3, ({ method, path }) => hasStarted && method === 'GET' && path.startsWith('/v1/sprite-pricing'))
    await onDesk(openDesk({ before: meet }, {}, { project: game }), async (desk) => {
      expect(await desk.run('approve', '--yes')).toMatchObject({ code: 0 })
      hasStarted = true
      const dev = await startDevProcess(game.root, desk.env)
      const hero = /from "([^"]*hero\.sprite\.json[^"]*)"/.exec(await dev.get('/main.js'))?.[1] ?? ''
      const isPlaceholder = async (): Promise<boolean> => (await sheetOf(dev, hero)).includes('"isPlaceholder":true')
      try {
        expect(await isPlaceholder()).toBe(true)
        const runs = [startCli(game, ['build', '--out', 'a'], desk.env), startCli(game, ['build', '--out', 'b', '--json'], desk.env)]
        for (const run of await Promise.all(runs.map(({ ended }) => ended)))
          expect(run, run.stderr).toMatchObject({ code: 0, signal: null })
        await dev.told.next(isBought)
        expect(await isPlaceholder()).toBe(false)
      } finally {
        const { stderr, code, signal } = await dev.stop()
        expect(stderr).toBe('')
        console.log(`the dev server ended with ${signal ?? code}`)
      }
      await expectAllBought(desk, 2, 'two CLIs and a dev server')
      const posts = desk.service.requests().filter(isExecute).length
      console.log(`two CLIs and a dev server: ${desk.service.charges().length} charges for 2 approvals, ${posts} submissions`)
    })
  })
})

describe('a dev server that buys', () => {
  test('I1, I4: Ctrl-C after the submission loses nothing, the next server brings it home, and the page is shown it', {
    timeout: 3 * patienceMs,
  }, async () => {
    const game = await createGame({ ...gameFiles, 'sprites/hero.png': figurePng(), 'sprites/hero.sprite.json': heroSpec() })
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    let tell = (): void => {}
    const submitted = new Promise<void>((resolve) => {
      tell = resolve
    })
    const options = {
      makers: quickMakers({
        until: () => {
          tell()
          return gate
        },
      }),
    }
    await onDesk(openDesk(options, {}, { project: game }), async (desk) => {
      const first = await startDevProcess(game.root, desk.env)
      expect(desk.service.requests()).toEqual([])
      expect(await desk.run('approve', '--yes')).toMatchObject({ code: 0 })
      await submitted
      const { stderr } = await first.stop('SIGINT')
      expect(stderr).toBe('')
      expect(desk.service.charges()).toEqual([])
      const second = await startDevProcess(game.root, desk.env)
      try {
        const hero = /from "([^"]*hero\.sprite\.json[^"]*)"/.exec(await second.get('/main.js'))?.[1] ?? ''
        expect(await sheetOf(second, hero)).toContain('"isPlaceholder":true')
        release()
        await second.told.next(isBought)
        // The page may receive the result a moment before the terminal prints it.
        await second.untilPrinted('hero.walk: bought for')
      } finally {
        await second.stop()
      }
      expect(second.printed()).toContain('hero.walk: is under way, and followed.')
      // If the interruption came before the answer to the POST was recorded, the same bytes were sent again.
      expectCount(desk.service.charges(), 1)
      await expectAllBought(desk, 1, 'a dev server that was interrupted')
    })
  })
})
