import { beforeAll, describe, expect, test } from 'vitest'
import { sha256 } from '../../src/host/sha256.ts'
import type { PruneLine, PruneReport, PruneRequest, ResultUse, StoredResult, Workshop } from '../../src/workshop.ts'
import { figurePng } from '../kit/project.ts'
import { quickMakers } from '../kit/quick-makers.ts'
import { type Machine, type ProcessInit, specOf, type Team, team } from '../sim/two-machines.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const stray = encode('a stray')
const folder = '/game/.spritewright'
/** Results of a project by what they are: asked for, another take, of an older spec, a sheet, its step, known to no record. */
type Role = 'asked' | 'take' | 'older' | 'sheet' | 'step' | 'stray'

let world: Team
let bought: Machine
const hashes = new Map<Role, string>()
const hashOf = (role: Role): string => hashes.get(role) ?? ''

/** A text in which roles replace their hashes. */
function named(value: unknown): unknown {
  const text = JSON.stringify(value, (_key, one) => (typeof one === 'bigint' ? `${one}` : one)) ?? 'null'
  return JSON.parse([...hashes].reduce((all, [role, hash]) => all.replaceAll(hash, role).replaceAll(hash.slice(0, 12), role), text))
}

beforeAll(async () => {
  let drawn = 0
  const { sheet } = quickMakers({ size: 4 })
  world = await team({
    makers: {
      image: async () => ({ bytes: figurePng(7), contentType: 'image/png', width: 64, height: 64, review: null }),
      // Two takes of one request differ.
      sheet: (request, prompt, tools) => sheet(request, `${prompt} ${++drawn}`, tools),
    },
  })
  const { first } = world
  const buy = async (id: string, ...roles: readonly Role[]): Promise<void> => {
    await first.approve()
    await first.build()
    const { animations, steps = {} } = first.lock()
    const entries = [...Object.values(animations[id] ?? {}), ...(roles.length > 1 ? Object.values(steps) : [])]
    const fresh = entries.flatMap(({ result }) => (result && ![...hashes.values()].includes(result.sha256) ? [result.sha256] : []))
    for (const [at, role] of roles.entries()) hashes.set(role, fresh[at] ?? '')
  }
  await buy('hero.walk', 'older')
  first.write('sprites/hero.sprite.json', specOf('a king', 'hero'))
  await buy('hero.walk', 'take')
  first.write('sprites/hero.sprite.json', specOf('a king', 'hero').replace('"frames":7', '"frames":7,"take":2'))
  await buy('hero.walk', 'asked')
  const chain = { reference: { steps: [{ text: 'a person' }] }, prompt: 'a rogue', animations: { run: { frames: 9 } } }
  first.write('sprites/rogue.sprite.json', JSON.stringify(chain))
  await buy('rogue.run', 'sheet', 'step')
  hashes.set('stray', sha256(stray))
  first.write(`.spritewright/results/${sha256(stray)}.bin`, stray)
  bought = first
})

/** A copy of the project in an own world of files, and its workshop with a shared store. */
async function opened(name: string, init: ProcessInit = {}): Promise<{ machine: Machine; workshop: Workshop; shared: string }> {
  const machine = world.copy(bought)
  const shared = `/share/${name}`
  for (const path of world.share.files.keys()) if (path.startsWith(`${shared}/`)) world.share.files.delete(path)
  return { machine, shared, workshop: await machine.open({ options: { store: { shared } }, ...init }) }
}

const pathOf = (role: Role, place = `${folder}/results`): string =>
  `${place}/${hashOf(role)}.${role === 'stray' ? 'bin' : role === 'step' ? 'png' : 'zip'}`
const filesIn = ({ disk }: Pick<Machine, 'disk'>, place = `${folder}/results`): unknown =>
  (named([...disk.files.keys()].flatMap((path) => (path.startsWith(`${place}/`) ? [path.slice(place.length + 1)] : []))) as string[]).sort()
const sizeOf = (role: Role): number => bought.disk.files.get(pathOf(role))?.length ?? 0
/** Requests that reached the service during some work. */
async function asked<T>(work: () => Promise<T>): Promise<{ readonly answer: T; readonly requests: readonly string[] }> {
  const before = world.world.service.requests().length
  const answer = await world.run(work())
  const requests = world.world.service.requests().slice(before)
  return { answer, requests: requests.map(({ method, path }) => `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}.*/, 'ID')}`) }
}

