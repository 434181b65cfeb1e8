import { join } from 'node:path'
import { createSigningKey, formatSigningKey, type KeyRing, parseSigningKey, type SigningKey } from '../../credit/signing-key.ts'
import { SpritewrightError } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { publish } from '../../host/publish.ts'

/**
 * Environment variable with the signing key of a machine without a person. It is never read from a `.env`
 * file.
 */
export const signingKeyName = 'SPRITEWRIGHT_SIGNING_KEY'

/**
 * Opens the user's own signing key: `SPRITEWRIGHT_SIGNING_KEY`, or a file in the user's state folder, outside
 * of every project. The key is created at its first use, without a message.
 */
export function openKeyRing(host: Pick<Host, 'disk' | 'random' | 'env' | 'stateFolder'>): KeyRing {
  const { disk, random, env, stateFolder } = host
  const path = join(stateFolder, 'signing-key.pem')
  let known: SigningKey | undefined
  const readFile = async (): Promise<SigningKey | undefined> =>
    (await disk.stat(path)) ? parseSigningKey(new TextDecoder().decode(await disk.read(path)), path) : undefined
  const load = async (): Promise<SigningKey | undefined> => {
    const given = env[signingKeyName]?.trim()
    return given ? parseSigningKey(given, signingKeyName) : readFile()
  }
  const make = async (): Promise<SigningKey> => {
    const seed = random.bytes(32)
    try {
      // If two processes make a key at the same time, both use the first.
      await publish(disk, random, path, new TextEncoder().encode(formatSigningKey(seed)))
      return (await readFile()) ?? createSigningKey(seed)
    } catch (cause) {
      throw new SpritewrightError('SW_DISK', {
        message: `Expected to keep a signing key at ${path}, found: ${(cause as Error).message}. Make the folder writable, or give a key by ${signingKeyName}. Nothing was approved.`,
        facts: { file: path },
        cause,
      })
    }
  }
  const read = async (): Promise<SigningKey | undefined> => {
    // A missing key is not cached, because another terminal may make a key while a dev server runs.
    known ??= await load()
    return known
  }
  return {
    read,
    readOrMake: async () => {
      known = (await read()) ?? (await make())
      return known
    },
  }
}
