import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import { createClones } from '../../src/workshop/worker/clones.ts'
import type { OpenedProject } from '../../src/workshop/worker/opened-project.ts'
import type { WorkerEvent } from '../../src/workshop.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

const over = new AbortController()

describe('the projects of a worker', () => {
  interface Project {
    readonly name?: string
    readonly host?: string
    readonly queue?: string
    readonly reasons?: Map<string, string>
    /** Why its service cannot be reached, or `silence`. */
    fault?: Error | 'silence' | undefined
    readonly isBare?: boolean
  }

  /** A worker of `/own` beside the projects that its settings name, by their folders. */
  function workerOf(projects: Readonly<Record<string, Project>>, others = Object.keys(projects).filter((root) => root !== '/own')) {
    const clock = new ManualClock()
    const disk = new MemoryDisk()
    const calls: string[] = []
    const told: WorkerEvent[] = []
    const setOthers = (roots: readonly string[]): void => {
      const settings = { worker: { projects: roots.map((dir) => ({ dir })) } }
      disk.files.set('/state/settings.json', new TextEncoder().encode(JSON.stringify(settings)))
    }
    setOthers(others)
    const opened = new Map<string, OpenedProject>()
    const open = (root: string): OpenedProject => {
      const { name, host = 'h', queue = 'redis://q', reasons = new Map() } = projects[root] ?? {}
      const repository = { head: async (at: string) => (projects[at]?.isBare ? undefined : 'c') }
      const context = {
        ...{ name, warnings: [], patience: { reasons }, storeFolder: `${root}/.spritewright`, keySearch: {} },
        host: { clock, disk, stateFolder: '/state', env: {}, repository },
        options: { root, service: { queue }, store: { shared: 's', journal: 'j', dir: root } },
        reservations: { shares: async () => [] },
      }
      const connection = {
        host,
        open: async () => {
          calls.push(`open ${root}`)
          const { fault } = projects[root] ?? {}
          if (fault === 'silence') return new Promise<never>(() => {})
          if (fault) throw fault
          return { places: { taken: async () => [] }, identity: root }
        },
        close: async () => void calls.push(`close ${root}`),
      }
      const project = { context, connection } as unknown as OpenedProject
      opened.set(root, project)
      return project
    }
    const clones = createClones(
      open('/own'),
      async (root) => {
        calls.push(`load ${root}`)
        return open(root)
      },
      (event) => told.push(event),
    )
    const names = (): readonly string[] => clones.list().map(({ name, context }) => `${name} ${context.options.root}`)
    return { clones, clock, calls, told, names, setOthers, warningsOf: (root: string) => opened.get(root)?.context.warnings }
  }
  const away = new SpritewrightError('SW_UNREACHABLE', { message: 'Nobody answers.' })
  const wrong = new SpritewrightError('SW_CONFIG', { message: 'A wrong setting.' })

  test('are served in their order with their names, and by their folders if two share a name', async () => {
    const { clones, calls, names, told, warningsOf } = workerOf({
      ...{ '/own': { name: 'castle' }, '/a': { name: 'space' }, '/b': { name: 'castle' }, '/c': {} },
    })
    expect((await clones.load()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'])
    await clones.open(over.signal)
    expect(names()).toEqual(['/own /own', 'space /a', '/b /b', '/c /c'])
    const [own, space] = clones.list()
    own?.tell({ kind: 'bought', message: 'x', fields: { id: 'i' } })
    warningsOf('/a')?.push('one', 'two')
    clones.tellWarnings()
    warningsOf('/a')?.push('three')
    clones.tellWarnings()
    clones.tellWarnings()
    space?.tell({ kind: 'active', message: 'y' })
    expect(told).toEqual([
      { kind: 'bought', message: '/own: x', fields: { id: 'i', project: '/own' } },
      ...['one', 'two', 'three'].map((words) => ({ kind: 'warning', message: `space: ${words}`, fields: { project: 'space' } })),
      { kind: 'active', message: 'space: y', fields: { project: 'space' } },
    ])
    await clones.close()
    const loads = ['load /a', 'load /b', 'load /c']
    expect(calls).toEqual([...loads, ...['/own', '/a', '/b', '/c'].map((root) => `open ${root}`), 'close /a', 'close /b', 'close /c'])
  })

  test('are opened once, begun again after a lease is left, and no more served when the settings name them no more', async () => {
    const { clones, calls, names, setOthers, told } = workerOf({ '/own': { name: 'castle' }, '/a': { name: 'space' } })
    await clones.open(over.signal)
    await clones.open(over.signal)
    expect(calls.splice(0).toSorted()).toEqual(['load /a', 'open /a', 'open /own'])
    clones.leave()
    expect(names()).toEqual([])
    await clones.open(over.signal)
    setOthers([])
    await clones.open(over.signal)
    const [own] = clones.list()
    own?.tell({ kind: 'active', message: 'alone' })
    expect([names(), calls, told]).toEqual([
      ['castle /own'],
      ['open /own', 'open /a'],
      [{ kind: 'active', message: 'alone', fields: { project: 'castle' } }],
    ])
  })

  test('that cannot be served are told once for each reason, and tried again', async () => {
    const projects: Record<string, Project> = { '/own': { name: 'castle' }, '/a': { name: 'space', fault: away } }
    const { clones, names, told } = workerOf(projects)
    const next = async (fault: Project['fault']): Promise<readonly unknown[]> => {
      if (projects['/a']) projects['/a'].fault = fault
      await clones.open(over.signal)
      return told.splice(0)
    }
    const event = (words: string): object => ({
      ...{ kind: 'warning', message: `space is not served, and is tried again: ${words}`, fields: { project: 'space' } },
    })
    expect([await next(away), await next(away), await next(wrong)]).toEqual([[event('Nobody answers.')], [], [event('A wrong setting.')]])
    expect([names(), await next(undefined), names()]).toEqual([['castle /own'], [], ['castle /own', 'space /a']])
    clones.leave()
    expect(await next(wrong)).toEqual([event('A wrong setting.')])
  })

  test('of which none can be served end it with the error that does not pass, else with the first', async () => {
    const later = new SpritewrightError('SW_UNREACHABLE', { message: 'Later.' })
    const open = (own: Error, other: Error): Promise<void> =>
      workerOf({ '/own': { fault: own }, '/a': { fault: other } }).clones.open(over.signal)
    await expect(open(away, wrong)).rejects.toBe(wrong)
    await expect(open(away, later)).rejects.toBe(away)
  })

  test('whose stores do not answer keep the others for a minute, and are told with the reason', async () => {
    const reasons = new Map([['s', 'the store s3://team does not answer']])
    const { clones, clock, names, told, calls } = workerOf({
      ...{ '/own': { name: 'castle' }, '/a': { name: 'space', fault: 'silence', reasons }, '/b': { name: 'slow', fault: 'silence' } },
    })
    let isOpen = false
    const opening = clones.open(over.signal).then(() => {
      isOpen = true
    })
    await clock.advance(59_999)
    expect([isOpen, clones.waits()]).toEqual([false, ['the store s3://team does not answer']])
    await clock.advance(1)
    await opening
    const message = (name: string, why: string): string =>
      `${name} is not served, and is tried again: Expected the stores of ${name} to answer within a minute, found that ${why}.`
    expect(told.map((event) => event.message)).toEqual([
      message('space', 'the store s3://team does not answer'),
      message('slow', 'they are slow'),
    ])
    const again = clones.open(over.signal)
    await clock.advance(60_000)
    await again
    expect([names(), calls.filter((call) => call.startsWith('open'))]).toEqual([['castle /own'], ['open /own', 'open /a', 'open /b']])
  })

  test.each<[string, Project, string, string]>([
    [
      'another service',
      { host: 'other' },
      'SW_CONFIG',
      'Expected the projects of one worker to name the same service, found h in /own and other in /a. Correct its configuration, or start another worker for it.',
    ],
    [
      'another queue',
      { queue: 'redis://other' },
      'SW_CONFIG',
      'Expected the projects of one worker to name the same queue, found redis://q in /own and redis://other in /a. Correct its configuration, or start another worker for it.',
    ],
    [
      'no repository',
      { isBare: true },
      'SW_ORDER',
      "Expected /a to be in a clone of the project's repository, found none. A worker reads what it buys from commits: clone the repository, and start the worker there.",
    ],
  ])('with %s are not served', async (_what, project, code, message) => {
    const { clones } = workerOf({ '/own': {}, '/a': project })
    const [own, other] = await clones.load()
    expect([own?.status, other]).toMatchObject([
      'fulfilled',
      { status: 'rejected', reason: { code, message, facts: code === 'SW_CONFIG' ? { root: '/a' } : {} } },
    ])
  })
})
