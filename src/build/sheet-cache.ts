import { packHeaded, readHeaded } from './headed.ts'
import type { BuiltAtlas, BuiltGroup, BuiltPage } from './sheet-model.ts'

type PageHead = Omit<BuiltPage, 'bytes'> & { readonly length: number }
type Head = Omit<BuiltGroup, 'atlases'> & {
  readonly atlases: readonly (Omit<BuiltAtlas, 'pages'> & { readonly pages: readonly PageHead[] })[]
}

/** A group as parts of a file: behind the head its pages, one after the other. */
export function packGroup(group: BuiltGroup): readonly Uint8Array[] {
  const toHead = ({ bytes, ...page }: BuiltPage): PageHead => ({ ...page, length: bytes.length })
  const head: Head = { ...group, atlases: group.atlases.map((atlas) => ({ ...atlas, pages: atlas.pages.map(toHead) })) }
  return packHeaded(
    head,
    group.atlases.flatMap((atlas) => atlas.pages.map((page) => page.bytes)),
  )
}

/** What {@link packGroup} packed. */
export function unpackGroup(bytes: Uint8Array): BuiltGroup {
  const { head, start } = readHeaded<Head>(bytes)
  let at = start
  const toPage = ({ length, ...page }: PageHead): BuiltPage => {
    at += length
    return { ...page, bytes: new Uint8Array(bytes.subarray(at - length, at)) }
  }
  return { ...head, atlases: head.atlases.map((atlas) => ({ ...atlas, pages: atlas.pages.map(toPage) })) }
}
