import { buildKey } from '../spec/key.ts'
import { packHeaded, readHeaded } from './headed.ts'
import type { KeptMember } from './kept-frames.ts'
import { formatVersion, type SheetPorts } from './members.ts'
import { unpackGroup } from './sheet-cache.ts'
import type { BuiltAtlas } from './sheet-model.ts'

/** What the next build of a group begins with. */
export interface LastBuild {
  /** What is known of its animations. */
  readonly members: readonly KeptMember[]
  /** Its pages: what of them is the same need not be compressed again. */
  readAtlases(): Promise<readonly BuiltAtlas[]>
}

interface Head {
  /** Key of the group. */
  readonly group: string
  readonly members: readonly KeptMember[]
}

/** The last build of a group; with nothing in it where none is kept. */
export async function readLast(name: string, ports: SheetPorts): Promise<LastBuild> {
  const bytes = await ports.cache.read(lastKey(name, ports))
  if (!bytes) return { members: [], readAtlases: async () => [] }
  const { group, members } = readHeaded<Head>(bytes).head
  const readAtlases = async (): Promise<readonly BuiltAtlas[]> => {
    const kept = await ports.cache.read(group)
    return kept ? unpackGroup(kept).atlases : []
  }
  return { members, readAtlases }
}

/** Keeps what the next build of a group may begin with. */
export async function keepLast(name: string, head: Head, ports: SheetPorts): Promise<void> {
  await ports.cache.write(lastKey(name, ports), ...packHeaded(head, []))
}

function lastKey(name: string, { codec = '' }: SheetPorts): string {
  return buildKey({ formatVersion, codec, last: name })
}
