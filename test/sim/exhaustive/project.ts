import { type Approval, signApproval } from '../../../src/credit/approval.ts'
import { parseCredits } from '../../../src/credit/credits.ts'
import { createLedger } from '../../../src/credit/ledger.ts'
import type { SigningKey } from '../../../src/credit/signing-key.ts'
import type { Clock } from '../../../src/host/clock.ts'
import type { Disk } from '../../../src/host/disk.ts'
import type { Net } from '../../../src/host/net.ts'
import type { Random } from '../../../src/host/random.ts'
import { sha256 } from '../../../src/host/sha256.ts'
import { askedFields, type JobPorts, type Order } from '../../../src/job/order.ts'
import { createJournal } from '../../../src/job/records/journal.ts'
import { createReservations } from '../../../src/job/records/reservations.ts'
import { createUploads } from '../../../src/job/uploads.ts'
import { createClient } from '../../../src/service/client.ts'
import { unlimitedPlaces } from '../../../src/service/limits/places.ts'
import type { Capabilities } from '../../../src/service/wire.ts'
import { requestHash } from '../../../src/sprite-spec/key.ts'
import type { SheetRequest } from '../../../src/sprite-spec/request.ts'
import type { RecordStore } from '../../../src/stores/record-store.ts'
import { createVault } from '../../../src/vault/layers.ts'
import { createLockStore } from '../../../src/vault/lock-store.ts'
import { formatLockFile } from '../../../src/vault/lockfile.ts'
import { ringOf, testKey } from '../../kit/keys.ts'
import type { SmallRules } from '../../kit/small-service.ts'
import { diskWith } from './disk.ts'
import type { DiskImage } from './image.ts'

const minute = 60_000
const storeFolder = '/game/.spritewright'
const copyFolder = '/state/journals/0123456789abcdef'
export const lockPath: string = '/game/sprites.lock.json'

/** All places to which the code below the workshop may write. */
export const places: readonly string[] = [`${storeFolder}/`, lockPath, '/state/']

/** How long an unanswered submission may be replayed. */
export const windowMs: number = 10 * minute
/** The same with a shared journal. */
const sharedWindowMs = 8 * minute

const picture = new TextEncoder().encode('\u0089PNG, as far as anybody below the workshop looks')

const request: SheetRequest = {
  operation: 'sprite_sheet',
  id: 'hero.walk',
  prompt: 'a small figure\nwalks',
  reference: { kind: 'file', sha256: sha256(picture) },
  frames: 7,
  background: 'remove',
  take: 1,
}

/** The rules of the service, unless a scenario has others. */
export const usualRules: SmallRules = {
  apiOrigin: 'https://service.test',
  assetsOrigin: 'https://files.test',
  apiKey: 'sw_test_exhaustive',
  credits: parseCredits('999999999999999'),
  priceVersion: 'sprite-base-frame-20261017-v1',
  frames: { minimum: 7, maximum: 100 },
  jobMs: 0,
  retentionMs: 30 * minute,
  linkMs: 15 * minute,
  fate: () => 'completes',
  stream: 'ends',
  zip: new TextEncoder().encode('PK\u0003\u0004 seven frames'),
}

/** The name of the result in the vault. */
export const resultSha256: string = sha256(usualRules.zip)

/** The account's capabilities, as the workshop reads them once a run. */
export const capabilities: Capabilities = {
  apiVersion: '1',
  keyMode: 'test',
  operations: ['sprite_sheet'],
  assumed: [],
  imageCredits: parseCredits('1'),
  maximumInputBytes: null,
  maximumInputDimension: null,
  maximumSourceInputBytes: null,
  supportedInputExtensions: null,
  serverSentEvents: null,
  managedExecute: null,
  interactiveQuestions: null,
  stagedInputUploads: null,
  testModeUsesCredits: null,
  minimumFrames: 7,
  maximumFrames: 100,
}

/** The key that signed the approval, and the key of another machine. */
export const ownKey: SigningKey = testKey(1)
export const otherKey: SigningKey = testKey(2)

const identity = { host: 'service.test', keyMode: 'test', apiVersion: '1' } as const
const hash = requestHash(request, identity)
/** The request that the order asks for. */
export const orderedHash: string = hash

const nothing = new Uint8Array()

/**
 * The one order.
 *
 * @param ceiling Ten-thousandths of a credit.
 * @param by Key of the user who has approved it.
 */
export function orderUnder(ceiling: bigint, by: SigningKey = ownKey): Order {
  return {
    hash,
    request,
    identity,
    reference: { kind: 'file', sha256: sha256(picture), file: { bytes: picture, contentType: 'image/png' } },
    approval: approvalFor(hash, ceiling, by),
  }
}

/**
 * The n-th of several orders, from 1. The first one is {@link orderUnder}'s.
 *
 * @param ceiling Ten-thousandths of a credit.
 */
