import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Approval, signApproval } from '../../src/credit/approval.ts'
import { defaultShapes } from '../../src/embedded/http/shapes.ts'
import { type Host, nodeHost } from '../../src/host/host.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { signSubmission } from '../../src/job/body.ts'
import { askedFields, idempotencyKey } from '../../src/job/order.ts'
import type { RecordBodies, RecordType } from '../../src/job/records/record.ts'
import { resolveOptions } from '../../src/options/options.ts'
import { type Context, openContext } from '../../src/project/context.ts'
import { requestHash } from '../../src/sprite-spec/key.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { type ServiceIdentity, type SheetRequest, toRequests } from '../../src/sprite-spec/request.ts'
import type { AnimationSpec } from '../../src/sprite-spec/spec.ts'
import type { LockChange } from '../../src/vault/lock-store.ts'
import type { LockEntry } from '../../src/vault/lockfile.ts'
import { figurePng } from './project.ts'
import { quickMakers } from './quick-makers.ts'

/** No request ever goes to the service of these projects: port 9 would refuse. */
const serviceHost = '127.0.0.1:9'
const identity: ServiceIdentity = { host: serviceHost, keyMode: 'test', apiVersion: '1' }
/** Sprites in one atlas group, and in one folder. */
export const perGroup = 20
const framesOfSprite = 7

/** The environment of a project of {@link makeManySprites}. A user's state is outside of the projects. */
export function manySpritesEnv(root: string): Record<string, string> {
  return { SPRITEWRIGHT_BASE_URL: `http://${serviceHost}`, XDG_STATE_HOME: `${root}.state` }
}

/** The host of such a project: this machine, with a disk that flushes nothing. */
export function manySpritesHost(root: string): Host {
  const machine = nodeHost()
  const env = manySpritesEnv(root)
  const disk = { ...machine.disk, sync: async () => {}, syncFolder: async () => {} }
  return { ...machine, disk, env, stateFolder: join(`${root}.state`, 'spritewright'), workingFolder: root }
}

/** Further results of a project. */
export interface OtherResults {
  /** Results that are only in the store, as from other branches. */
  readonly stored?: number
  /** Purchases of the same sprites with records and lock entries, as from earlier prompts. */
  readonly earlier?: number
}

/**
 * Makes a project of many bought sprites, in atlas groups of 20. Quick makers draw a result for each. Vault,
 * journal with its second copy, and lock file are written by the product's own functions.
 */
export async function makeManySprites(root: string, sprites: number, { stored = 0, earlier = 0 }: OtherResults = {}): Promise<void> {
  write(join(root, 'package.json'), JSON.stringify({ name: 'game', private: true, type: 'module', dependencies: { phaser: '^4.0.0' } }))
  const context = openProject(root)
  const picture = figurePng()
  const requests: SheetRequest[] = []
  for (let index = 0; index < sprites; index++) {
    const file = specFile(root, index)
    if (index % perGroup === 0) write(join(dirname(file), 'reference.png'), picture)
    const text = JSON.stringify({
      reference: './reference.png',
      prompt: `a small figure, number ${index}`,
      atlas: groupName(index),
      animations: { walk: { frames: framesOfSprite } },
    })
    write(file, text)
    const spec = parseSpec(text, file)
    const request = toRequests(spec, spec.animations[0] as AnimationSpec, sha256(picture), () => '').request as SheetRequest
    requests.push(request)
    const before = Math.floor((earlier * (index + 1)) / sprites) - Math.floor((earlier * index) / sprites)
    for (let round = 0; round < before; round++) requests.push({ ...request, prompt: `${request.prompt}, idea ${round}` })
  }
  const changes: LockChange[] = []
  for (const request of requests) changes.push(await buy(context, request))
  await context.lock.changeAll(changes)
  for (let index = 0; index < stored; index++) await context.vault.put(await draw(`a stored figure, number ${index}`))
}