/** One use, with whether its request and execution are those of the lock file. */
function useWords({ id, request, state, take, isPicture, executionId, service }: ResultUse): string {
  const { animations, steps = {} } = bought.lock()
  const entry = { ...animations[id], ...steps }[request]
  const isRight = executionId !== undefined && entry?.execution?.id === executionId
  return `${id} ${state}, take ${take}, picture ${isPicture}, execution ${isRight}, ${service?.host} ${service?.keyMode}`
}

describe('a list of results', () => {
  test('has each once with its uses and places, sorted, and what is set aside and of others', async () => {
    const { machine, workshop, shared } = await opened('list')
    machine.write(`.spritewright/quarantine/${hashOf('older')}.0badc0de.zip`, 'torn')
    world.share.files.set(`${shared}/quarantine/${hashOf('stray')}.0badc0de.bin`, encode('torn too'))
    for (const name of ['a', 'b']) world.share.files.set(`${shared}/${name.repeat(64)}.zip`, encode('of others'))
    world.share.files.set(pathOf('take', shared), encode('any bytes'))
    machine.disk.files.delete(pathOf('sheet'))
    const { answer, requests } = await asked(() => workshop.store.list())
    const { results, ...rest } = answer
    const row = ({ sha256: hash, bytes, state, uses, places }: StoredResult): unknown => [
      hash,
      bytes,
      state,
      places.join(),
      uses.map(useWords),
    ]
    const at = '127.0.0.1:1 test'
    expect(named(results.map(row))).toEqual([
      ['asked', sizeOf('asked'), 'used', 'project', [`hero.walk used, take 2, picture false, execution true, ${at}`]],
      ['take', sizeOf('take'), 'take', 'project,shared', [`hero.walk take, take 1, picture false, execution true, ${at}`]],
      ['older', sizeOf('older'), 'superseded', 'project', [`hero.walk superseded, take 1, picture false, execution true, ${at}`]],
      ['step', sizeOf('step'), 'used', 'project', [`rogue#1 used, take undefined, picture true, execution true, ${at}`]],
      ['sheet', sizeOf('sheet'), 'used', '', [`rogue.run used, take 1, picture false, execution true, ${at}`]],
      ['stray', stray.length, 'unknown', 'project', []],
    ])
    const torn = { name: 'older.0badc0de', sha256: 'older', path: `${folder}/quarantine/older.0badc0de.zip`, place: 'project', bytes: 4 }
    const other = { name: 'stray.0badc0de', sha256: 'stray', path: `${shared}/quarantine/stray.0badc0de.bin`, place: 'shared', bytes: 8 }
    expect([named(rest), requests]).toEqual([{ quarantined: [torn, other], othersInShared: 2, warnings: [] }, []])
    const some = await world.run(workshop.store.list([hashOf('stray').slice(0, 8), 'rogue#1']))
    expect(named([some.results.map((one) => one.sha256), some.quarantined.map(({ name }) => name)])).toEqual([
      ['step', 'stray'],
      ['stray.0badc0de'],
    ])
  })
})

describe('copies', () => {
  test('go to the shared store and come back, each counted and told, and what neither place has whole is named', async () => {
    const { machine, workshop, shared } = await opened('copies')
    const told: string[] = []
    const tell = (done: number, of: number): void => void told.push(`${done}/${of}`)
    machine.disk.files.set(pathOf('sheet'), encode('torn'))
    machine.disk.files.set(pathOf('older'), encode('torn'))
    world.share.files.set(pathOf('step', shared), figurePng(7))
    const lacking = [
      { sha256: 'older', ids: ['hero.walk'], isUsed: false },
      { sha256: 'sheet', ids: ['rogue.run'], isUsed: true },
    ]
    expect(named(await world.run(workshop.store.push([], undefined, tell)))).toEqual({
      copied: ['asked', 'take', 'stray'],
      bytes: sizeOf('asked') + sizeOf('take') + stray.length,
      present: 1,
      lacking,
      folder: shared,
      warnings: [],
    })
    for (const role of ['asked', 'take', 'stray'] as const) machine.disk.files.delete(pathOf(role))
    expect(named(await world.run(workshop.store.pull([], undefined, tell)))).toEqual({
      copied: ['asked', 'take'],
      bytes: sizeOf('asked') + sizeOf('take'),
      present: 1,
      lacking,
      folder: `${folder}/results`,
      warnings: [],
    })
    expect(named(await world.run(workshop.store.pull(['rogue'])))).toMatchObject({ copied: [], present: 1, lacking: lacking.slice(1) })
    expect(told).toEqual(['1/6', '2/6', '3/6', '4/6', '5/6', '6/6', '1/5', '2/5', '3/5', '4/5', '5/5'])
    expect([filesIn(machine), filesIn({ disk: world.share }, shared)]).toEqual([
      ['asked.zip', 'step.png', 'take.zip'],
      ['asked.zip', 'step.png', 'stray.bin', 'take.zip'],
    ])
  })
})

