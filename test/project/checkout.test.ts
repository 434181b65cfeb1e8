import { describe, expect, test } from 'vitest'
import { formatSigningKey } from '../../src/credit/signing-key.ts'
import { readApprovers, validForMs } from '../../src/project/trust/approvers.ts'
import { openCheckoutName } from '../../src/project/trust/checkout.ts'
import { openKeyRing } from '../../src/project/trust/key-ring.ts'
import { openProjectTotal } from '../../src/project/trust/project-total.ts'
import { openStandingFile } from '../../src/project/trust/standing-file.ts'
import type { RecordStore } from '../../src/stores/record-store.ts'
import { keyEnv, ringOf, testKey } from '../kit/keys.ts'
import { leapingClock } from '../kit/leaping-clock.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { countingRandom, MemoryDisk } from '../kit/memory-disk.ts'
import { MemoryRecordStore } from '../kit/memory-record-store.ts'

const path = '/game/.spritewright/checkout.json'

/** Opens the name of a checkout on a disk, as the user of a key. */
function open(disk: MemoryDisk, user = 1, copy?: string, shared?: RecordStore) {
  const folders = { own: '/game/.spritewright', copy }
  return openCheckoutName({ clock: leapingClock(), disk, random: countingRandom() }, ringOf(testKey(user)), folders, shared)
}

async function named(): Promise<{ disk: MemoryDisk; name: string; write: (changes: object) => void }> {
  const disk = new MemoryDisk()
  const name = await open(disk).readOrMake()
  const whole = JSON.parse(new TextDecoder().decode(disk.files.get(path))) as object
  return { disk, name, write: (changes) => disk.files.set(path, new TextEncoder().encode(JSON.stringify({ ...whole, ...changes }))) }
}

describe('the name of a checkout', () => {
  test('is read again by a later run of its user', async () => {
    const { disk, name } = await named()
    expect(await open(disk).read()).toBe(name)
  })

  test('of a shared journal counts for that store alone: another store has a name of its own', async () => {
    const disk = new MemoryDisk()
    const storeAt = (address: string): RecordStore => Object.assign(new MemoryRecordStore(leapingClock()), { address })
    const [one, other] = [storeAt('postgres://one'), storeAt('postgres://other')]
    const name = await open(disk, 1, undefined, one).readOrMake()
    expect(await open(disk, 1, undefined, one).read()).toBe(name)
    expect([await open(disk).read(), await open(disk, 1, undefined, other).read()]).toEqual([undefined, undefined])
    expect(await open(disk, 1, undefined, other).readOrMake()).not.toBe(name)
  })

  test('counts for no other user', async () => {
    const { disk } = await named()
    expect(await open(disk, 2).read()).toBeUndefined()
  })

  test.each(['EROFS', 'EACCES', 'ENOSPC'])('is made although the state folder takes no copy of it (%s)', async (code) => {
    const disk = new MemoryDisk()
    disk.fault = { call: 'write /state/', code }
    const name = await open(disk, 1, '/state/game').readOrMake()
    expect([...disk.files.keys()]).toEqual([path])
    expect(await open(disk, 1, '/state/game').readOrMake()).toBe(name)
  })

  test('is an error if the project itself takes none', async () => {
    const disk = new MemoryDisk()
    disk.fault = { call: 'write /game/', code: 'EROFS' }
    await expect(open(disk, 1, '/state/game').readOrMake()).rejects.toMatchObject({ code: 'EROFS' })
  })

  test.each([path, '/state/game/checkout.json'])('survives the loss of %s, and the next run makes that file again', async (lost) => {
    const disk = new MemoryDisk()
    const name = await open(disk, 1, '/state/game').readOrMake()
    disk.files.delete(lost)
    expect(await open(disk, 1, '/state/game').read()).toBe(name)
    expect(await open(disk, 1, '/state/game').readOrMake()).toBe(name)
    expect([...disk.files.keys()].sort()).toEqual([path, '/state/game/checkout.json'])
  })

  test.each([
    ['another name under the seal of the first', { name: 'clone' }],
    ['a seal that is none', { seal: '' }],
    ['no seal', { seal: undefined }],
    ['the seal of another text', { seal: testKey(1).seal('clone') }],
  ])('does not count with %s', async (_what, changes) => {
    const { disk, write } = await named()
    write(changes)
    expect(await open(disk).read()).toBeUndefined()
  })
})

