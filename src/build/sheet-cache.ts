import { packHeaded, readHeaded } from './headed.ts'
import type { BuiltAtlas, BuiltGroup, BuiltPage } from './sheet-model.ts'

type PageHead = Omit<BuiltPage, 'bytes'> & { readonly length: number }
type Head = Omit<BuiltGroup, 'atlases'> & {
  readonly atlases: readonly (Omit<BuiltAtlas, 'pages' | 'alternates'> & {
    readonly pages: readonly PageHead[]
    readonly alternates?: readonly (readonly PageHead[])[]
  })[]
}

/** A group as parts of a file: behind the head its pages, one after the other. */
export function packGroup(group: BuiltGroup): readonly Uint8Array[] {
  const toHead = ({ bytes, ...page }: BuiltPage): PageHead => ({ ...page, length: bytes.length })
  const atlases = group.atlases.map(({ alternates, ...atlas }) => ({
    ...atlas,
    pages: atlas.pages.map(toHead),
    ...(alternates ? { alternates: alternates.map((pages) => pages.map(toHead)) } : {}),
  }))
  const head: Head = { ...group, atlases }
  return packHeaded(
    head,
    group.atlases.flatMap(({ pages, alternates = [] }) => [pages, ...alternates].flat().map((page) => page.bytes)),
  )
}

/** What {@link packGroup} packed; pages are views on the bytes. */
export function unpackGroup(bytes: Uint8Array): BuiltGroup {
  const { head, start } = readHeaded<Head>(bytes)
  let at = start
  const toPage = ({ length, ...page }: PageHead): BuiltPage => {
    at += length
    return { ...page, bytes: new Uint8Array(bytes.buffer, bytes.byteOffset + at - length, length) }
  }
  const atlases = head.atlases.map(({ alternates, ...atlas }) => ({
    ...atlas,
    pages: atlas.pages.map(toPage),
    ...(alternates ? { alternates: alternates.map((pages) => pages.map(toPage)) } : {}),
  }))
  return { ...head, atlases }
}
