import { expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import { createJournal } from '../../src/job/records/journal.ts'
import { createRecordChains } from '../../src/job/records/open-chains.ts'
import type { JournalRecord, RecordType } from '../../src/job/records/record.ts'
import type { ReservationRecord } from '../../src/job/records/shares.ts'
import { formatLockFile, type LockEntry, type LockFile } from '../../src/vault/lockfile.ts'
import type { Workshop } from '../../src/workshop.ts'
import { ringOf, testKey } from '../kit/keys.ts'
import { countingRandom, type MemoryDisk } from '../kit/memory-disk.ts'
import { byLevel } from '../level.ts'
import { type Chance, seededChance } from '../sim/seeded/chance.ts'
import { type Machine, specOf, type Team, team } from '../sim/two-machines.ts'
import { approvalBy, freezeBy, identity } from './attacker.ts'

/** How many states are planted, and the seed of the first one. */
const count = byLevel({ quick: 50, full: 10_000, long: 1_000_000 })
const first = Number(process.env.SPRITEWRIGHT_SEED ?? 1)
const batch = 2_500
const apiKey = 'sw_test_simulated'
const theirs = 'https://attacker.example'

/**
 * The attacker's knowledge of the project: hashes, and everything that the victim has signed for other
 * requests.
 */
interface Known {
  readonly made: Team
  readonly hashes: readonly string[]
  readonly signed: LockEntry
  /** Approvals that the victim has signed for the same request, which no longer count here. */
  readonly ended: readonly Approval[]
  /** The victim's own records of another request. */
  readonly records: ReadonlyMap<string, Uint8Array>
}

type Approval = NonNullable<LockEntry['approval']>

/** The attacker's signatures. Equal ones are made once, because signing takes long and there are few. */
const signatures = new Map<string, unknown>()
function once<T>(key: readonly unknown[], make: () => T): T {
  const name = JSON.stringify(key)
  if (!signatures.has(name)) signatures.set(name, make())
  return signatures.get(name) as T
}
const freezeOnce = (hash: string, asked: Parameters<typeof freezeBy>[2]): ReturnType<typeof freezeBy> =>
  once([hash, asked], () => freezeBy(testKey(66), hash, asked))

async function survey(): Promise<Known> {
  const made = await team()
  const { first: victim } = made
  victim.write('sprites/old.sprite.json', specOf('an old one', 'hero'))
  await victim.approve({ names: ['old'] })
  await victim.build({ names: ['old'] })
  const ended = await endedApprovals(made)
  // The attacker can compute the hashes of the requests of the pull request's specs.
  victim.write('sprites/rogue.sprite.json', specOf('a rogue', 'hero'))
  const shadow = made.copy(victim)
  await shadow.approve()
  const { animations } = shadow.lock()
  const hashes = ['hero.walk', 'rogue.walk'].map((id) => Object.keys(animations[id] ?? {})[0] ?? '')
  const records = [...victim.disk.files].filter(([path]) => /^\/game\/\.spritewright\/submissions\/[0-9a-f]{64}\//.test(path))
  return { made, hashes, signed: victim.entry('old.walk'), ended, records: new Map(records) }
}

/** Lets the victim approve, approve less and take that back; and approve the same in another project. */
async function endedApprovals({ first: victim, neighbour, run }: Team): Promise<readonly Approval[]> {
  const given = async (machine: Machine, max: string): Promise<Approval> => {
    await machine.approve({ names: ['hero'], max: parseCredits(max) })
    return machine.entry('hero.walk').approval as Approval
  }
  const older = await given(victim, '50')
  const revived = await given(victim, '2')
  const copied = await given(neighbour(victim, 'another game'), '50')
  await run((await victim.open()).revoke(['hero']))
  return [older, revived, copied]
}

const error = { reason: 'generation_failed', message: 'no', category: null, retryable: true, code: 'X', requestId: null, details: null }
const execution = '00000000-0000-4000-8000-00000000dead'
const approvedAt = '2020-01-01T00:00:00.000Z'

/** A body of each type of record, near enough to right to be folded. */
function bodyOf(type: RecordType, chance: Chance, hash: string): object {
  const attempt = chance.whole(1, 3)
  const send = chance.whole(1, 3)
  const asked = { maxCredits: chance.pick(['0.1', '1.6', '20']), frames: chance.pick([7, 100]), attempt }
  const { locked: _locked, ...frozen } = freezeOnce(hash, asked)
  const refusal = { attempt, send, status: chance.pick([401, 403, 409, 422, 429]), error }
  const about = chance.pick(['submission', 'answer', 'execution'])
  const bodies: Readonly<Record<RecordType, object>> = {
    frozen,
    sent: { attempt, send, keyTag: 'x' },
    withdrawn: { attempt },
    refused: refusal,
    unknown: { attempt, send, status: null, message: '' },
    accepted: {
      attempt,
      executionId: execution,
      conversationId: 'c',
      ...(chance.is(0.3) ? { approvedAt: chance.pick([null, approvedAt]) } : {}),
    },
    asked: { attempt, executionId: execution, question: { questionId: 'q', text: 'which?', requiresAsset: false } },
    answerFrozen: {
      attempt,
      executionId: execution,
      conversationId: 'c',
      questionId: 'q',
      key: 'sw1-answer-x',
      text: 'mine',
      assetId: null,
    },
    answerSent: { attempt, send, keyTag: 'x' },
    answerRefused: refusal,
    answerUnknown: { attempt, send, status: null, message: '' },
    answerAccepted: { attempt, executionId: execution, conversationId: 'c' },
    completed: { attempt, downloadUrl: `${theirs}/v1/image-jobs/x/asset`, contentType: null, review: null },
    failed: { attempt, status: 'failed', error },
    decided: { attempt, about, decision: chance.pick(['replay', 'abandon']), approvedAt: chance.pick([null, approvedAt]) },
    stored: { attempt, sha256: 'a'.repeat(64), bytes: 1 },
    approved: { attempt, at: approvedAt },
    revoked: { attempt, at: approvedAt },
  }
  return bodies[type]
}

const types: readonly RecordType[] = [
  ...(['frozen', 'sent', 'withdrawn', 'refused', 'unknown', 'accepted', 'asked', 'answerFrozen', 'answerSent', 'answerRefused'] as const),
  ...(['answerUnknown', 'answerAccepted', 'completed', 'failed', 'decided', 'stored', 'approved', 'revoked'] as const),
]

async function plantJournal({ made, records }: Known, disk: MemoryDisk, hash: string, chance: Chance): Promise<void> {
  const folder = '/game/.spritewright/submissions'
  if (chance.is(0.15)) {
    // Some of the victim's own records of another request.
    for (const [path, bytes] of records) if (chance.is(0.7)) disk.files.set(path.replace(/[0-9a-f]{64}/, hash), bytes)
    return
  }
  const ports = { disk, random: countingRandom(), clock: made.world.clock, ...(chance.is(0.5) ? { keys: ringOf(testKey(66)) } : {}) }
  const journal = createJournal(ports, folder)
  let view = await journal.read(hash).catch(() => undefined)
  // Mostly in an order that leads somewhere.
  const lead: readonly RecordType[] = chance.is(0.7) ? (['frozen', 'sent', 'accepted'] as const).slice(0, chance.whole(1, 3)) : []
  for (const type of [...lead, ...Array.from({ length: chance.whole(0, 4) }, () => chance.pick(types))])
    view = view && ((await journal.append(hash, view, type, bodyOf(type, chance, hash) as JournalRecord['body'])) ?? view)
  if (!chance.is(0.2)) return
  const reservations = createRecordChains<ReservationRecord>(ports, { folder })
  await reservations.append('budget', await reservations.read('budget'), 'released', { hash, attempt: 1 })
}

function plantEntry({ signed, ended }: Known, hash: string, chance: Chance): LockEntry {
  const own = signed.approval as Approval
  const { buyer, at, priceVersion } = own
  const forged = once([hash, own.at, own.checkout], () => approvalBy(testKey(66), hash, own))
  const approval = chance.pick([
    undefined,
    { ceiling: '90', priceVersion, buyer, at },
    own,
    { ...own, ceiling: '90', at: '2030-01-01T00:00:00.000Z' },
    forged,
    { ...forged, buyer },
    { ...forged, buyer, publicKey: own.publicKey },
    { ...own, given: 'typed' as const },
    ...ended,
    { ...(ended[0] as Approval), at: '2030-01-01T00:00:00.000Z', expires: '2099-01-01T00:00:00.000Z' },
  ])
  const { locked } = freezeOnce(hash, { maxCredits: chance.pick(['1.6', '20']), frames: 7, attempt: chance.whole(1, 4) })
  const submission = chance.pick([undefined, locked, signed.submission, { ...locked, publicKey: undefined, signature: undefined }])
  return {
    service: { ...identity, ...(chance.is(0.2) ? { host: 'attacker.example' } : {}) },
    asked: { ...signed.asked, prompt: 'a rogue\nwalk' },
    ...(approval ? { approval } : {}),
    ...(submission ? { submission } : {}),
    ...(chance.is(0.2) ? { execution: { id: chance.pick([execution, signed.execution?.id ?? '']), conversation: null } } : {}),
    ...(chance.is(0.1) ? { result: { sha256: 'a'.repeat(64), bytes: 1 } } : {}),
  }
}

/** Everything that a pull request of data can bring, drawn from a seed. */
async function plant(known: Known, machine: Machine, chance: Chance): Promise<void> {
  const { disk } = machine
  const lock: LockFile = {
    version: 1,
    animations: Object.fromEntries(
      ['hero.walk', 'rogue.walk'].flatMap((id, index) => {
        const hash = known.hashes[index] ?? ''
        return chance.is(0.8) ? [[id, { [hash]: plantEntry(known, hash, chance) }]] : []
      }),
    ),
  }
  if (chance.is(0.9)) machine.write('sprites.lock.json', formatLockFile(lock))
  for (const hash of known.hashes) if (chance.is(0.5)) await plantJournal(known, disk, hash, chance)
  const names = ['.env', '.env.local', '.env.development', '.env.development.local']
  const lines = [
    ...(chance.is(0.5) ? [`SPRITEWRIGHT_BASE_URL=${theirs}`] : []),
    ...(chance.is(0.2) ? [`SPRITEWRIGHT_TRUSTED_HOSTS=${theirs}`, 'CI=', `SPRITEWRIGHT_APPROVERS=${testKey(66).fingerprint}`] : []),
    ...(chance.is(0.2) ? [`SPRITEWRIGHT_API_KEY=${chance.pick(['$OWNER_TOKEN', 'x$OWNER_TOKEN'])}`] : []),
    ...(chance.is(0.1) ? ['SPRITEWRIGHT_SIGNING_KEY=x', 'SPRITEWRIGHT_APPROVALS=unattended,standing'] : []),
  ]
  if (lines.length > 0) machine.write(chance.pick(names), lines.join('\n'))
  const config = {
    ...(chance.is(0.3) ? { service: { baseUrl: theirs } } : {}),
    ...(chance.is(0.4) ? { approval: { perSprite: '60', perRun: '600', total: '6000' } } : {}),
    ...(chance.is(0.3) ? { replayWindow: chance.pick(['9m', '10m', '24h', '1ms']), build: { generate: 'approved' } } : {}),
  }
  if (Object.keys(config).length > 0) machine.write('spritewright.config.json', JSON.stringify(config))
  if (chance.is(0.3)) machine.write('.spritewright/buyer', `${known.signed.approval?.buyer}\n`)
  if (chance.is(0.3))
    machine.write('.spritewright/checkout.json', JSON.stringify({ name: known.signed.approval?.checkout, seal: testKey(66).seal('x') }))
}

const verbs: readonly ((workshop: Workshop) => Promise<unknown>)[] = [
  (workshop) => workshop.build({ buyOnly: true }),
  (workshop) => workshop.build({ buyOnly: true, approvedOnly: true }),
  (workshop) => workshop.build({ buyOnly: true, frozen: true }),
  (workshop) => workshop.plan(),
  (workshop) => workshop.pending(),
  (workshop) => workshop.verifyLedger(),
]

test.each(Array.from({ length: Math.ceil(count / batch) }, (_, index) => index * batch + first))(
  'I11: from seed %i on, whatever is planted, nothing is charged without the user’s signature, and the key goes to no host that he did not confirm',
  async (start) => {
    const known = await survey()
    const { made } = known
    const { service } = made.world
    const before = service.requests().length
    const hosts = new Set<string>()
    const net = {
      close: async () => {},
      request: (wanted: Parameters<typeof made.world.net.request>[0]) => {
        const hasKey = Object.values(wanted.headers ?? {}).some((value) => String(value).includes(apiKey))
        if (hasKey) hosts.add(new URL(wanted.url).origin)
        return wanted.url.startsWith(theirs) ? Promise.reject(new Error('gone')) : made.world.net.request(wanted)
      },
    }
    const ends = new Map<string, number>()
    for (let seed = start; seed < Math.min(start + batch, first + count); seed++) {
      const chance = seededChance(`planted ${seed}`)
      const machine = made.copy(made.first)
      for (const path of [...machine.disk.files.keys()]) if (path.startsWith('/game/.spritewright/')) machine.disk.files.delete(path)
      await plant(known, machine, chance)
      // Some owners have the address in their environment; the others have named none.
      const env: Record<string, string> = {
        VITEST: undefined as never,
        ...((chance.is(0.7) ? {} : { SPRITEWRIGHT_BASE_URL: undefined as never }) as object),
        // Some have the key under another name, which a planted file may guess.
        ...((chance.is(0.8) ? {} : { SPRITEWRIGHT_API_KEY: undefined as never, OWNER_TOKEN: apiKey }) as object),
      }
      const run = chance.pick(verbs)
      const end = await machine
        .open({ env, net })
        .then((workshop) => made.run(run(workshop)))
        .then(
          () => 'done',
          (thrown: { code?: string; errors?: readonly { code?: string }[]; stack?: string }) =>
            thrown.code ?? thrown.errors?.[0]?.code ?? `${thrown.stack}`,
        )
      ends.set(end, (ends.get(end) ?? 0) + 1)
      expect(hosts.has(theirs), `seed ${seed}`).toBe(false)
      expect([service.charges().length, service.holds().length], `seed ${seed}`).toEqual([1, 0])
    }
    // Most runs got as far as the service, or a refusal that is about money.
    expect([...ends.keys()].filter((end) => !/^(done|SW_[A-Z_]+)$/.test(end))).toEqual([])
    expect(
      service
        .requests()
        .slice(before)
        .filter(({ method }) => method === 'POST'),
    ).toEqual([])
    console.log(
      `planted from ${start}: ${[...ends].map(([end, times]) => `${end} ${times}`).join(', ')}; ${service.requests().length - before} reads`,
    )
  },
)
