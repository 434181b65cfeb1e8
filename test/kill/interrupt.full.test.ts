import { existsSync, openSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { HookedRequest } from '../../src/embedded/options/options.ts'
import { testWith } from '../kit/needs.ts'
import { patienceMs } from '../kit/patience.ts'
import { heroSpec, startCli } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type Desk, expectAllBought, onDesk, openDesk } from './desk.ts'
import { isExecute } from './posts.ts'

const oneSprite = { 'sprites/hero.sprite.json': heroSpec() }

/** A door at which a request waits until it is opened. */
interface Door {
  /** Resolves when the first request waits there, with its name. */
  readonly knocked: Promise<string>
  /** Waits until the door is open. */
  wait(who: string): Promise<void>
  open(): void
}

function createDoor(): Door {
  let knock = (_who: string): void => {}
  let open = (): void => {}
  const knocked = new Promise<string>((resolve) => {
    knock = resolve
  })
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return {
    knocked,
    open,
    wait: (who) => {
      knock(who)
      return opened
    },
  }
}

/** Waits for words on the standard error of a running CLI. */
function said({ child }: ReturnType<typeof startCli>, words: string): Promise<void> {
  return new Promise((resolve) => {
    let text = ''
    child.stderr?.on('data', (part: Buffer) => {
      text += part.toString()
      if (text.includes(words)) resolve()
    })
  })
}

async function approvedDesk(options: Parameters<typeof openDesk>[0]): Promise<Desk> {
  const desk = await openDesk(options, oneSprite)
  expect(await desk.run('approve', '--yes')).toMatchObject({ code: 0 })
  return desk
}

const nameOf = ({ method, path, origin }: HookedRequest): string => `${method} ${origin} ${path.replace(/\?.*$/, '')}`

/** A request of a build: its name, and how many of that name came before it, as `GET api /v1/balance 0`. */
const placeOf = (request: HookedRequest, seen: Map<string, number>): string => {
  const name = nameOf(request)
  const before = seen.get(name) ?? 0
  seen.set(name, before + 1)
  return `${name} ${before}`
}

/**
 * Presses Ctrl-C while the service delays one request of a build. The build ends by itself if that request
 * does not come: how often the status is read depends on the speed of the machine.
 *
 * @param at The request; `undefined` for none.
 * @returns All requests of the build in order.
 */
async function interruptedAt(at: string | undefined): Promise<readonly string[]> {
  const door = createDoor()
  const stream = createDoor()
  let isBuilding = false
  const places: string[] = []
  const seen = new Map<string, number>()
  const before = async (request: HookedRequest): Promise<undefined> => {
    if (request.path.endsWith('/events')) stream.open()
    if (!isBuilding) return undefined
    const place = placeOf(request, seen)
    places.push(place)
    if (place === at) await door.wait(nameOf(request))
    return undefined
  }
  // The job lasts until its stream is requested, so that every run gets to that request.
  const makers = quickMakers({ until: () => stream.wait('the job') })
  return onDesk(approvedDesk({ before, makers }), async (desk) => {
    isBuilding = true
    const cli = startCli(desk.project, ['build', '--buy-only'], desk.env)
    const stopping = said(cli, 'Stopping.')
    const where = await Promise.race([door.knocked, cli.ended.then(() => undefined)])
    if (where !== undefined) {
      cli.child.kill('SIGINT')
      if (where === 'POST api /v1/execute') {
        // The first Ctrl-C does not break off a request that may cost money, but waits for its answer. The
        // second one ends at once.
        await stopping
        cli.child.kill('SIGINT')
      }
      // The service still does not answer, so the process ends without it. If everything is bought and only
      // the new balance is missing, nothing was interrupted.
      const isBought = desk.service.charges().length > 0 && where === 'GET api /v1/balance'
      expect(await cli.ended, where).toMatchObject({ code: isBought ? 0 : 130 })
    }
    isBuilding = false
    door.open()
    const again = await desk.run('build', '--buy-only')
    expect(again.code, `${where}: ${again.stderr}`).toBe(0)
    await expectAllBought(desk, 1, `${where}`)
    return places
  })
}

