import { join } from 'node:path'
import type { Clock } from '../../host/clock.ts'
import type { Disk } from '../../host/disk.ts'
import { oneByOne } from '../../host/one-by-one.ts'
import type { Release } from './limits.ts'
import { claimName, olderNames, readSlots, type SlotState, timeName } from './slot-names.ts'

/** How the slots of one folder are used. Every process that shares the folder uses the same rules. */
export interface SlotRules {
  readonly count: number
  /** How long a slot rests after its release, in milliseconds. */
  readonly restMs: number
  /**
   * How long a slot is held without a renewal, in milliseconds. If slots are renewed, this is at least
   * `patienceMs` plus `renewMs`. If not, it is at least `patienceMs` plus the longest use.
   */
  readonly leaseMs: number
  /** Pause between renewals in milliseconds; null if no use of a slot outlasts `leaseMs`. */
  readonly renewMs: number | null
  /**
   * Longest duration of a claim, in milliseconds. The lease of a slot starts with its claim, so a slower claim
   * releases its slot and tries again.
   */
  readonly patienceMs: number
}

/**
 * Pause between two reads of the folder while all slots are held, in milliseconds. A holder may release its
 * slot before the time in the slot's name.
 */
const pollMs = 500

/**
 * Slots that several processes of one machine share through a folder, without a lock.
 *
 * If generation g of slot s is free, a process takes the slot by creating the file `s.g+1` exclusively. Only
 * one process can create it. A delayed process may create the file of a generation that was removed
 * meanwhile. So it lists the folder again, and releases the slot if it finds a newer generation.
 *
 * A generation is removed only if a newer one exists. So the newest generation of a slot never decreases, and
 * a slot never has two holders. If a process dies, its slot becomes free at the time in its file name. If the
 * process died before it wrote a time, the lease begins at the first read that finds the slot.
 */
export class SharedSlots {
  readonly #disk: Disk
  readonly #clock: Clock
  readonly #folder: string
  readonly #rules: SlotRules
  /** Claims without a time, each with the time of the first read that found it. */
  readonly #firstSeen = new Map<string, number>()
  readonly #writing = new Set<Promise<unknown>>()
  readonly #inOrder = oneByOne()

  constructor(disk: Disk, clock: Clock, folder: string, rules: SlotRules) {
    this.#disk = disk
    this.#clock = clock
    this.#folder = folder
    this.#rules = rules
  }

  /** Waits for a slot, after earlier calls in this process. Rejects with the signal's reason. */
  take(signal?: AbortSignal): Promise<Release> {
    const taken = this.#inOrder(() => this.#take(signal))
    return signal === undefined ? taken : untilAborted(taken, signal)
  }

