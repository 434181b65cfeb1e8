import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { nodeClock } from '../../src/host/clock.ts'
import type { BlobStore } from '../../src/stores/blob-store.ts'
import type { RecordStore } from '../../src/stores/record-store.ts'

/** A store of records under test. */
export interface RecordSubject {
  /** Most milliseconds by which an age may be too high. */
  readonly precisionMs: number
  /** Opens the store, as another machine would. */
  open(): RecordStore
  /** Opens a store that nobody answers for. */
  openAway(): RecordStore
  /**
   * Opens the store over a connection that loses the answer to the first write.
   *
   * @param doesLand Whether the write reaches the store.
   */
  openLossy(doesLand: boolean): RecordStore | Promise<RecordStore>
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value)
/** A name that no other test uses. */
const freshName = (): string => `test/${randomUUID()}/0001.json`
/** Writers of one record at the same time. */
const writers = 6

/** The laws of a store of records. */
export function describeRecordStore(name: string, subject: () => RecordSubject): void {
  describe(name, () => {
    const opened: RecordStore[] = []
    const keep = (store: RecordStore): RecordStore => {
      opened.push(store)
      return store
    }
    const open = (): RecordStore => keep(subject().open())
    afterAll(async () => void (await Promise.all(opened.map((store) => store.close()))))

    test('of several writers of one name at the same time, one wins, and its bytes stay', async () => {
      const stores = Array.from({ length: writers }, open)
      await fc.assert(
        fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 2, maxLength: writers }), async (bodies) => {
          const name = freshName()
          const own = bodies.map((body, index) => new Uint8Array([index, ...body]))
          const answers = await Promise.all(own.map((bytes, index) => (stores[index] as RecordStore).putIfAbsent(name, bytes)))
          expect(answers.toSorted()).toEqual(['mine', ...own.slice(1).map(() => 'taken')])
          expect((await stores[0]?.get(name))?.bytes).toEqual(own[answers.indexOf('mine')])
        }),
        { numRuns: 25 },
      )
    })

    test.each([0, 1, 65_536])('%i bytes come back equal, to another machine too', async (length) => {
      const name = freshName()
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) % 256)
      expect(await open().putIfAbsent(name, bytes)).toBe('mine')
      expect((await open().get(name))?.bytes).toEqual(bytes)
    })

    test('the same bytes again are mine, because the answer to the first write may have been lost', async () => {
      const name = freshName()
      expect([await open().putIfAbsent(name, text('a')), await open().putIfAbsent(name, text('a'))]).toEqual(['mine', 'mine'])
    })

    test("another's bytes are taken, and stay", async () => {
      const name = freshName()
      const store = open()
      expect([await store.putIfAbsent(name, text('first')), await store.putIfAbsent(name, text('second'))]).toEqual(['mine', 'taken'])
      expect((await store.get(name))?.bytes).toEqual(text('first'))
    })

    test('a name that was never written is undefined, and so is a part of a name', async () => {
      const name = freshName()
      const store = open()
      await store.putIfAbsent(name, text('a'))
      expect(await store.get(freshName())).toBeUndefined()
      expect(await store.get(name.slice(0, name.lastIndexOf('/')))).toBeUndefined()
    })

    test.each([true, false])('a write whose answer is lost ends as mine (it landed: %s)', async (doesLand) => {
      const name = freshName()
      const store = keep(await subject().openLossy(doesLand))
      const answer = await store.putIfAbsent(name, text('own')).catch(() => store.putIfAbsent(name, text('own')))
      expect(answer).toBe('mine')
      expect(await open().putIfAbsent(name, text("another's"))).toBe('taken')
      expect((await open().get(name))?.bytes).toEqual(text('own'))
    })

    test("a write whose answer is lost is taken if another's bytes are there", async () => {
      const name = freshName()
      await open().putIfAbsent(name, text("another's"))
      const store = keep(await subject().openLossy(true))
      expect(await store.putIfAbsent(name, text('own')).catch(() => store.putIfAbsent(name, text('own')))).toBe('taken')
    })

    test('an age is never below the true one, at most the precision above it, and does not go down', async () => {
      const { mono } = nodeClock()
      const name = freshName()
      const store = open()
      await store.get(name)
      const before = mono()
      await store.putIfAbsent(name, text('a'))
      const after = mono()
      let last = 0
      for (let read = 0; read < 5; read++) {
        const asked = mono()
        const { ageMs = Number.NaN } = (await store.get(name)) ?? {}
        // The clocks of file systems and this one tick by themselves, a hundredth of a second at most.
        expect(ageMs).toBeGreaterThanOrEqual(asked - after - 10)
        expect(ageMs).toBeLessThanOrEqual(mono() - before + subject().precisionMs + 10)
        expect(ageMs).toBeGreaterThanOrEqual(last - subject().precisionMs)
        last = ageMs
      }
    })

    test.each(['', '/a', 'a/', 'a//b', '../a', 'a/..', 'a/./b', '.a', 'a.', 'A', 'a b', 'a\\b', 'a%2fb', 'ä', 'a\n', 'a'.repeat(513)])(
      'the name %j is refused, and nothing is written',
      async (name) => {
        const store = open()
        const refusal = { code: 'SW_INTERNAL', facts: { name } }
        await expect(store.putIfAbsent(name, text('a'))).rejects.toMatchObject(name.length > 512 ? { code: 'SW_INTERNAL' } : refusal)
        await expect(store.get(name)).rejects.toMatchObject({ code: 'SW_INTERNAL' })
      },
    )

    test('if nobody answers, reads and writes are SW_STORE, with the address and what was asked', async () => {
      const store = keep(subject().openAway())
      const facts = { store: store.address }
      await expect(store.get('a/1')).rejects.toMatchObject({ code: 'SW_STORE', facts: { ...facts, work: 'read a/1' } })
      await expect(store.putIfAbsent('a/1', text('a'))).rejects.toMatchObject({ code: 'SW_STORE', facts: { ...facts, work: 'write a/1' } })
    })
  })
}

