import { crc32, deflateRawSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openArchive, readArchive } from '../../atlas/delivery/archive.ts'
import { extraField, type MadeEnd, type MadeEntry, makeZip, packed } from './made-zip.ts'
import { refusal } from './refusal.ts'

describe('an archive made byte for byte', () => {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value)
  const content = text('content')
  const crc = crc32(content)
  const deflated = (packedBytes: Uint8Array, of = content, more: Partial<MadeEntry> = {}): MadeEntry => ({
    ...{ name: 'a.png', method: 8, packed: packedBytes, size: of.length, crc: crc32(of) },
    ...more,
  })
  const packedContent = new Uint8Array(deflateRawSync(content))
  const unixMode = (mode: number): Partial<MadeEntry> => ({ host: 3, attributes: mode * 0x10000 })
  const unicodePath = (path: string, of: string, version = 1): Uint8Array =>
    extraField(0x7075, new Uint8Array(Buffer.concat([packed([1, version], [4, crc32(text(of))]), text(path)])))
  const zip64 = (...values: readonly number[]): Uint8Array => extraField(1, packed(...values.map((value) => [8, value] as const)))
  const streamed = (after: Uint8Array, local: MadeEntry['local'] = { crc: 0, size: 0, packedSize: 0 }): MadeEntry => ({
    ...{ name: 'a.png', flags: 8, local, after },
  })
  const [all16, all32] = [0xffff, 0xffffffff]

  /** The ZIP64 end record and its locator. */
  const end64 =
    (
      of: {
        readonly [part in 'length' | 'disk' | 'directoryDisk' | 'countHere' | 'count' | 'disk64' | 'disks' | 'moved' | 'shorter']?: number
      } = {},
    ) =>
    (at: number, directoryAt: number): Uint8Array => {
      const count = of.count ?? 1
      return packed(
        ...([
          [4, 0x06064b50],
          [8, of.length ?? 44],
          [2, 45],
          [2, 45],
          [4, of.disk ?? 0],
          [4, of.directoryDisk ?? 0],
        ] as const),
        ...([
          [8, of.countHere ?? count],
          [8, count],
          [8, at - directoryAt - (of.shorter ?? 0)],
          [8, directoryAt],
        ] as const),
        ...([
          [4, 0x07064b50],
          [4, of.disk64 ?? 0],
          [8, at + (of.moved ?? 0)],
          [4, of.disks ?? 1],
        ] as const),
      )
    }
  const far = { count: all16, countHere: all16, size: all32, offset: all32 }

  test.each<[string, readonly MadeEntry[], MadeEnd?]>([
    ['with a comment', [{ name: 'a.png' }], { comment: text('PK\u0005\u0006 too short') }],
    ['deflated', [deflated(packedContent)]],
    ['of Unix', [{ name: 'a.png', ...unixMode(0o100644) }]],
    ['of macOS', [{ name: 'a.png', ...unixMode(0o100755), host: 19 }]],
    ['of DOS with the bits of a Unix link', [{ name: 'a.png', ...unixMode(0o120777), host: 0 }]],
    [
      'with an extra field of no meaning, twice',
      [{ name: 'a.png', extra: new Uint8Array([...extraField(9, content), ...extraField(9, content)]) }],
    ],
    ['with 256 extra fields', [{ name: 'a.png', extra: new Uint8Array(256 * 4) }]],
    ['with its name once more', [{ name: 'a.png', extra: unicodePath('a.png', 'a.png') }]],
    ['with a size of 64 bits', [{ name: 'a.png', size: all32, extra: zip64(7) }]],
    [
      'with sizes and a place of 64 bits',
      [{ name: 'a.png', size: all32, packedSize: all32, offset: all32, extra: zip64(7, 7, 0), local: { extra: zip64(7, 7) } }],
    ],
    ['with copies of 64 bits', [{ name: 'a.png', extra: zip64(7, 7, 0), local: { extra: zip64(7, 7) } }]],
    ['with a descriptor', [streamed(packed([4, crc], [4, 7], [4, 7]))]],
    ['with a signed descriptor', [streamed(packed([4, 0x08074b50], [4, crc], [4, 7], [4, 7]))]],
    ['with a wide descriptor', [streamed(packed([4, crc], [8, 7], [8, 7]))]],
    ['with a wide and signed descriptor', [streamed(packed([4, 0x08074b50], [4, crc], [8, 7], [8, 7]))]],
    ['with a descriptor and its sizes before it', [streamed(packed([4, crc], [4, 7], [4, 7]), {})]],
    ['with a ZIP64 end', [{ name: 'a.png' }], { beforeEnd: end64(), ...far }],
    ['with a ZIP64 end that says the same', [{ name: 'a.png' }], { beforeEnd: end64() }],
  ])('%s is read', (_, entries, end) => {
    expect(readArchive(makeZip(entries, end))).toEqual([{ name: 'a.png', bytes: content }])
  })

  test('folders are left out, the order is that of the directory, and the content of a folder is checked', () => {
    const folder = (more: Partial<MadeEntry> = {}): MadeEntry => ({ name: 'frames/', packed: new Uint8Array(), ...more })
    const files = [
      { name: 'frames/b.png' },
      folder(unixMode(0o040755)),
      folder({ name: 'other/', attributes: 0x10 }),
      { name: 'frames/a.png' },
    ]
    expect(readArchive(makeZip(files)).map(({ name }) => name)).toEqual(['frames/b.png', 'frames/a.png'])
    expect(refusal(() => openArchive(makeZip([folder({ crc: 1 })]))).facts).toEqual({ rule: 'crc', entry: 'frames/' })
    expect(readArchive(makeZip([]))).toEqual([])
  })

  test.each<[string, MadeEntry, Readonly<Record<string, unknown>>?]>([
    ['encrypted', { name: 'a.png', flags: 0x0001 }],
    ['encrypted', { name: 'a.png', flags: 0x0040 }],
    ['encrypted', { name: 'a.png', flags: 0x2000 }],
    ['patch-data', { name: 'a.png', flags: 0x0020 }],
    ['method', { name: 'a.png', method: 12 }, { method: 12 }],
    ['symlink', { name: 'a.png', ...unixMode(0o120777) }],
    ['symlink', { name: 'a.png', ...unixMode(0o120777), host: 19 }],
    ['special-file', { name: 'a.png', ...unixMode(0o010644) }],
    ['special-file', { name: 'a.png', ...unixMode(0o140755) }],
    ['folder-without-slash', { name: 'a.png', ...unixMode(0o040755) }],
    ['folder-without-slash', { name: 'a.png', attributes: 0x10 }],
    ['dir-with-data', { name: 'a/' }],
    ['stored-size-differs', { name: 'a.png', size: 8 }],
    ['stored-size-differs', { name: 'a.png', size: all32, extra: zip64(2 ** 32 + 7) }],
    ['ratio', { name: 'a.png', method: 8, size: 7 * 200 * 1000 }],
    ['entry-too-big', { name: 'a.png', method: 8, size: 2 ** 26 + 1 }],
    ['local-name-differs', { name: 'a.png', local: { name: 'b.png' } }],
    ['local-flags-differ', { name: 'a.png', local: { flags: 0x0800 } }],
    ['local-method-differs', { name: 'a.png', local: { method: 8 } }],
    ['local-crc-differs', { name: 'a.png', local: { crc: 0 } }],
    ['local-csize-differs', { name: 'a.png', local: { packedSize: 0 } }],
    ['local-size-differs', { name: 'a.png', local: { size: 0 } }],
    ['local-size-differs', streamed(packed([4, crc], [4, 7], [4, 7]), { size: 8 })],
    ['bad-local-header', { name: 'a.png', offset: 1 }],
    ['bad-local-header', { name: 'a.png', offset: 20 }],
    ['data-overruns-cd', { name: 'a.png', size: 8, packedSize: 8 }],
    ['gap-before-cd', { name: 'a.png', after: text('x') }],
    ['data-descriptor-bad', streamed(new Uint8Array())],
    ['data-descriptor-bad', streamed(packed([4, 0x08074b51], [4, crc], [4, 7], [4, 7]))],
    ['data-descriptor-bad', streamed(packed([4, crc], [4, 7], [8, 7]))],
    ['data-descriptor-bad', streamed(packed([4, crc + 1], [4, 7], [4, 7]))],
    ['data-descriptor-bad', streamed(packed([4, crc], [4, 8], [4, 7]))],
    ['data-descriptor-bad', streamed(packed([4, crc], [4, 7], [4, 8]))],
    ['data-descriptor-bad', streamed(packed([4, crc], [4, 7], [4, 1], [4, 7], [4, 0]))],
    ['data-descriptor-bad', streamed(packed([4, crc], [4, 7], [4, 0], [4, 7], [4, 1]))],
    ['crc', { name: 'a.png', crc: crc + 1 }],
    ['deflate-leftover', deflated(new Uint8Array([...packedContent, 0]))],
    ['deflate-truncated', deflated(packedContent.slice(0, -2))],
    ['inflate-error', deflated(new Uint8Array([7, 7, 7]))],
    ['size-exceeds-declared', deflated(packedContent, content.slice(1))],
    ['size-below-declared', deflated(packedContent, text('content '))],
    ['name-control-char', { name: 'a\n.png' }],
    ['name-control-char', { name: 'a\u0085.png', flags: 0x0800 }],
    ['name-backslash', { name: 'a\\b.png' }],
    ['name-colon', { name: 'c:a.png' }],
    ['name-absolute', { name: '/a.png' }],
    ['name-empty-segment', { name: 'a//b.png' }],
    ['name-dotdot', { name: 'a/../b.png' }],
    ['name-dotdot', { name: './b.png' }],
    ['name-trailing-dot-space', { name: 'a./b.png' }],
    ['name-trailing-dot-space', { name: 'b.png ' }],
    ['name-too-long', { name: `a/${'x'.repeat(256)}` }],
    ['name-too-long', { name: `a/${'ä'.repeat(128)}`, flags: 0x0800 }],
  ])('%s: the entry of case %# is refused by that rule and named', (rule, entry, facts) => {
    const error = refusal(() => readArchive(makeZip([entry])))
    expect([error.code, error.facts]).toEqual(['SW_ARCHIVE', { rule, entry: entry.name, ...facts }])
    expect(error.message).toContain(rule)
  })

  test.each<[string, readonly MadeEntry[], MadeEnd?, Readonly<Record<string, unknown>>?]>([
    ['name-empty', [{ name: '' }]],
    ['name-too-long', [{ name: 'x/'.repeat(513) }]],
    ['name-non-ascii-unflagged', [{ name: 'ä.png' }]],
    ['name-non-ascii-unflagged', [{ name: Uint8Array.of(0x80) }]],
    ['name-not-utf8', [{ name: Uint8Array.of(0x61, 0xff), flags: 0x0800 }]],
    ['name-two-truths', [{ name: 'a.png', extra: unicodePath('b.png', 'a.png') }]],
    ['name-two-truths', [{ name: 'a.png', extra: unicodePath('a.png', 'b.png') }]],
    ['name-two-truths', [{ name: 'a.png', extra: unicodePath('a.png', 'a.png', 2) }]],
    ['name-two-truths', [{ name: 'a.png', extra: extraField(0x7075, Uint8Array.of(1, 0, 0, 0)) }]],
    ['name-two-truths', [{ name: 'a.png', local: { extra: unicodePath('b.png', 'a.png') } }]],
    ['name-duplicate', [{ name: 'a.png' }, { name: 'a.png' }], {}, { entry: 'a.png' }],
    ['name-duplicate', [{ name: 'a' }, { name: 'a/', packed: new Uint8Array() }], {}, { entry: 'a' }],
    ['name-collides-when-folded', [{ name: 'a.png' }, { name: 'A.png' }], {}, { entry: 'A.png' }],
    ['name-collides-when-folded', [{ name: 'ﬁ', flags: 0x0800 }, { name: 'fi' }], {}, { entry: 'fi' }],
    ['file-as-dir', [{ name: 'a' }, { name: 'a/b' }], {}, { entry: 'a' }],
    ['file-as-dir', [{ name: 'A/b/c' }, { name: 'a/B' }], {}, { entry: 'a/b' }],
    ['gap-between-entries', [{ name: 'a', after: text('x') }, { name: 'b' }], {}, { entry: 'a' }],
    ['overlap', [{ name: 'a', packedSize: 8, size: 8 }, { name: 'b' }], {}, { entry: 'a' }],
    ['prefix-data', [{ name: 'a' }], { prefix: text('MZ') }],
    ['prefix-data', [], { prefix: text('MZ') }],
    ['no-eocd', [], { after: text('x'.repeat(70_000)) }],
    ['trailing-or-truncated', [{ name: 'a' }], { after: text('x') }],
    ['trailing-or-truncated', [{ name: 'a' }], { commentLength: 1 }],
    ['ambiguous-eocd', [{ name: 'a' }], { comment: makeZip([]) }],
    ['multi-disk', [{ name: 'a' }], { disk: 1 }],
    ['multi-disk', [{ name: 'a' }], { directoryDisk: 1 }],
    ['multi-disk', [{ name: 'a' }], { countHere: 0 }],
    ['multi-disk', [{ name: 'a', disk: 1 }]],
    ['cd-out-of-bounds', [{ name: 'a' }], { size: 48 }],
    ['gap-before-eocd', [{ name: 'a' }], { size: 46 }],
    ['entry-count-mismatch', [{ name: 'a' }], { count: 2 }],
    ['entry-count-mismatch', [{ name: 'a' }, { name: 'b' }], { count: 1 }],
    ['too-many-entries', [], { count: 10_001 }],
    ['bad-cd-header', [{ name: 'a' }, { name: 'b', signature: 0x02014b51 }], {}, { index: 1 }],
    ['extra-malformed', [{ name: 'a', extra: packed([2, 9], [2, 1]) }]],
    ['extra-malformed', [{ name: 'a', extra: packed([2, 9], [1, 0]) }]],
    ['extra-malformed', [{ name: 'a', extra: new Uint8Array([...zip64(), ...zip64()]) }]],
    ['extra-malformed', [{ name: 'a', extra: new Uint8Array([...unicodePath('a', 'a'), ...unicodePath('a', 'a')]) }]],
    ['extra-malformed', [{ name: 'a', extra: new Uint8Array(257 * 4) }]],
    ['zip64-extra-missing', [{ name: 'a', size: all32 }]],
    ['zip64-extra-length', [{ name: 'a', size: all32, extra: zip64(7, 7) }]],
    ['zip64-mismatch', [{ name: 'a', extra: zip64(7, 7, 1) }]],
    ['zip64-locator-bad', [{ name: 'a.png' }], { beforeEnd: end64({ moved: 1 }) }],
    ['zip64-gap', [{ name: 'a.png' }], { beforeEnd: end64({ length: 45 }) }],
    ['multi-disk', [{ name: 'a.png' }], { beforeEnd: end64({ disks: 2 }) }],
    ['multi-disk', [{ name: 'a.png' }], { beforeEnd: end64({ disk64: 1 }) }],
    ['multi-disk', [{ name: 'a.png' }], { beforeEnd: end64({ disk: 1 }), disk: all16 }],
    ['multi-disk', [{ name: 'a.png' }], { beforeEnd: end64({ directoryDisk: 1 }), directoryDisk: all16 }],
    ['multi-disk', [{ name: 'a.png' }], { beforeEnd: end64({ countHere: 2 }), ...far }],
    ['zip64-mismatch', [{ name: 'a.png' }], { beforeEnd: end64({ count: 2 }) }],
    ['zip64-mismatch', [{ name: 'a.png' }], { beforeEnd: end64(), disk: 1 }],
    ['zip64-mismatch', [{ name: 'a.png' }], { beforeEnd: end64({ shorter: 1 }) }],
    ['zip64-mismatch', [{ name: 'a.png' }], { beforeEnd: end64(), offset: 1 }],
    ['gap-before-eocd', [{ name: 'a.png' }], { beforeEnd: end64({ shorter: 1 }), ...far }],
  ])('%s: the archive of case %# is refused by that rule', (rule, entries, end, facts) => {
    const error = refusal(() => readArchive(makeZip(entries, end)))
    expect([error.code, error.facts]).toEqual(['SW_ARCHIVE', { rule, ...facts }])
  })

  test('an archive of just the limits is read, and one more is refused', () => {
    const files = [{ name: 'a' }, { name: 'b' }]
    const names = (limits: Parameters<typeof readArchive>[1]): readonly string[] =>
      readArchive(makeZip(files), limits).map(({ name }) => name)
    const most = { maxEntryBytes: 7, maxTotalBytes: 14, maxEntries: 2 }
    expect(names(most)).toEqual(['a', 'b'])
    const rules = [{ maxEntryBytes: 6 }, { maxTotalBytes: 13 }, { maxEntries: 1 }].map(
      (limit) => refusal(() => names({ ...most, ...limit })).facts,
    )
    expect(rules).toEqual([{ rule: 'entry-too-big', entry: 'a' }, { rule: 'total-too-big' }, { rule: 'too-many-entries' }])
    const grown = new Uint8Array(2 ** 20 + 1)
    const entry = deflated(new Uint8Array(deflateRawSync(grown)), grown)
    const ratio = grown.length / entry.packed!.length
    expect(readArchive(makeZip([entry]), { maxRatio: ratio })).toHaveLength(1)
    expect(refusal(() => openArchive(makeZip([entry]), { maxRatio: ratio - 0.01 })).facts).toEqual({ rule: 'ratio', entry: 'a.png' })
  })
})
