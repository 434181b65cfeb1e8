import type { BuiltAtlas, BuiltGroup, BuiltPage } from './sheet-model.ts'

type PageHead = Omit<BuiltPage, 'bytes'> & { readonly length: number }
type Head = Omit<BuiltGroup, 'atlases'> & {
  readonly atlases: readonly (Omit<BuiltAtlas, 'pages'> & { readonly pages: readonly PageHead[] })[]
}

/** A group as bytes: length of the head, head, pages one after the other. */
export function packGroup(group: BuiltGroup): Uint8Array {
  const toHead = ({ bytes, ...page }: BuiltPage): PageHead => ({ ...page, length: bytes.length })
  const head: Head = { ...group, atlases: group.atlases.map((atlas) => ({ ...atlas, pages: atlas.pages.map(toHead) })) }
  const text = new TextEncoder().encode(JSON.stringify(head))
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, text.length)
  return Buffer.concat([length, text, ...group.atlases.flatMap((atlas) => atlas.pages.map((page) => page.bytes))])
}

/** What {@link packGroup} packed. */
export function unpackGroup(bytes: Uint8Array): BuiltGroup {
  const { head, end } = readHead(bytes)
  let at = end
  const toPage = ({ length, ...page }: PageHead): BuiltPage => {
    at += length
    return { ...page, bytes: new Uint8Array(bytes.subarray(at - length, at)) }
  }
  return { ...head, atlases: head.atlases.map((atlas) => ({ ...atlas, pages: atlas.pages.map(toPage) })) }
}

function readHead(bytes: Uint8Array): { head: Head; end: number } {
  const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
  return { head: JSON.parse(new TextDecoder().decode(bytes.subarray(4, end))) as Head, end }
}