/** Edits the prompt of every tenth sprite, so that it is no longer bought, or takes the edit back. */
export function editEveryTenth(root: string, sprites: number, isEdited: boolean): void {
  for (let index = 0; index < sprites; index += 10) {
    const file = specFile(root, index)
    const spec = JSON.parse(readFileSync(file, 'utf8')) as { readonly prompt: string }
    const prompt = spec.prompt.replace(/, edited$/, '')
    writeFileSync(file, JSON.stringify({ ...spec, prompt: isEdited ? `${prompt}, edited` : prompt }))
  }
}

/** Path of the spec of a sprite, by the sprite's number. */
export function specFile(root: string, index: number): string {
  return join(root, 'sprites', groupName(index), `sprite${String(index).padStart(5, '0')}.sprite.json`)
}

function groupName(index: number): string {
  return `group${String(Math.floor(index / perGroup)).padStart(3, '0')}`
}

function openProject(root: string): Context {
  const service = { baseUrl: `http://${serviceHost}` }
  const options = resolveOptions({ service }, { root, isCi: false, dependencies: ['phaser'] })
  return openContext(manySpritesHost(root), options, {}, { name: 'game', configSource: 'the test' })
}

/** Stores a result and its records as a purchase does. Returns the change of the lock file. */
async function buy({ keys, checkout, journal, vault }: Context, request: SheetRequest): Promise<LockChange> {
  const hash = requestHash(request, identity)
  const key = await keys.readOrMake()
  const at = new Date(1_760_000_000_000).toISOString()
  const terms = { ceiling: 24_000n, priceVersion: '1', at, given: 'typed', checkout: await checkout.readOrMake() } as const
  const approval: Approval = signApproval(key, hash, identity, terms)
  const body = JSON.stringify({ operation: 'sprite_sheet', prompt: request.prompt, frames: request.frames, background: request.background })
  const bytesToSend = { body, bodySha256: sha256(new TextEncoder().encode(body)) }
  const frozen = { attempt: 1, key: idempotencyKey(identity, hash, 1), ...bytesToSend, maxCredits: '2.4' }
  const submission = signSubmission(key, hash, frozen)
  const bytes = await draw(request.prompt)
  const result = { sha256: await vault.put(bytes), bytes: bytes.length }
  const executionId = `exec_${hash.slice(0, 24)}`
  const { ceiling: _, priceVersion, at: approvedAt, ...approvedBy } = approval
  const downloadUrl = `http://${serviceHost}/${executionId}`
  let view = await journal.read(hash)
  const append = async <T extends RecordType>(type: T, record: RecordBodies[T]): Promise<void> => {
    view = (await journal.append(hash, view, type, record)) ?? view
  }
  await append('frozen', { ...frozen, ceiling: '2.4', priceVersion, approvedAt, approvedBy })
  await append('sent', { attempt: 1, send: 1, keyTag: hash.slice(0, 16) })
  await append('accepted', { attempt: 1, executionId, conversationId: null })
  await append('completed', { attempt: 1, executionId, downloadUrl, contentType: 'application/zip', review: null })
  await append('stored', { attempt: 1, executionId, ...result })
  const entry: LockEntry = {
    service: identity,
    asked: askedFields(request),
    approval: { ...approval, ceiling: '2.4' },
    submission,
    execution: { id: executionId, conversation: null },
    result,
  }
  return { id: request.id, hash, change: () => entry }
}

async function draw(prompt: string): Promise<Uint8Array> {
  const tools = { names: defaultShapes.names, jobMs: 0, earlier: 0, readPicture: async () => undefined, onStep: async () => {} }
  const request = { operation: 'sprite_sheet', frames: framesOfSprite, background: 'remove' } as Parameters<typeof sheet>[0]
  const made = await sheet(request, prompt, tools)
  if (!('bytes' in made)) throw new Error(made.message)
  return made.bytes
}

const { sheet } = quickMakers({ size: 16 })

function write(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}