  /** Resolves when all writes of releases have ended, successful or not. */
  async settled(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing)
  }

  async #take(signal: AbortSignal | undefined): Promise<Release> {
    for (;;) {
      signal?.throwIfAborted()
      const names = await this.#disk.list(this.#folder)
      const now = this.#clock.mono()
      const slots = readSlots(names, this.#rules.count)
      this.#forget(names)
      const isFree = (slot: SlotState): boolean => this.#freeAt(slot, now) <= now
      for (const slot of slots.filter(isFree)) {
        const release = await this.#claim(slot)
        if (release !== null && !signal?.aborted) return release
        release?.()
        signal?.throwIfAborted()
      }
      if (!slots.some(isFree)) await this.#clock.sleep(this.#waitMs(slots, now), signal)
    }
  }

  #freeAt(slot: SlotState, now: number): number {
    const longest = this.#rules.leaseMs + this.#rules.restMs
    // A time further ahead than this is from before a restart of the machine.
    if (slot.freeAt !== null) return slot.freeAt > now + longest ? 0 : slot.freeAt
    const claim = claimName(slot.slot, slot.generation)
    const seen = this.#firstSeen.get(claim) ?? now
    this.#firstSeen.set(claim, seen)
    return seen + longest
  }

  #forget(names: readonly string[]): void {
    if (this.#firstSeen.size === 0) return
    const there = new Set(names)
    for (const claim of this.#firstSeen.keys()) if (!there.has(claim)) this.#firstSeen.delete(claim)
  }

  #waitMs(slots: readonly SlotState[], now: number): number {
    const next = Math.min(...slots.map((slot) => this.#freeAt(slot, now))) - now
    return slots.every((slot) => slot.isGivenBack) ? next : Math.min(next, pollMs)
  }

  /** Returns null if another process was faster, or if the claim took too long. */
  async #claim({ slot, generation }: SlotState): Promise<Release | null> {
    const startedAt = this.#clock.mono()
    const mine = generation + 1
    const claim = claimName(slot, mine)
    if (!(await this.#make(claim))) return null
    const held = timeName(claim, startedAt + this.#rules.leaseMs + this.#rules.restMs, 'held')
    await this.#make(held)
    const names = await this.#disk.list(this.#folder)
    if (readSlots(names, this.#rules.count)[slot]?.generation !== mine) {
      await Promise.all([this.#remove(held), this.#remove(claim)])
      return null
    }
    // Keeps one generation before the newest, so that a listing during a change always contains one of the two.
    this.#write(Promise.all(olderNames(names, slot, mine - 1).map((name) => this.#remove(name))))
    const release = this.#hold(slot, mine, held)
    if (this.#clock.mono() - startedAt <= this.#rules.patienceMs) return release
    release()
    return null
  }

  #hold(slot: number, generation: number, firstHeld: string): Release {
    const claim = claimName(slot, generation)
    const { restMs, renewMs } = this.#rules
    const over = new AbortController()
    const lost = new AbortController()
    // A slot that cannot be renewed is treated as lost.
    if (renewMs !== null) this.#renew(slot, generation, firstHeld, over.signal, lost).catch(() => lost.abort())
    const release = (): void => {
      if (over.signal.aborted) return
      over.abort()
      this.#write(this.#make(timeName(claim, this.#clock.mono() + restMs, 'rest')))
    }
    return Object.assign(release, { lost: lost.signal })
  }

  /**
   * Renews a held slot until its release. A holder that was suspended for too long finds a newer generation
   * and loses the slot.
   */
  async #renew(slot: number, generation: number, firstHeld: string, over: AbortSignal, lost: AbortController): Promise<void> {
    const { leaseMs, renewMs } = this.#rules
    let held = firstHeld
    for (;;) {
      await this.#clock.sleep(renewMs ?? leaseMs, over).catch(() => {})
      if (over.aborted) return
      const next = timeName(claimName(slot, generation), this.#clock.mono() + leaseMs, 'held')
      await this.#make(next)
      const names = await this.#disk.list(this.#folder)
      if (readSlots(names, this.#rules.count)[slot]?.generation !== generation) {
        await this.#remove(next)
        return lost.abort()
      }
      if (next !== held) await this.#remove(held)
      held = next
    }
  }

  async #make(name: string): Promise<boolean> {
    try {
      await this.#disk.writeTemp(join(this.#folder, name), new Uint8Array())
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw error
    }
  }

  #remove(name: string): Promise<void> {
    return this.#disk.remove(join(this.#folder, name))
  }

  /**
   * Tracks a write that no caller waits for. If it fails, the slot becomes free only when its time is over.
   */
  #write(work: Promise<unknown>): void {
    const writing = work.catch(() => {})
    this.#writing.add(writing)
    void writing.then(() => this.#writing.delete(writing))
  }
}

/** Rejects on abort. A slot that is taken after the abort is released at once. */
function untilAborted(taken: Promise<Release>, signal: AbortSignal): Promise<Release> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    taken.then(
      (release) => {
        signal.removeEventListener('abort', onAbort)
        if (signal.aborted) release()
        else resolve(release)
      },
      (error: unknown) => {
        signal.removeEventListener('abort', onAbort)
        reject(error)
      },
    )
  })
}
