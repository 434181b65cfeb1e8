import { sniffPicture } from '../../sprite-spec/picture.ts'
import type { PaidRequest } from '../../sprite-spec/request.ts'

/** The description of a file in its finished asset. A field is `null` or missing if the asset does not have it. */
export interface SaidOfFile {
  readonly contentType: string | null
  /** Pixels. */
  readonly width?: number | null
  readonly height?: number | null
}

/**
 * Compares a delivered file with the description in its finished asset (C37). A difference only causes a warning:
 * the file is paid and kept, and reading it shows whether it can be used.
 *
 * @returns Complete sentences; empty if everything matches. The size of an archive is not compared, since the asset
 * does not say which of its pictures has this size.
 */
export function compareWithAsset(request: Pick<PaidRequest, 'id' | 'operation'>, said: SaidOfFile, bytes: Uint8Array): readonly string[] {
  const found = typeAndSize(bytes)
  const type = said.contentType?.split(';')[0]?.trim().toLowerCase()
  const warnings: string[] = []
  const addWarning = (what: string, says: string, is: string): number =>
    warnings.push(`${request.id}: the service says that the file's ${what} is ${says}, it is ${is}. The file is kept as it is.`)
  // This content type is right for every file.
  if (type && type !== 'application/octet-stream' && !found.types.includes(type))
    addWarning('type', type.slice(0, 60), found.types[0] ?? 'unknown')
  const { size } = found
  if (size !== undefined && ((said.width ?? size.width) !== size.width || (said.height ?? size.height) !== size.height))
    addWarning('size', `${said.width ?? '?'} × ${said.height ?? '?'}`, `${size.width} × ${size.height} pixels`)
  return warnings
}

function typeAndSize(bytes: Uint8Array): {
  readonly types: readonly string[]
  readonly size?: { readonly width: number; readonly height: number }
} {
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return { types: ['application/zip', 'application/x-zip-compressed'] }
  const sniffed = sniffPicture(bytes)
  return 'header' in sniffed ? { types: [sniffed.header.contentType], size: sniffed.header } : { types: [] }
}
