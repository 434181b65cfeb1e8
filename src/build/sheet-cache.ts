import { packHeaded, readHeaded, startOfParts } from './headed.ts'
import type { BuiltAtlas, BuiltGroup, BuiltPage } from './sheet-model.ts'

/** What is known of a page but its bytes. */
type PageHead = Omit<BuiltPage, 'bytes'> & { readonly length: number }

/** All of a group but its pages: of those only how many each atlas has. */
type GroupHead = Omit<BuiltGroup, 'atlases'> & {
  readonly atlases: readonly (Omit<BuiltAtlas, 'pages' | 'alternates'> & {
    readonly pages: number
    readonly alternates?: readonly number[]
  })[]
}

/** A group as parts of a file: what is known of its pages, then the rest of the group, which is longer and not always asked for, then the pages, one after the other. */
export function packGroup(group: BuiltGroup): readonly Uint8Array[] {
  const all = group.atlases.flatMap(({ pages, alternates = [] }) => [pages, ...alternates].flat())
  const heads = all.map(({ bytes, ...page }): PageHead => ({ ...page, length: bytes.length }))
  const atlases = group.atlases.map(({ pages, alternates, ...atlas }) => ({
    ...atlas,
    pages: pages.length,
    ...(alternates ? { alternates: alternates.map((others) => others.length) } : {}),
  }))
  const head: GroupHead = { ...group, atlases }
  return packHeaded(
    heads,
    packHeaded(
      head,
      all.map(({ bytes }) => bytes),
    ),
  )
}

/** What {@link packGroup} packed; pages are views on the bytes. */
export function unpackGroup(bytes: Uint8Array): BuiltGroup {
  const { head } = readHeaded<GroupHead>(bytes.subarray(startOfParts(bytes)))
  const all = unpackPages(bytes)
  let at = 0
  const take = (count: number): BuiltPage[] => {
    at += count
    return all.slice(at - count, at)
  }
  const atlases = head.atlases.map(({ pages, alternates, ...atlas }) => ({
    ...atlas,
    pages: take(pages),
    ...(alternates ? { alternates: alternates.map(take) } : {}),
  }))
  return { ...head, atlases }
}

/** The pages alone of what {@link packGroup} packed, those of all atlases and encodings. */
export function unpackPages(bytes: Uint8Array): readonly BuiltPage[] {
  const { head, start } = readHeaded<readonly PageHead[]>(bytes)
  let at = start + startOfParts(bytes.subarray(start))
  return head.map(({ length, ...page }) => {
    at += length
    return { ...page, bytes: new Uint8Array(bytes.buffer, bytes.byteOffset + at - length, length) }
  })
}