/** A store of results under test. */
export interface BlobSubject {
  open(): BlobStore
  openAway(): BlobStore
}

/** One call of each kind. */
const callsOf = (store: BlobStore, hash: string): readonly (() => Promise<unknown>)[] => [
  () => store.get(hash),
  () => store.has(hash),
  () => store.put(hash, text('a')),
  () => store.remove(hash),
]

/** The laws of a store of results. */
export function describeBlobStore(name: string, subject: () => BlobSubject): void {
  describe(name, () => {
    const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

    test.each([0, 1, 2 ** 20])('%i bytes come back equal, to another machine too', async (length) => {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 31 + length) % 256)
      const hash = sha256(bytes)
      await subject().open().put(hash, bytes)
      const other = subject().open()
      expect(await other.has(hash)).toBe(true)
      expect(Buffer.compare((await other.get(hash)) ?? Buffer.from('nothing'), bytes)).toBe(0)
    })

    test('wrong bytes can be replaced', async () => {
      const store = subject().open()
      const hash = sha256(text(randomUUID()))
      await store.put(hash, text('poison'))
      await store.put(hash, text('right'))
      expect(await store.get(hash)).toEqual(text('right'))
    })

    test('an object that is not there is undefined, and has, remove and a second remove say nothing', async () => {
      const store = subject().open()
      const hash = sha256(text(randomUUID()))
      expect([await store.get(hash), await store.has(hash)]).toEqual([undefined, false])
      await store.put(hash, text('a'))
      await store.remove(hash)
      await store.remove(hash)
      expect([await store.get(hash), await store.has(hash)]).toEqual([undefined, false])
    })

    test.each(['', 'a', '../../secrets', 'A'.repeat(64), `${'a'.repeat(63)}/`])('the name %j is refused', async (hash) => {
      const store = subject().open()
      for (const call of callsOf(store, hash)) await expect(call()).rejects.toMatchObject({ code: 'SW_INTERNAL', facts: { sha256: hash } })
    })

    test('if nobody answers, every call is SW_STORE with the address', async () => {
      const store = subject().openAway()
      const hash = 'a'.repeat(64)
      for (const call of callsOf(store, hash))
        await expect(call()).rejects.toMatchObject({ code: 'SW_STORE', facts: { store: store.address } })
    })
  })
}
