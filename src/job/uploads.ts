import { join } from 'node:path'
import type { KeyRing } from '../credit/signing-key.ts'
import type { Disk } from '../host/disk.ts'
import { replaceFile } from '../host/publish.ts'
import type { Random } from '../host/random.ts'
import { sha256 as hashOf } from '../host/sha256.ts'
import type { ReferenceFile, ServiceClient } from '../service/client.ts'
import type { ServiceIdentity } from '../sprite-spec/request.ts'

/** Reference pictures at the service. Each picture is uploaded once and remembered by its content. */
export interface Uploads {
  /**
   * Returns the service's id of a picture. Uploads the picture if its id is unknown. Calls for one picture at
   * the same time share one upload, unless it fails.
   */
  referenceId(sha256: string, file: ReferenceFile, signal?: AbortSignal): Promise<string>
  /** Forgets an id that the service no longer accepts. */
  forget(sha256: string): Promise<void>
}

/** One remembered upload. */
interface KnownUpload {
  readonly referenceId: string
  /** Seal under the user's own key. */
  readonly seal: string
}

/** Opens the remembered uploads in `folder`. The disk is not touched before the first call. */
export function createUploads(
  ports: { disk: Disk; random: Random; client: ServiceClient; keys: KeyRing },
  folder: string,
  identity: ServiceIdentity,
): Uploads {
  const { disk, random, client, keys } = ports
  const running = new Map<string, Promise<string>>()
  const scope = hashOf(JSON.stringify([identity.host, identity.keyMode])).slice(0, 12)
  const pathOf = (sha256: string): string => join(folder, `${sha256}.${scope}.json`)
  const sealText = (sha256: string, referenceId: string): string =>
    JSON.stringify(['spritewright upload 1', identity.host, identity.keyMode, sha256, referenceId])
  const known = async (sha256: string): Promise<string | undefined> => {
    if (!(await disk.stat(pathOf(sha256)))) return undefined
    try {
      const { referenceId, seal } = JSON.parse(new TextDecoder().decode(await disk.read(pathOf(sha256)))) as Partial<KnownUpload>
      // The id names a picture in a paid request, so a file that somebody else wrote must not choose it.
      const isOwn = typeof seal === 'string' && (await keys.read())?.isSealOf(seal, sealText(sha256, `${referenceId}`)) === true
      return isOwn && typeof referenceId === 'string' ? referenceId : undefined
    } catch {
      // An unreadable file costs one more upload, which is free.
      return undefined
    }
  }
  const upload = async (sha256: string, file: ReferenceFile, signal?: AbortSignal): Promise<string> => {
    const before = await known(sha256)
    if (before !== undefined) return before
    const referenceId = await client.uploadReference(file, signal)
    const upload: KnownUpload = { referenceId, seal: (await keys.readOrMake()).seal(sealText(sha256, referenceId)) }
    await replaceFile(disk, random, pathOf(sha256), new TextEncoder().encode(`${JSON.stringify(upload)}\n`))
    return referenceId
  }
  return {
    referenceId: async (sha256, file, signal) => {
      for (let other = running.get(sha256); other; other = running.get(sha256)) {
        const shared = await other.catch(() => undefined)
        if (shared !== undefined) return shared
        // The other run may have been interrupted, so this one uploads the picture itself.
        signal?.throwIfAborted()
      }
      const run = upload(sha256, file, signal).finally(() => running.delete(sha256))
      running.set(sha256, run)
      return run
    },
    forget: (sha256) => disk.remove(pathOf(sha256)),
  }
}