describe('Ctrl-C on a real process that buys', () => {
  test('I1, I4: at every request it ends with 130 without waiting for the service, and the next run ends with one charge', {
    timeout: 3 * patienceMs,
  }, async () => {
    const places = await interruptedAt(undefined)
    const names = places.map((place) => place.replace(/ \d+$/, ''))
    expect(names).toContain('POST api /v1/execute')
    expect(names.some((name) => name.startsWith('GET assets'))).toBe(true)
    expect(names.some((name) => name.endsWith('/events'))).toBe(true)
    for (const place of places) await interruptedAt(place)
    console.log(`Ctrl-C at each of ${places.length} requests: it ended with 130, or with 0 where all was bought; one charge each`)
  })

  test('I4: the submission in flight is answered after the first Ctrl-C: it is recorded, and is not sent again', async () => {
    const door = createDoor()
    const before = async (request: HookedRequest): Promise<undefined> => {
      if (isExecute(request)) await door.wait('the submission')
      return undefined
    }
    await onDesk(approvedDesk({ before }), async (desk) => {
      const cli = startCli(desk.project, ['build', '--buy-only'], desk.env)
      const stopping = said(cli, 'Stopping.')
      await door.knocked
      cli.child.kill('SIGINT')
      await stopping
      door.open()
      expect(await cli.ended).toMatchObject({ code: 130 })
      expect(await desk.run('build', '--buy-only')).toMatchObject({ code: 0 })
      await expectAllBought(desk, 1, 'one Ctrl-C')
      expect(desk.posts.count()).toBe(1)
    })
  })

  test.each([['once'], ['twice']])(
    'I4: %s while the job runs, it goes on at the service, and the next run has it for the same money',
    async (times) => {
      const job = createDoor()
      await onDesk(approvedDesk({ makers: quickMakers({ until: () => job.wait('the job') }) }), async (desk) => {
        const cli = startCli(desk.project, ['build', '--buy-only', '--json'], desk.env)
        await job.knocked
        // The execution may already be followed or not; in both cases, the process does not wait for the job.
        cli.child.kill('SIGINT')
        if (times === 'twice') cli.child.kill('SIGTERM')
        expect(await cli.ended).toMatchObject({ code: 130 })
        expect(desk.service.charges()).toEqual([])
        job.open()
        expect(await desk.run('build', '--buy-only')).toMatchObject({ code: 0 })
        await expectAllBought(desk, 1, times as string)
      })
    },
  )
})

describe('a reader of the output that goes away', () => {
  const ends = [
    ['stdout', []],
    ['stderr', []],
    ['both', []],
    ['stdout', ['--json']],
    ['both', ['--json']],
  ] as const
  test.each(ends)('%s closed with %j: it buys to the end, with exit code 0 and whole papers', async (closed, more) => {
    await onDesk(approvedDesk({}), async (desk) => {
      const cli = startCli(desk.project, ['build', '--out', 'out', ...more], desk.env)
      if (closed !== 'stderr') cli.child.stdout?.destroy()
      if (closed !== 'stdout') cli.child.stderr?.destroy()
      expect(await cli.ended).toMatchObject({ code: 0, signal: null })
      await expectAllBought(desk, 1, `${closed} closed`)
    })
  })

  test('the exit code of a failure stays what it is', async () => {
    await onDesk(openDesk({}, oneSprite), async (desk) => {
      for (const args of [['build'], ['build', '--json']]) {
        const cli = startCli(desk.project, args, desk.env)
        cli.child.stdout?.destroy()
        cli.child.stderr?.destroy()
        expect(await cli.ended).toMatchObject({ code: 3, signal: null })
      }
      expect(desk.posts.count()).toBe(0)
    })
  })

  testWith(existsSync('/dev/full'), '/dev/full')('output that a full disk does not take is a failure, and is told', async () => {
    await onDesk(openDesk({}, oneSprite), async (desk) => {
      const cli = startCli(desk.project, ['plan', '--json'], desk.env, openSync('/dev/full', 'w'))
      const { code, stderr } = await cli.ended
      expect(stderr).toMatch(/SW_DISK .*ENOSPC/)
      expect(code).toBe(1)
    })
  })
})