describe("a user's signing key", () => {
  const file = '/state/signing-key.pem'
  const ring = (disk: MemoryDisk, env: object = {}) =>
    openKeyRing({ disk, random: countingRandom(), env: env as Record<string, string>, stateFolder: '/state' })

  test('is made at its first use alone, kept, and the same for every later run and for a run that has waited', async () => {
    const disk = new MemoryDisk()
    const waiting = ring(disk)
    expect([await waiting.read(), disk.files.size]).toEqual([undefined, 0])
    const made = await ring(disk).readOrMake()
    expect([...disk.files.keys()]).toEqual([file])
    expect((await waiting.read())?.fingerprint).toBe(made.fingerprint)
    expect((await ring(disk).readOrMake()).fingerprint).toBe(made.fingerprint)
    // One run goes on with the key that it has read.
    disk.files.delete(file)
    expect(await waiting.readOrMake()).toBe(await waiting.read())
  })

  test('is the one of the environment, if that has one: no file is read or made', async () => {
    const disk = new MemoryDisk()
    disk.files.set(file, new TextEncoder().encode(formatSigningKey(new Uint8Array(32).fill(2))))
    expect((await ring(disk, keyEnv(1)).readOrMake()).fingerprint).toBe(testKey(1).fingerprint)
    expect((await ring(disk, { SPRITEWRIGHT_SIGNING_KEY: ' ' }).read())?.fingerprint).toBe(testKey(2).fingerprint)
    disk.files.set(file, new TextEncoder().encode('no key'))
    await expect(ring(disk).readOrMake()).rejects.toMatchObject({ code: 'SW_CONFIG', facts: { source: file } })
    await expect(ring(disk, { SPRITEWRIGHT_SIGNING_KEY: 'x' }).read()).rejects.toMatchObject({
      facts: { source: 'SPRITEWRIGHT_SIGNING_KEY' },
    })
  })

  test('of two processes that make one at the same time is the first one, and where none can be kept there is none', async () => {
    const disk = new MemoryDisk()
    const first = await ring(disk).readOrMake()
    const [bytes] = [...disk.files.values()]
    disk.files.clear()
    const stat = disk.stat.bind(disk)
    disk.stat = async (path) => {
      const found = await stat(path)
      if (!found && path === file) disk.files.set(file, bytes as Uint8Array)
      return found
    }
    const other = openKeyRing({
      disk,
      random: { ...countingRandom(), bytes: (n) => new Uint8Array(n).fill(7) },
      env: {},
      stateFolder: '/state',
    })
    expect((await other.readOrMake()).fingerprint).toBe(first.fingerprint)
    const full = new MemoryDisk()
    full.fault = { call: 'write', code: 'ENOSPC' }
    await expect(ring(full).readOrMake()).rejects.toMatchObject({ code: 'SW_DISK', facts: { file }, cause: { code: 'ENOSPC' } })
  })
})

