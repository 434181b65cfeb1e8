import { loadPixels, withOutlines } from '../../atlas/index.ts'
import { buildKey } from '../spec/key.ts'
import { encodeSheet, knownStrips } from './encode-sheet.ts'
import type { ExpectedGroup } from './fitting-group.ts'
import { keepLast, readLast } from './last-build.ts'
import { layOut } from './lay-out.ts'
import { layoutDigest, layoutName, toLayout } from './layout.ts'
import { formatVersion, type Member, readMembers, type SheetPorts } from './members.ts'
import { withPlayback } from './memory.ts'
import { packGroup, unpackGroup } from './sheet-cache.ts'
import { isPlayedAlone, lookParts, memberKey } from './sheet-key.ts'
import type { BuiltGroup, SheetOptions } from './sheet-model.ts'
import type { SheetInput } from './sources.ts'

/** A group that is to be made. */
interface Asked {
  readonly name: string
  readonly members: readonly SheetInput[]
  readonly options: SheetOptions
  readonly ports: SheetPorts
  /** Of everything that goes into it. */
  readonly key: string
}

/** The atlases of some animations: from memory or cache where nothing that goes into them has changed, or packed. Throws like {@link readMembers}, and what `atlas/` refuses. */
export async function makeGroup(
  name: string,
  members: readonly SheetInput[],
  options: SheetOptions,
  ports: SheetPorts,
): Promise<BuiltGroup> {
  const key = groupKey(name, members, options, ports.codec)
  const remembered = ports.memory?.groups.get(name)
  const group = remembered?.key === key ? remembered.group : await makeAnew({ name, members, options, ports, key })
  for (const warning of group.warnings) ports.warn(warning)
  return group
}

/** From memory where only its playback is another, from the cache, or packed. */
async function makeAnew(asked: Asked): Promise<BuiltGroup> {
  const { name, members, options, ports, key } = asked
  const { memory, cache } = ports
  const look = memory && isPlayedAlone(members) ? groupKey(name, members, options, ports.codec, lookParts) : key
  const before = memory?.groups.get(name)
  const replayed = before?.look === look ? withPlayback(before.group, members) : undefined
  if (replayed) await cache.write(key, ...packGroup(replayed))
  const group = replayed ?? (await makeOrKeep(asked))
  memory?.groups.set(name, { key, look, group })
  return group
}

async function makeOrKeep({ name, members, options, ports, key }: Asked): Promise<BuiltGroup> {
  const names = scalesOf(members).map((scale) => layoutName(name, scale))
  const from = options.stable ? layoutDigest(ports.earlier ?? new Map(), names) : undefined
  const expected = expectedGroup(name, members, options)
  const kept = await readGroup(ports, key, expected, from)
  if (kept) return kept
  const { group, all } = await packTogether(name, members, options, ports)
  // The next build starts from what this one has laid out, and would lay out the same.
  const layouts = from === undefined ? {} : { layouts: [from, layoutDigest(toLayout(group.atlases), names)] }
  await ports.cache.write(key, ...packGroup({ ...group, ...layouts }))
  await keepLast(name, { group: key, members: all.flatMap((member) => member.kept ?? []) }, ports)
  return group
}

/** Whether any of its pages is compressed in strips. */
function hasStrips({ encodings, palette }: SheetOptions): boolean {
  return encodings.includes('png') && palette === undefined
}

/** Whether nothing else is made of the pixels. */
function isAllStrips(options: SheetOptions): boolean {
  return hasStrips(options) && options.encodings.length === 1 && options.hull === undefined
}

/** @param from Digest of the layout that is to be kept; undefined for none. */
async function readGroup(
  { cache }: SheetPorts,
  key: string,
  expected: ExpectedGroup,
  from: string | undefined,
): Promise<BuiltGroup | undefined> {
  const bytes = await cache.read(key)
  const kept = bytes && unpackGroup(bytes, expected)
  if (!kept) return undefined
  const { layouts, ...group } = kept
  return from === undefined || layouts?.includes(from) ? group : undefined
}

/** What the cache must hold of a group to be taken for it. */
export function expectedGroup(name: string, members: readonly SheetInput[], { encodings }: SheetOptions): ExpectedGroup {
  const animations = members.map(({ spec, animation }) => `${spec.name}/${animation.name}`)
  return { name, animations, scales: scalesOf(members), encodings: encodings.length === 0 ? ['png'] : encodings }
}

/** Largest first. */
function scalesOf(members: readonly SheetInput[]): readonly number[] {
  return [...new Set(members.flatMap((input) => input.spec.scales))].sort((a, b) => b - a)
}

/** The key of a group: of everything that goes into it. @param parts Of each animation. */
export function groupKey(
  name: string,
  members: readonly SheetInput[],
  options: SheetOptions,
  codec: string = '',
  parts: (input: SheetInput) => unknown = memberKey,
): string {
  return buildKey({
    formatVersion,
    codec,
    name,
    scales: scalesOf(members),
    options,
    members: members.map(parts),
  })
}

/** @returns Also the animations on its pages. */
async function packTogether(
  name: string,
  members: readonly SheetInput[],
  options: SheetOptions,
  ports: SheetPorts,
): Promise<{ readonly group: BuiltGroup; readonly all: readonly Member[] }> {
  const scales = scalesOf(members)
  const last = await readLast(name, ports)
  const all = await readMembers(members, scales, last.members, ports)
  const reports = all.map(({ report }) => report)
  const sequences = reports.map(({ sequence }) => sequence)
  const { hull, maxSize, rotate = false } = options
  const atlases = await layOut(name, sequences, scales, { maxSize, rotate, earlier: options.stable ? ports.earlier : undefined })
  const { encodeTexture: textures, signal } = ports
  // Strips read what they draw; whatever else looks at pixels finds them there.
  if (!isAllStrips(options)) await loadPixels(sequences.flatMap(({ frames }) => frames.map(({ bitmap }) => bitmap)))
  const aids = { textures, signal, known: hasStrips(options) ? knownStrips(await last.readPages()) : undefined }
  const group = {
    atlases: await Promise.all(atlases.map((atlas) => encodeSheet(hull === undefined ? atlas : withOutlines(atlas, hull), options, aids))),
    quality: reports.flatMap(({ quality }) => quality ?? []),
    warnings: reports.flatMap(({ warnings }) => warnings),
  }
  return { group, all }
}
