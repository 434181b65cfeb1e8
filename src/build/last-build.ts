import { buildKey } from '../spec/key.ts'
import { packHeaded, readHeaded } from './headed.ts'
import type { KeptMember } from './kept-frames.ts'
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

interface Head {
  /** Key of the group. */
  readonly group: string
  readonly members: readonly KeptMember[]
}

/** The last build of a group; with nothing in it where none is kept. */
export async function readLast(name: string, ports: SheetPorts): Promise<LastBuild> {
  const bytes = await ports.cache.read(lastKey(name, ports))
  if (!bytes) return { members: [], readPages: async () => [] }
  const { group, members } = readHeaded<Head>(bytes).head
  const readPages = async (): Promise<readonly BuiltPage[]> => {
    const kept = await ports.cache.read(group)
    return kept ? unpackPages(kept) : []
  }
  return { members, readPages }
}

/** Keeps what the next build of a group may begin with. */
export async function keepLast(name: string, head: Head, ports: SheetPorts): Promise<void> {
  await ports.cache.write(lastKey(name, ports), ...packHeaded(head, []))
}

function lastKey(name: string, { codec = '', grouping = 'group' }: SheetPorts): string {
  return buildKey({ formatVersion, codec, grouping, last: name })
}
