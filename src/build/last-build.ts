import { buildKey } from '../spec/key.ts'
import { type KeptMember, type LastBuildHead, readLastBuildHead } from './cache-schema.ts'
import { packHeaded, readHeaded } from './headed.ts'
import { formatVersion, type SheetPorts } from './members.ts'
import { unpackPages } from './sheet-cache.ts'
import type { BuiltPage } from './sheet-model.ts'

/** What the next build of a group begins with. */
export interface LastBuild {
  /** What is known of its animations. */
  readonly members: readonly KeptMember[]
  /** Its pages: what of them is the same need not be compressed again. */
  readPages(): Promise<readonly BuiltPage[]>
}

const nothing: LastBuild = { members: [], readPages: async () => [] }

/** The last build of a group; with nothing in it where none is kept. */
export async function readLast(name: string, ports: SheetPorts): Promise<LastBuild> {
  const bytes = await ports.cache.read(lastKey(name, ports))
  if (!bytes) return nothing
  const packed = readHeaded(bytes, readLastBuildHead)
  if (!packed) return nothing
  const { group, members } = packed.head
  const readPages = async (): Promise<readonly BuiltPage[]> => {
    const kept = await ports.cache.read(group)
    return kept ? unpackPages(kept) : []
  }
  return { members, readPages }
}

/** Keeps what the next build of a group may begin with. */
export async function keepLast(name: string, head: LastBuildHead, ports: SheetPorts): Promise<void> {
  await ports.cache.write(lastKey(name, ports), ...packHeaded(head, []))
}

function lastKey(name: string, { codec = '', grouping = 'group' }: SheetPorts): string {
  return buildKey({ formatVersion, codec, grouping, last: name })
}
