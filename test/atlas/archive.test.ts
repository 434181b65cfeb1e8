import fc from 'fast-check'
import JSZip from 'jszip'
import { describe, expect, test } from 'vitest'
import { readArchive } from '../../atlas/delivery/archive.ts'
import { checkNamesApart } from '../../atlas/delivery/entry-name.ts'
import { AtlasError } from '../../atlas/errors.ts'
import { differsFromJszip } from '../fuzz/fuzz.ts'
import { describeWith } from '../kit/needs.ts'
import { corpus, corpusBytes } from './corpus.ts'
import { refusal } from './refusal.ts'

const files = corpus('zip')

/** Rules that some files break besides those that the corpus names, and that this reader checks first. */
const metFirst = ['zip64-locator-bad', 'stored-size-differs', 'extra-malformed']

describeWith(files.length > 0, 'corpora')('the corpus of archives', () => {
  const verdicts = ['accept', 'reject', 'either'] as const
  test.each(verdicts)('every file of "%s" is treated so, and refused by the name of its rule', (verdict) => {
    const wrong: string[] = []
    for (const { file, why, codes } of files.filter((each) => each.expect === verdict)) {
      const found = outcome(corpusBytes('zip', file))
      if (verdict === 'accept' && found !== 'read') wrong.push(`${file}: ${found}`)
      const named = [...codes, ...metFirst].map((rule) => `SW_ARCHIVE ${rule}`)
      if (verdict === 'reject' && !named.includes(found)) wrong.push(`${file} (${why}): ${found}`)
      if (verdict === 'either' && found !== 'read' && !found.startsWith('SW_ARCHIVE ')) wrong.push(`${file}: ${found}`)
    }
    expect(wrong).toEqual([])
  })

  test('what is read has the entries and the content that another reader finds', async () => {
    const wrong: string[] = []
    let same = 0
    for (const { file } of files.filter((each) => each.expect === 'accept')) {
      const bytes = corpusBytes('zip', file)
      const difference = await differsFromJszip(bytes, readArchive(bytes))
      if (difference === undefined) same++
      else if (difference !== 'unread') wrong.push(`${file}: ${difference}`)
    }
    expect(wrong).toEqual([])
    expect(same).toBeGreaterThan(150)
  })

  function outcome(bytes: Uint8Array): string {
    try {
      readArchive(bytes)
      return 'read'
    } catch (error) {
      return error instanceof AtlasError && typeof error.facts.rule === 'string' ? `${error.code} ${error.facts.rule}` : String(error)
    }
  }
})

describe('readArchive', () => {
  const content = fc.uint8Array({ maxLength: 400 })
  const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}(\.png)?$/), { minLength: 0, maxLength: 8 })

  test('what another writer packs comes back byte for byte, in order, folders left out', async () => {
    await fc.assert(
      fc.asyncProperty(
        names,
        content,
        fc.constantFrom('STORE', 'DEFLATE'),
        fc.boolean(),
        async (stems, bytes, compression, streamFiles) => {
          const zip = new JSZip()
          for (const [index, stem] of stems.entries()) zip.file(`frames/${stem}`, bytes.slice(index))
          const packed = await zip.generateAsync({ type: 'uint8array', compression: compression as 'STORE' | 'DEFLATE', streamFiles })
          expect(readArchive(packed)).toEqual(
            stems.map((stem, index) => ({ name: `frames/${stem}`, bytes: new Uint8Array(bytes.slice(index)) })),
          )
        },
      ),
      { numRuns: 60 },
    )
  })

  test.each([
    ['read', 'DOS', 0x20],
    ['volume-label', 'DOS', 0x08],
    ['volume-label', 'DOS', 0x28],
    ['read', 'UNIX', 0x08],
  ] as const)('%s: an entry of %s with the attributes %i', async (rule, platform, attributes) => {
    const packed = await new JSZip().file('frame.png', 'pixels').generateAsync({ type: 'uint8array', platform })
    const at = Buffer.from(packed).indexOf('PK\x01\x02', 'latin1')
    packed[at + 38] = attributes
    if (rule === 'read') expect(readArchive(packed).map(({ name }) => name)).toEqual(['frame.png'])
    else expect(refusal(() => readArchive(packed)).facts).toMatchObject({ rule, entry: 'frame.png' })
  })

  test.each([
    ['CRC-32', 4],
    ['packed size', 8],
    ['size', 12],
  ])('data-descriptor-bad: a descriptor after an entry that differs from the directory in its %s alone', async (_what, at) => {
    const zip = new JSZip().file('frame.txt', 'pixels pixels pixels')
    const packed = await zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE', streamFiles: true })
    expect(readArchive(packed).map(({ name }) => name)).toEqual(['frame.txt'])
    packed[Buffer.from(packed).indexOf('PK\x07\x08', 'latin1') + at]! ^= 1
    expect(refusal(() => readArchive(packed)).facts).toMatchObject({ rule: 'data-descriptor-bad', entry: 'frame.txt' })
  })

  test('a changed byte is refused or changes nothing that is read', async () => {
    const zip = new JSZip()
    zip.file('a.txt', 'alpha alpha alpha').file('b.txt', 'beta')
    const packed = await zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
    const honest = readArchive(packed).map((entry) => Buffer.from(entry.bytes).toString())
    fc.assert(
      fc.property(fc.nat(packed.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = packed.slice()
        damaged[at]! ^= flip
        try {
          expect(readArchive(damaged).map((entry) => Buffer.from(entry.bytes).toString())).toEqual(honest)
        } catch (error) {
          if (!(error instanceof AtlasError)) throw error
          expect(error.code).toBe('SW_ARCHIVE')
        }
      }),
      { numRuns: 500 },
    )
  })

  test('a cut archive is refused wherever it is cut', async () => {
    const zip = new JSZip()
    zip.file('a.txt', 'alpha')
    const packed = await zip.generateAsync({ type: 'uint8array' })
    for (let length = 0; length < packed.length; length++)
      expect(refusal(() => readArchive(packed.subarray(0, length))).code).toBe('SW_ARCHIVE')
  })

  test.each([
    ['entry-too-big', { maxEntryBytes: 99 }],
    ['total-too-big', { maxTotalBytes: 150 }],
    ['too-many-entries', { maxEntries: 1 }],
  ])('the limit behind "%s" is kept', async (rule, limits) => {
    const zip = new JSZip()
    zip.file('a', new Uint8Array(100)).file('b', new Uint8Array(100))
    const packed = await zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
    const error = refusal(() => readArchive(packed, limits))
    expect([error.code, error.facts.rule]).toEqual(['SW_ARCHIVE', rule])
  })

  test('a file that is the folder of another is found whatever stands between them, and no other is taken for one', () => {
    const part = fc.stringMatching(/^[ab!+ ℀]{1,2}$/)
    const name = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 12, selector: (each) => each.normalize('NFKC') }), (names) => {
        const folded = names.map((each) => each.normalize('NFKC'))
        const clash = folded.some((file) => folded.some((other) => other.startsWith(`${file}/`)))
        if (clash) expect(refusal(() => checkNamesApart(names)).facts.rule).toBe('file-as-dir')
        else expect(checkNamesApart(names)).toBeUndefined()
      }),
      { numRuns: 500 },
    )
  })
})
