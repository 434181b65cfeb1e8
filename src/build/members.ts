import { type Bitmap, cutSequence } from '../../atlas/index.ts'
import type { SpritewrightError } from '../errors.ts'
import type { Decoder } from '../host/decoding.ts'
import { buildKey } from '../spec/key.ts'
import { animationId } from '../spec/request.ts'
import type { BuildCache } from './cache.ts'
import type { KeptMember } from './cache-schema.ts'
import type { TextureEncoder } from './encode-sheet.ts'
import { readPlayed, type SequenceReport, toSequence } from './frames.ts'
import { recallFrames } from './kept-frames.ts'
import type { Layout } from './layout.ts'
import type { SheetMemory } from './memory.ts'
import { isSequenceOf, packSequence, toKnownReport, toParts, toReport, unpackSequence } from './sequence-cache.ts'
import { framesKey, memberKey, playedKey } from './sheet-key.ts'
import type { DeliveryLayout, SheetInput } from './sources.ts'

/** Raised whenever equal inputs may give other bytes than before, or what is kept has another shape. */
export const formatVersion: number = 13

/** What the making of sheets needs. */
export interface SheetPorts {
  readonly cache: BuildCache
  /** Version of what reads, scales and encodes pictures: another one may make other bytes. @default not told */
  readonly codec?: string | undefined
  readonly layout?: DeliveryLayout | undefined
  /** Encodes KTX2; needed where that is among the encodings. */
  readonly encodeTexture?: TextureEncoder | undefined
  /** How groups are put together: a sprite alone may have the name of a group. @default group */
  readonly grouping?: 'group' | 'sprite' | undefined
  /** Where frames lay before; read with `stable` alone. @default nothing has lain anywhere */
  readonly earlier?: Layout | undefined
  /** Reads results on another thread, where there are many. @default all are read on this one */
  readonly openDecoder?: (() => Decoder) | undefined
  /** Ends the making with its reason, at the next animation, group or strip of a page; what is finished by then is kept. @default nothing does */
  readonly signal?: AbortSignal | undefined
  /** Takes one sentence for a person. */
  readonly warn: (message: string) => void
  /** Takes what is wrong with touched-up frames; their group is then made without any. @default it is thrown */
  readonly onOverrideFault?: ((fault: SpritewrightError) => void) | undefined
  /** Whether the frames of an animation (`sprite.animation`) are looked at even where many have to be opened; what is known already is told in any case. @default only where few have */
  readonly isJudged?: ((id: string) => boolean) | undefined
  /** What was made a moment ago. @default nothing: whatever the cache does not hold is made anew */
  readonly memory?: SheetMemory | undefined
}

/** Animations that may be opened anew at once and are all looked at: a sprite that came or was edited, not a cache that was cleared. What the last build has not looked at waits until somebody asks. */
const fewAnimations = 8

/** Results that are open at once: one is read or written while another is unpacked. */
const lanes = 2

/** Results from which on another thread is worth its start and its memory. */
const manyResults = 150

/** An animation of a group. */
export interface Member {
  readonly report: SequenceReport
  /** As what it is kept; undefined where its frames are whole. */
  readonly kept?: KeptMember
}

/**
 * Few at a time: of a large project only what lies on the pages fits into memory.
 *
 * @param before What is known of animations of an earlier build: their pixels are read when they are drawn, see `loadPixels`.
 */