describe('a check', () => {
  test('reads, mends and fetches what is owed, and says of each finding what was done', async () => {
    const { machine, workshop, shared } = await opened('verify')
    const told: string[] = []
    world.share.files.set(pathOf('asked', shared), machine.disk.files.get(pathOf('asked')) as Uint8Array)
    machine.disk.files.set(pathOf('asked'), encode('torn'))
    world.share.files.set(pathOf('take', shared), encode('torn'))
    machine.disk.files.delete(pathOf('older'))
    machine.disk.files.delete(pathOf('sheet'))
    const { answer, requests } = await asked(() =>
      workshop.store.verify({
        onFetch: (ids) => told.push(`fetches ${ids}`),
        onProgress: (done, of) => told.push(`${done}/${of}`),
      }),
    )
    expect(named(answer)).toEqual({
      checked: 5,
      good: 1,
      bytes: sizeOf('asked') + sizeOf('take') + sizeOf('step'),
      findings: [
        { sha256: 'asked', ids: ['hero.walk'], outcome: 'mended', damaged: ['project'], words: 'copied from the good one (shared)' },
        { sha256: 'take', ids: ['hero.walk'], outcome: 'mended', damaged: ['shared'], words: 'copied from the good one (project)' },
        {
          sha256: 'older',
          ids: ['hero.walk'],
          outcome: 'absent',
          damaged: [],
          words: 'no present spec asks for it; to fetch it anyway, give its name or hash',
        },
        {
          sha256: 'sheet',
          ids: ['rogue.run'],
          outcome: 'mended',
          damaged: [],
          words: 'fetched again from the service, free of charge',
        },
      ],
      swept: [],
      warnings: [expect.stringContaining(`The shared store ${shared} has wrong bytes under the name take.`)],
    })
    expect(told.toSorted()).toEqual(['1/5', '2/5', '3/5', '4/5', '5/5', 'fetches rogue.run'])
    expect(requests).toEqual(['GET /v1/capabilities', 'GET /v1/executions/ID', 'GET /v1/image-jobs/ID', 'GET /deliveries/ID'])
    expect([filesIn(machine), filesIn({ disk: world.share }, shared)]).toEqual([
      ['asked.zip', 'sheet.zip', 'step.png', 'stray.bin', 'take.zip'],
      ['asked.zip', expect.stringMatching(/^quarantine\/take\.[0-9a-f]{8}\.zip$/), 'sheet.zip', 'take.zip'],
    ])
  })
})

const refusals: readonly (readonly [names: readonly (Role | string)[], more: Partial<PruneRequest>, message: string])[] = [
  [
    ['nobody'],
    {},
    'Expected the name of a result, or at least 8 digits of its hash, found "nobody". There are: hero.walk, rogue#1, rogue.run. All of them: npx spritewright store ls',
  ],
  [['rogue'], {}, deleting('rogue', 'a present spec asks for all of its results here')],
  [['hero.walk', 'asked'], {}, deleting('asked', 'a present spec asks for it: hero.walk')],
  [['sheet'], { force: true }, deleting('sheet', 'a present spec asks for it: rogue.run')],
  [
    ['older', 'stray'],
    {},
    'Nothing could restore stray: the service does not have it, or no execution id of it is recorded, and there is no other copy. Nothing was deleted. If it may be lost for good: --force',
  ],
  [['take'], {}, deleting('take', 'only the shared store has it, which other projects use too; with --shared it goes from there')],
  [['older'], { fromShared: true }, deleting('older', 'the shared store does not have it')],
  [['step'], { fromShared: true }, deleting('step', 'a present spec asks for it: rogue#1')],
  [
    ['stray.0badc0de'],
    {},
    deleting('stray.0badc0de', 'only the shared store has it, which other projects use too; with --shared it goes from there'),
  ],
  [['older.0badc0de'], { fromShared: true }, deleting('older.0badc0de', 'the shared store does not have it')],
  ...[['hero'], []].map((names) => {
    const found = names.length === 0 ? 'no name' : '"hero"'
    const words = `Expected hashes with --shared, found ${found}: other projects use the shared store too. The hashes: npx spritewright store ls --json`
    return [names, { fromShared: true }, words] as const
  }),
]

function deleting(name: string, why: string): string {
  return `Expected a result that may be deleted, found "${name}": ${why}. Nothing was deleted.`
}

