import { type GroupHead, type PageHead, readGroupHead, readPageHeads } from './cache-schema.ts'
import { type ExpectedGroup, isGroupOf, isPicture } from './fitting-group.ts'
import { packHeaded, readHeaded } from './headed.ts'
import type { BuiltGroup, BuiltPage } from './sheet-model.ts'

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

/** What {@link packGroup} packed; pages are views on the bytes. Undefined where the bytes hold anything else, or the group of other animations. */
export function unpackGroup(bytes: Uint8Array, expected: ExpectedGroup): BuiltGroup | undefined {
  const packed = readPages(bytes)
  const inner = packed && readHeaded(bytes.subarray(packed.start), readGroupHead)
  if (!packed || !inner) return undefined
  const { head } = inner
  let at = 0
  const take = (count: number): BuiltPage[] => {
    at += count
    return packed.pages.slice(at - count, at)
  }
  const atlases = head.atlases.map(({ pages, alternates, ...atlas }) => ({
    ...atlas,
    pages: take(pages),
    ...(alternates ? { alternates: alternates.map(take) } : {}),
  }))
  const group = { ...head, atlases }
  return at === packed.pages.length && isGroupOf(group, expected) ? group : undefined
}

/** The pages alone of what {@link packGroup} packed, those of all atlases and encodings; none where the bytes hold anything else. */
export function unpackPages(bytes: Uint8Array): readonly BuiltPage[] {
  return readPages(bytes)?.pages ?? []
}

/** @returns Also where the rest of the group begins. */
function readPages(bytes: Uint8Array): { readonly pages: readonly BuiltPage[]; readonly start: number } | undefined {
  const packed = readHeaded(bytes, readPageHeads)
  if (!packed) return undefined
  const { head, start } = packed
  let at = bytes.length - head.reduce((sum, { length }) => sum + length, 0)
  if (at < start) return undefined
  const pages = head.map(({ length, ...page }) => {
    at += length
    return { ...page, bytes: new Uint8Array(bytes.buffer, bytes.byteOffset + at - length, length) }
  })
  return pages.every(isPicture) ? { pages, start } : undefined
}