export async function readMembers(
  members: readonly SheetInput[],
  scales: readonly number[],
  before: readonly KeptMember[],
  ports: SheetPorts,
): Promise<readonly Member[]> {
  const byKey = new Map(before.map((member) => [member.key, member]))
  const byFrames = new Map(before.map((member) => [member.frames, member]))
  /** Frames of a result that an earlier build has cut. A profile that reads results may read them otherwise by now. */
  const alikeOf = (input: SheetInput): KeptMember | undefined => {
    const key = before.length === 0 || ports.layout || ports.memory ? undefined : framesKey(input)
    return key === undefined ? undefined : byFrames.get(key)
  }
  // Smaller scales are made from whole frames.
  const isCut = scales.length === 1 && scales[0] === 1
  const known: (Member | undefined)[] = []
  const alike: (KeptMember | undefined)[] = []
  for (const input of members) {
    const member = isCut ? await recall(input, byKey, ports) : undefined
    known.push(member)
    alike.push(isCut && !member ? alikeOf(input) : undefined)
  }
  const isFew = known.filter((member) => member === undefined).length <= fewAnimations
  const isMany = known.filter((member, at) => !member && !alike[at] && members[at]?.source.kind === 'result').length >= manyResults
  const decoder = isMany ? ports.openDecoder?.() : undefined
  const all: Member[] = []
  const pictures = new Map<string, Bitmap>()
  let next = 0
  const lane = async (): Promise<void> => {
    for (let index = next++; index < members.length; index = next++) {
      ports.signal?.throwIfAborted()
      const input = members[index] as SheetInput
      const kept = known[index]
      const isBought = ports.isJudged?.(animationId(input.spec, input.animation)) === true
      // Frames that are played otherwise are looked at where they have been.
      const twin = alike[index]
      const isJudged = isBought || (isFew && (twin === undefined || twin.head.quality !== undefined))
      // What is kept is opened again only for what was bought just now.
      const isEnough = kept && (kept.report.quality !== undefined || input.source.kind !== 'result' || !isBought)
      all[index] = isEnough ? kept : await readAnew(input, isJudged, isCut ? { pictures, twin } : undefined, { ...ports, decoder })
    }
  }
  // The first failure ends all lanes, and they are waited for: what they write belongs to this build.
  const stopping = (error: unknown): never => {
    next = members.length
    throw error
  }
  const ends = await Promise.allSettled(Array.from({ length: lanes }, () => lane().catch(stopping)))
  await decoder?.close()
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return all
}

/** What lies on the pages of an animation, kept for the next time that only others of its group change. */
async function recall(input: SheetInput, before: ReadonlyMap<string, KeptMember>, ports: SheetPorts): Promise<Member | undefined> {
  const { cache, codec } = ports
  const key = sequenceKey(input, codec)
  const name = `${input.spec.name}/${input.animation.name}`
  const readKept = async (): Promise<ReturnType<typeof unpackSequence>> => {
    const bytes = await cache.read(key)
    return bytes && unpackSequence(bytes, name)
  }
  const known = before.get(key)
  if (known && isSequenceOf(known.head, name) && (await cache.has(key))) {
    const read = async (): Promise<Uint8Array> => (await readKept())?.pixels ?? readPixels(input, ports)
    return { report: toKnownReport(known.head, read), kept: known }
  }
  const kept = await readKept()
  if (!kept) return undefined
  return { report: toReport(kept.head, kept.pixels), kept: { key, head: kept.head, frames: framesKey(input) } }
}

/** Of an animation that turns out to be damaged when it is drawn, as they would be kept: the same input gives the same pixels in the same order. */
async function readPixels(input: SheetInput, ports: SheetPorts): Promise<Uint8Array> {
  const { report } = await readAnew(input, false, { pictures: new Map() }, { ...ports, decoder: undefined })
  return Buffer.concat(toParts(report).pixels)
}

/** What helps to cut frames. */
interface CutAids {
  /** Pictures of the group so far. */
  readonly pictures: Map<string, Bitmap>
  /** The same frames, as an earlier build has cut them. */
  readonly twin?: KeptMember | undefined
}

/** @param cuts Undefined where frames stay whole. */
async function readAnew(
  input: SheetInput,
  isJudged: boolean,
  cuts: CutAids | undefined,
  ports: SheetPorts & { readonly decoder: Decoder | undefined },
): Promise<Member> {
  const { layout, decoder, memory, cache, codec } = ports
  const twin = cuts?.twin
  const read = (): ReturnType<typeof readPlayed> =>
    readPlayed(input, {
      layout,
      decoder,
      isJudged,
      isCut: cuts !== undefined && !memory,
      ...(twin ? { recall: () => recallFrames(input, twin, cache) } : {}),
    })
  const report = await toSequence(input, await (memory?.played(playedKey(input, isJudged), read) ?? read()))
  if (!cuts) return { report }
  const cut = { ...report, sequence: cutSequence(report.sequence, cuts.pictures) }
  const key = sequenceKey(input, codec)
  const parts = toParts(cut)
  await cache.write(key, ...packSequence(parts))
  return { report: cut, kept: { key, head: parts.head, frames: framesKey(input) } }
}

function sequenceKey(input: SheetInput, codec = ''): string {
  return buildKey({ formatVersion, codec, sequence: memberKey(input) })
}
