import { join } from 'node:path'
import type { Clock } from '../../host/clock.ts'
import type { Disk } from '../../host/disk.ts'
import { publish, replaceFile } from '../../host/publish.ts'
import type { Random } from '../../host/random.ts'
import { toDiskError } from './shared-limits.ts'

/** A submission that needs a place. */
export interface Applicant {
  /** Its idempotency key. A key leads to one execution, so it has one place, even if several runs send it. */
  readonly key: string
  /** `sprite.animation`, for people. */
  readonly id: string
}

/** The content of a place's file. */
export interface PlaceNote extends Applicant {
  /** Name of the project, for people. */
  readonly project: string
  /** Address of the journal that its project shares. Missing without one, and in files of earlier versions. */
  readonly journal?: string | undefined
  /** Milliseconds since the Unix epoch, by the clock of the reader's machine. */
  readonly at: number
}

/** The newest generation of a place. */
export interface KeptSlot {
  readonly slot: number
  /** 0 if the place was never taken. */
  readonly generation: number
  /** `undefined` if the place was released, or if its file is damaged. */
  readonly note?: PlaceNote | undefined
  readonly executionId?: string | undefined
}

/** The effect of the service's last refusal. */
export interface Refusal {
  /** Project and animation of the refused submission. */
  readonly id: string
  readonly at: number
  /** Places that this machine may use meanwhile. */
  readonly most: number
  readonly isRetried: boolean
}

/**
 * Files that are written once, without a lock.
 *
 * - `s0.g17`: a submission has place 0, its 17th. The file is created exclusively, so it has one owner.
 * - `s0.g17.execution`: its execution. Every process with the key can read its state, also after its own process
 *   has died.
 * - `s0.g17.over`: the place was released.
 */
export interface PlaceFiles {
  read(most: number): Promise<readonly KeptSlot[]>
  /** Creates the next generation of a place. Returns false if somebody else was first. */
  claim(slot: KeptSlot, note: PlaceNote): Promise<boolean>
  /** Creates a further file of a generation. Returns false if there is one. */
  add(slot: KeptSlot, what: 'execution' | 'over', content: unknown): Promise<boolean>
  readRefusal(): Promise<Refusal | undefined>
  writeRefusal(refusal: Refusal): Promise<void>
}

/**
 * Opens the places that the processes of this machine share through a folder. The newest generation of a place is
 * never removed, see `SharedSlots`. A further file `refused` says that the service has just refused a submission.
 *
 * @param openFolder Returns the name of the folder, which is created at the first use.
 */
export function openPlaceFolder(
  { disk, random }: { readonly disk: Disk; readonly random: Random },
  openFolder: () => Promise<string>,
): PlaceFiles {
  let folder = ''
  const toBytes = (content: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(content))
  const make = (name: string, content: unknown): Promise<boolean> => publish(disk, random, join(folder, name), toBytes(content))
  /** Returns `undefined` if the file is damaged, or was removed after it was listed. */
  const readFile = <T>(name: string): Promise<T | undefined> =>
    disk
      .read(join(folder, name))
      .then((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as T)
      .catch(() => undefined)
  const list = async (): Promise<string[]> => {
    if (folder === '') {
      const opened = await openFolder()
      await disk.makeFolder(opened)
      folder = opened
    }
    return disk.list(folder)
  }
  const readSlot = async (names: readonly string[], slot: number): Promise<KeptSlot> => {
    const generation = Math.max(0, ...names.map((name) => generationOf(name, slot)))
    const name = `s${slot}.g${generation}`
    const note = generation === 0 || names.includes(`${name}.over`) ? undefined : await readFile<PlaceNote>(name)
    const executionId = note && names.includes(`${name}.execution`) ? await readFile<string>(`${name}.execution`) : undefined
    return { slot, generation, note, executionId }
  }
  const claim: PlaceFiles['claim'] = async ({ slot, generation }, note) => {
    const name = `s${slot}.g${generation + 1}`
    if (!(await make(name, note))) return false
    const names = await disk.list(folder)
    // A slow process may have created a generation that others have removed already.
    if (names.some((other) => generationOf(other, slot) > generation + 1)) {
      await disk.remove(join(folder, name))
      return false
    }
    const old = names.filter((other) => generationOf(other, slot) > 0 && generationOf(other, slot) < generation)
    await Promise.all(old.map((other) => disk.remove(join(folder, other))))
    return true
  }
  const checked =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      try {
        return await call(...args)
      } catch (error) {
        throw toDiskError(error, folder)
      }
    }
  return {
    read: checked(async (most) => {
      const names = await list()
      return Promise.all(Array.from({ length: most }, (_, slot) => readSlot(names, slot)))
    }),
    claim: checked(claim),
    add: checked(({ slot, generation }, what, content) => make(`s${slot}.g${generation}.${what}`, content)),
    readRefusal: () => readFile<Refusal>('refused'),
    writeRefusal: checked((refusal) => replaceFile(disk, random, join(folder, 'refused'), toBytes(refusal))),
  }
}

