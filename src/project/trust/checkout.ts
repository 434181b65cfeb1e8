import { join } from 'node:path'
import type { KeyRing, SigningKey } from '../../credit/signing-key.ts'
import { hasCode } from '../../errors.ts'
import type { Host } from '../../host/host.ts'
import { publish } from '../../host/publish.ts'
import { sha256 } from '../../host/sha256.ts'
import { readSettled } from '../../stores/exchange.ts'
import type { RecordStore } from '../../stores/record-store.ts'

/**
 * The name of a checkout's journal. An approval counts only beside the journal with which it was given, because
 * another clone of the same user cannot know whether the request was bought already. After both copies of its
 * journal are lost, this clone cannot know it either.
 */
export interface CheckoutName {
  /** Whether several machines share the journal, and so the name. */
  readonly isShared: boolean
  /** Returns `undefined` if there is no name that the user's own key has sealed. */
  read(): Promise<string | undefined>
  readOrMake(): Promise<string>
}

/** Name of the file with the checkout's name, in the store and in the copy of the journal. */
export const checkoutFile = 'checkout.json'

/** Name of the file in a shared journal that names the journal. */
const sharedName = 'journal.json'

/**
 * Opens the name beside the journal, and beside the journal's second copy if one is kept.
 *
 * All checkouts that share a journal have one name, since they all know the purchases. The name includes the store's
 * address, so that another store cannot take the name over.
 *
 * @param shared Store of the shared journal.
 */
export function openCheckoutName(
  { clock, disk, random }: Pick<Host, 'clock' | 'disk' | 'random'>,
  keys: KeyRing,
  folders: { readonly own: string; readonly copy: string | undefined },
  shared?: RecordStore,
): CheckoutName {
  const sealText = (name: string): string =>
    JSON.stringify(shared ? ['spritewright shared checkout 1', shared.address, name] : ['spritewright checkout 1', name])
  const places = [folders.own, ...(folders.copy === undefined ? [] : [folders.copy])].map((folder) => join(folder, checkoutFile))
  const readOne = async (path: string, key: SigningKey): Promise<string | undefined> => {
    if (!(await disk.stat(path))) return undefined
    try {
      const { name, seal } = JSON.parse(new TextDecoder().decode(await disk.read(path))) as { name?: unknown; seal?: unknown }
      const isOwn = typeof name === 'string' && typeof seal === 'string' && key.isSealOf(seal, sealText(name))
      return isOwn ? name : undefined
    } catch {
      // A damaged file, or a file of another program, counts as missing.
      return undefined
    }
  }
  const write = async (path: string, name: string, key: SigningKey): Promise<void> => {
    const bytes = new TextEncoder().encode(`${JSON.stringify({ name, seal: key.seal(sealText(name)) })}\n`)
    // An existing file without our seal has no use.
    if (await disk.stat(path)) await disk.remove(path)
    await publish(disk, random, path, bytes)
  }
  const find = async (key: SigningKey): Promise<string | undefined> => {
    for (const path of places) {
      const name = await readOne(path, key)
      if (name !== undefined) return name
    }
    return shared && readShared(shared)
  }
  const make = async (): Promise<string> => {
    const name = random.uuid()
    if (!shared) return name
    await shared.putIfAbsent(sharedName, new TextEncoder().encode(`${JSON.stringify({ name })}\n`))
    const made = await readSettled(
      clock,
      () => readShared(shared),
      (found) => found === undefined,
    )
    return made ?? name
  }
  let known: string | undefined
  return {
    isShared: shared !== undefined,
    read: async () => {
      const key = await keys.read()
      // A machine without its own key may also buy, on the approvals of others.
      if (shared) known ??= await (key ? find(key) : readShared(shared))
      return shared ? known : key && find(key)
    },
    readOrMake: async () => {
      const key = await keys.readOrMake()
      const name = (await find(key)) ?? (await make())
      const [own, copy] = places
      if (own !== undefined && (await readOne(own, key)) === undefined) await write(own, name, key)
      // The copy is only needed if the first file is lost, so a failed write into the state folder is no error
      // now.
      if (copy !== undefined && (await readOne(copy, key)) === undefined) await write(copy, name, key).catch(() => {})
      return (await find(key)) ?? name
    },
  }
}

/**
 * Returns `undefined` if there is no name yet, or if the store cannot be reached or this machine has no credentials
 * for it. Then no approval counts.
 */
async function readShared(store: RecordStore): Promise<string | undefined> {
  try {
    const file = await store.get(sharedName)
    const { name } = file ? (JSON.parse(new TextDecoder().decode(file.bytes)) as { name?: unknown }) : {}
    if (typeof name !== 'string') return undefined
    return sha256(JSON.stringify([store.address, name])).slice(0, 32)
  } catch (error) {
    if (hasCode(error, 'SW_STORE') || hasCode(error, 'SW_CONFIG') || error instanceof SyntaxError) return undefined
    throw error
  }
}