export function numberedOrder(number: number, ceiling: bigint): Order {
  const first = orderUnder(ceiling)
  if (number === 1) return first
  const asked: SheetRequest = { ...request, id: `hero.${number}`, take: number }
  const of = requestHash(asked, identity)
  return { ...first, request: asked, hash: of, approval: approvalFor(of, ceiling) }
}

/** The approval of a user for a request. The second user approves later. */
export function approvalFor(of: string, ceiling: bigint, by: SigningKey = ownKey): Approval {
  const terms = {
    ceiling,
    priceVersion: usualRules.priceVersion,
    at: by === ownKey ? '2026-09-21T14:13:20.000Z' : '2026-09-21T14:43:20.000Z',
    given: 'typed' as const,
    checkout: 'desk',
  }
  return signApproval(by, of, identity, terms)
}

/**
 * The project before its first build. It has an approval and no purchase, and the workshop has made the
 * folders for the buyer's name.
 *
 * @param ceiling As the lock file records it.
 * @param by Key of the user who has approved it.
 * @param more Further files.
 */
export function approvedProject(ceiling: string, by: SigningKey = ownKey, more: Readonly<Record<string, Uint8Array>> = {}): DiskImage {
  const approval = { ...approvalFor(hash, parseCredits(ceiling), by), ceiling }
  const entry = { service: identity, asked: askedFields(request), approval }
  const lock = formatLockFile({ version: 1, animations: { [request.id]: { [hash]: entry } } })
  return diskWith({
    [lockPath]: new TextEncoder().encode(lock),
    [`${storeFolder}/`]: nothing,
    [`${copyFolder}/`]: nothing,
    ...more,
  })
}

/** The ports of a process to the world. */
export interface ProcessPorts {
  readonly disk: Disk
  readonly net: Net
  readonly clock: Clock
  readonly random: Random
}

/** The settings of a checkout. */
export interface Checkout {
  /** Ceiling of everything that the project ever buys. */
  readonly total: bigint
  /** Whether a second copy of the journal is kept. */
  readonly hasCopy: boolean
  /** The key of the user who runs it. */
  readonly key: SigningKey
  /** Opens the journal that it shares with other machines, if there is one. */
  readonly share?: ((ports: ProcessPorts) => RecordStore) | undefined
}

/** The real code below the workshop over these ports, wired as the workshop wires it. */
export function jobPorts(ports: ProcessPorts, { total, hasCopy, key, share }: Checkout): JobPorts {
  const { disk, net, clock, random } = ports
  // The two users trust each other.
  const approvers = { own: key.fingerprint, checkout: 'desk', others: new Set(share ? [ownKey.fingerprint, otherKey.fingerprint] : []) }
  const shared = share && { store: share(ports), approvers: async () => approvers }
  const client = createClient({ net, clock, random }, { baseUrl: usualRules.apiOrigin, key: usualRules.apiKey })
  const chains = { folder: `${storeFolder}/submissions`, copy: hasCopy ? `${copyFolder}/submissions` : undefined, shared }
  const keys = ringOf(key)
  const sealing = { disk, clock, random, keys }
  const journal = createJournal(sealing, chains)
  const lock = createLockStore({ disk, random }, lockPath, { path: `${storeFolder}/submissions/turn`, clock })
  return {
    client,
    capabilities,
    journal,
    lock,
    vault: createVault({ disk, random, clock }, { local: storeFolder, rescue: [`${copyFolder}/results`] }, () => {}),
    faultOf: () => undefined,
    ledger: createLedger(disk, `${storeFolder}/ledger.jsonl`),
    reservations: createReservations(
      sealing,
      chains,
      { journal, lock },
      async () => total,
      async () => 'Raise it',
    ),
    uploads: createUploads({ disk, random, client, keys }, `${storeFolder}/uploads`, identity),
    places: unlimitedPlaces,
    clock,
    random,
    mayBuy: true,
    mayReplay: true,
    approvers,
    keys,
    windowMs: share ? sharedWindowMs : windowMs,
    elsewhereMs: share && 90_000,
    onProgress: () => {},
    warn: () => {},
    underWay: new Map(),
    signal: new AbortController().signal,
  }
}

/**
 * Whether a path is lost with the project's store, or, on another machine, with everything except the lock
 * file.
 */
export function isLostWith(path: string, isElsewhere: boolean): boolean {
  if (isElsewhere) return !['/game', lockPath, '/state'].includes(path)
  return path.startsWith(`${storeFolder}/`)
}

/** Whether a path is that of a journal's record. */
export function isRecordPath(path: string): boolean {
  return path.includes('/submissions/') && path.endsWith('.json')
}

/** Whether a path is that of an object of the vault. */
export function isResultPath(path: string): boolean {
  return path.startsWith(`${storeFolder}/results/${resultSha256}.`) && !path.endsWith('.tmp')
}