describe('who may approve here', () => {
  const [alice, bob] = [testKey(3).fingerprint, testKey(4).fingerprint]
  const project = 'a'.repeat(32)
  interface World {
    readonly env?: Readonly<Record<string, string>>
    readonly settings?: object
    readonly memory?: object
    readonly accept?: readonly ('touched' | 'typed' | 'clicked')[]
    readonly name?: string
  }
  async function approvers({ env = {}, settings, memory, accept, name }: World) {
    const disk = new MemoryDisk()
    if (settings) disk.files.set('/state/settings.json', new TextEncoder().encode(JSON.stringify(settings)))
    return readApprovers({
      host: { disk, env, stateFolder: '/state' },
      keys: ringOf(testKey(1)),
      checkout: { isShared: name === 'team', read: async () => name, readOrMake: async () => 'made' },
      memory: { read: async () => memory as never },
      touchKeys: { list: async () => [] },
      options: { approvalAccept: accept },
    })
  }
  const day = 24 * 3_600_000
  const own = { own: testKey(1).fingerprint, isKeyFromEnvironment: false, project: undefined, touchKeys: [] }

  test('is the user, and whom the environment and the settings name; each limit of the ways takes ways away', async () => {
    expect(await approvers({})).toEqual({ ...own, others: new Set(), checkout: 'none', isShared: false })
    const env = {
      ...keyEnv(1),
      SPRITEWRIGHT_APPROVERS: ` ${alice},`,
      SPRITEWRIGHT_PROJECT: ` ${project} `,
      SPRITEWRIGHT_APPROVALS: 'touched typed',
    }
    const memory = { firstRun: 5 * day, latest: 7 * day, accept: ['typed', 'clicked'] }
    expect(await approvers({ env, settings: { approvers: [bob] }, memory, name: 'team' })).toEqual({
      ...{ ...own, isKeyFromEnvironment: true, project, others: new Set([alice, bob]), checkout: 'team', isShared: true },
      ...{ oldUntil: 35 * day, latest: 7 * day, given: new Set(['typed']) },
    })
    expect((await approvers({ accept: ['clicked'], memory })).given).toEqual(new Set(['clicked']))
    expect(await approvers({ memory: 'damaged' as never })).toMatchObject({ latest: Number.POSITIVE_INFINITY })
  })

  test.each<[string, World]>([
    ['SPRITEWRIGHT_APPROVERS', { env: { SPRITEWRIGHT_APPROVERS: alice.slice(1) } }],
    ['settings.json', { settings: { approvers: [alice.toUpperCase()] } }],
    ['SPRITEWRIGHT_APPROVALS', { env: { SPRITEWRIGHT_APPROVALS: 'touched,tiped' } }],
    ['SPRITEWRIGHT_PROJECT', { env: { SPRITEWRIGHT_PROJECT: `${project}a` } }],
  ])('is refused for a wrong word in %s, instead of being somebody else', async (_where, world) => {
    await expect(approvers(world)).rejects.toMatchObject({ code: 'SW_CONFIG' })
  })

  test.each([
    ['', undefined, 30 * day],
    [' 12h ', undefined, day / 2],
    ['90d', 40 * day, 40 * day],
    ['2d', 40 * day, 2 * day],
    ['', 40 * day, 30 * day],
  ])('approves for %j of the environment and %j of the configuration: %d ms', (text, configured, ms) => {
    expect(validForMs({ env: { SPRITEWRIGHT_VALID_FOR: text } }, configured)).toBe(ms)
    expect(() => validForMs({ env: { SPRITEWRIGHT_VALID_FOR: 'soon' } }, configured)).toThrow(
      expect.objectContaining({ code: 'SW_CONFIG' }),
    )
  })
})

describe('the accepted ceilings of a project', () => {
  const service = { host: 'https://api.example.com', keyMode: 'live' }
  const ceilings = { perSprite: 24_000n, total: 90_000n }
  const at = (disk: MemoryDisk, user = 1, place = 'game') =>
    openStandingFile({ disk, random: countingRandom(), clock: new ManualClock(), stateFolder: '/state' }, ringOf(testKey(user)), place)

  test('are read as they were accepted, by that user and for that project, unless the file is damaged or changed', async () => {
    const disk = new MemoryDisk()
    expect(await at(disk).read()).toBe(undefined)
    await at(disk).accept(ceilings, service)
    const time = new Date(new ManualClock().wall()).toISOString()
    expect(await at(disk).read()).toMatchObject({ ceilings, service, at: time })
    const [[path = '', bytes = new Uint8Array()] = []] = [...disk.files]
    expect(path).toBe('/state/standing/game.json')
    disk.files.set('/state/standing/other.json', bytes)
    expect([await at(disk, 2).read(), await at(disk, 1, 'other').read()]).toEqual([undefined, undefined])
    const text = new TextDecoder().decode(bytes)
    for (const changed of [text.replace('"2.4"', '"24"'), text.replace('"2.4"', '2.4'), text.replace('live', 'test'), '{']) {
      disk.files.set(path, new TextEncoder().encode(changed))
      expect(await at(disk).read(), changed).toBe(undefined)
    }
  })

  test.each([
    [undefined, undefined, undefined, undefined, undefined, /^Raise approval\.total in spritewright\.config$/],
    [5n, undefined, undefined, 5n, undefined, /^Raise approval\.total in spritewright\.config$/],
    [5n, 7n, 9n, 5n, 7n, /^Raise approval\.total in spritewright\.config$/],
    [7n, 7n, undefined, 7n, 7n, /^Raise .* and accept it/],
    [9n, 8n, 7n, 7n, 7n, /^That total was accepted or used here before/],
    [undefined, 7n, 'damaged', 7n, 7n, /^That total was accepted or used here before/],
  ] as const)('the total of %s, %s and %s is %s', async (configured, accepted, remembered, total, limit, advice) => {
    const standing = { read: async () => (accepted === undefined ? undefined : ({ ceilings: { total: accepted } } as never)) }
    const facts = remembered === 'damaged' ? remembered : ({ total: remembered } as never)
    const project = openProjectTotal(configured, standing, { read: async () => facts })
    expect([await project.read(), await project.accepted()]).toEqual([total, limit])
    expect(await project.howToRaise()).toMatch(advice)
  })
})