describe('a prune', () => {
  /** Replaces roles by their hashes. */
  const toNames = (names: readonly string[]): string[] =>
    names.map((name) => [...hashes].reduce((text, [role, hash]) => text.replace(new RegExp(`^${role}(?=$|\\.)`), hash), name))

  test('refuses what a spec asks for, what is in the other place and what would be lost, and says which and why', async () => {
    const { machine, workshop, shared } = await opened('refused')
    machine.write(`.spritewright/quarantine/${hashOf('older')}.0badc0de.zip`, 'torn')
    world.share.files.set(`${shared}/quarantine/${hashOf('stray')}.0badc0de.bin`, encode('torn too'))
    for (const role of ['step', 'take'] as const)
      world.share.files.set(pathOf(role, shared), machine.disk.files.get(pathOf(role)) as Uint8Array)
    for (const role of ['sheet', 'take'] as const) machine.disk.files.delete(pathOf(role))
    const files = [filesIn(machine), filesIn({ disk: world.share }, shared)]
    const confirm = async (): Promise<boolean> => expect.unreachable()
    const found: unknown[] = []
    for (const [names, more] of refusals)
      await world
        .run(workshop.store.prune({ names: toNames(names), confirm, ...more }))
        .catch((error) => found.push([error.code, named(error.message)]))
    expect(found).toEqual(refusals.map(([, , message]) => ['SW_USAGE', message]))
    expect([filesIn(machine), filesIn({ disk: world.share }, shared)]).toEqual(files)
  })

  test('asks with every line and how each could be had again, and deletes from the meant place alone', async () => {
    const { machine, workshop, shared } = await opened('prune')
    for (const role of ['older', 'stray'] as const)
      world.share.files.set(pathOf(role, shared), machine.disk.files.get(pathOf(role)) as Uint8Array)
    for (const [role, text] of [
      ['older', 'torn'],
      ['asked', 'torn too'],
    ] as const)
      machine.write(`.spritewright/quarantine/${hashOf(role)}.0badc0de.zip`, text)
    const seen: unknown[] = []
    const prune = async (names: readonly string[], more: Partial<PruneRequest> = {}): Promise<unknown> => {
      const confirm = async (lines: readonly PruneLine[]): Promise<boolean> => seen.push(named(lines)) > 1
      return named(await world.run(workshop.store.prune({ names: toNames(names), confirm, ...more })))
    }
    const line = (role: Role, ids: readonly string[], state: string, recovery?: string): object => ({
      ...{ name: role, ids, bytes: role === 'stray' ? stray.length : sizeOf(role), state, ...(recovery && { recovery }) },
    })
    const [take, older] = [line('take', ['hero.walk'], 'take'), line('older', ['hero.walk'], 'superseded')] as const
    const torn = { name: 'older.0badc0de', ids: [], bytes: 4, state: 'quarantined' }
    const other = { name: 'asked.0badc0de', ids: [], bytes: 8, state: 'quarantined' }
    const list = (await prune([])) as PruneReport
    expect({ ...list, lines: new Set(list.lines) }).toEqual({
      lines: new Set([take, older, line('stray', [], 'unknown'), torn, other]),
      isDone: false,
      bytes: sizeOf('take') + sizeOf('older') + stray.length + 12,
    })
    const lines = [
      { ...older, recovery: 'shared' },
      { ...take, recovery: 'service' },
      { ...other, recovery: 'copy' },
      { ...torn, recovery: 'shared' },
    ]
    const bytes = sizeOf('take') + sizeOf('older') + 12
    const names = ['hero', 'take', 'asked.0badc0de']
    expect([await prune(names), filesIn(machine, folder)]).toEqual([
      { lines, isDone: false, bytes },
      expect.arrayContaining(['results/take.zip']),
    ])
    expect([await prune(names), seen]).toEqual([{ lines, isDone: true, bytes }, [lines, lines]])
    const left = ['asked.zip', 'sheet.zip', 'step.png', 'stray.bin']
    expect([filesIn(machine), filesIn(machine, `${folder}/quarantine`)]).toEqual([left, []])
    expect(filesIn({ disk: world.share }, shared)).toEqual(['older.zip', 'stray.bin'])
    expect(await prune(['older', 'stray'], { fromShared: true })).toEqual({
      lines: [{ ...older, recovery: 'service' }, line('stray', [], 'unknown', 'copy')],
      isDone: true,
      bytes: sizeOf('older') + stray.length,
    })
    expect([filesIn(machine), filesIn({ disk: world.share }, shared)]).toEqual([left, []])
  })
})