/** Generation of a place by the name of one of its files; 0 for other names. */
function generationOf(name: string, slot: number): number {
  const match = /^s(\d{1,6})\.g(\d{1,15})(?:\.(?:execution|over))?$/.exec(name)
  return match && Number(match[1]) === slot ? Number(match[2]) : 0
}

/** A place for files that machines share, see `RecordStore`. */
export interface PlaceRecords {
  putIfAbsent(name: string, bytes: Uint8Array): Promise<'mine' | 'taken'>
  get(name: string): Promise<{ readonly bytes: Uint8Array; readonly ageMs: number } | undefined>
}

/** A file in a store of records. */
interface PlaceRecord {
  readonly content: unknown
  /** How old the content was when it was written, in milliseconds. */
  readonly beforeMs: number
  readonly nonce: string
}

/**
 * Opens the places that machines share through a store of records. Nothing is ever removed there, so the newest
 * generation is the last number before a missing one. Ages are by the store's clock: no clocks of two machines are
 * compared. A refusal is a matter of the machine: this keeps none.
 *
 * @param prefix Names the account: nothing secret.
 */
export function openPlaceRecords(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  records: PlaceRecords,
  prefix: string,
): PlaceFiles {
  const nameOf = (slot: number, generation: number, what = ''): string => `${prefix}/s${slot}.g${generation}${what}`
  const get = async (name: string): Promise<{ readonly content: unknown; readonly at: number } | undefined> => {
    const file = await records.get(name)
    if (!file) return undefined
    try {
      const { content, beforeMs } = JSON.parse(new TextDecoder().decode(file.bytes)) as PlaceRecord
      return { content, at: clock.wall() - file.ageMs - beforeMs }
    } catch {
      return { content: undefined, at: 0 }
    }
  }
  const put = async (name: string, content: unknown, beforeMs = 0): Promise<boolean> => {
    const record: PlaceRecord = { content, beforeMs, nonce: random.uuid() }
    return (await records.putIfAbsent(name, new TextEncoder().encode(JSON.stringify(record)))) === 'mine'
  }
  /** What was read of each place. No file changes, so it stays true of its generation. */
  const known = new Map<number, KeptSlot & { readonly isOver: boolean }>()
  const findNewest = async (slot: number, from: number): Promise<number> => {
    const exists = async (generation: number): Promise<boolean> => (await records.get(nameOf(slot, generation))) !== undefined
    let [low, step] = [from, 1]
    for (; await exists(low + step); step *= 2) low += step
    for (let high = low + step; high - low > 1; ) {
      const middle = Math.floor((low + high) / 2)
      if (await exists(middle)) low = middle
      else high = middle
    }
    return low
  }
  const readSlot = async (slot: number): Promise<KeptSlot> => {
    const before = known.get(slot)
    const generation = await findNewest(slot, before?.generation ?? 0)
    const same = before?.generation === generation ? before : undefined
    if (generation === 0 || same?.isOver) return { slot, generation }
    const [over, note, execution] = await Promise.all([
      get(nameOf(slot, generation, '.over')),
      same?.note ? undefined : get(nameOf(slot, generation)),
      same?.executionId ? undefined : get(nameOf(slot, generation, '.execution')),
    ])
    const found = note?.content ? { ...(note.content as Omit<PlaceNote, 'at'>), at: note.at } : same?.note
    const executionId = same?.executionId ?? (execution?.content as string | undefined)
    known.set(slot, { slot, generation, note: found, executionId, isOver: over !== undefined })
    return { slot, generation, ...(over ? {} : { note: found, executionId }) }
  }
  return {
    read: (most) => Promise.all(Array.from({ length: most }, (_, slot) => readSlot(slot))),
    claim: ({ slot, generation }, { at, ...note }) => put(nameOf(slot, generation + 1), note, Math.max(0, clock.wall() - at)),
    add: ({ slot, generation }, what, content) => put(nameOf(slot, generation, `.${what}`), content),
    readRefusal: async () => undefined,
    writeRefusal: async () => {},
  }
}
