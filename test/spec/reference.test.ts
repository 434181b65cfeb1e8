import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Disk, nodeDisk } from '../../src/host/disk.ts'
import { parseSpec } from '../../src/sprite-spec/parser.ts'
import { sniffPicture } from '../../src/sprite-spec/picture.ts'
import { readReference, referenceError, referencePath } from '../../src/sprite-spec/reference.ts'
import type { SpriteSpec } from '../../src/sprite-spec/spec.ts'
import { specText } from './issues.ts'

const disk = nodeDisk()
let root: string

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'spritewright-'))
  mkdirSync(join(root, 'sprites'))
  mkdirSync(join(root, 'sprites', 'folder.png'))
})
afterAll(() => rmSync(root, { recursive: true }))

function picture(width: number, height: number): Sharp {
  return sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 30, alpha: 0.5 } } })
}

/** A spec with `bytes` as `hero.png` beside it. */
function specWith(bytes?: Uint8Array, over: Readonly<Record<string, unknown>> = {}): SpriteSpec {
  const file = join(root, 'sprites', 'hero.sprite.json')
  const text = specText(over)
  writeFileSync(file, `// the hero\n${text}`)
  if (bytes) writeFileSync(join(root, 'sprites', 'hero.png'), bytes)
  return parseSpec(text, file)
}

const kinds = [
  ['image/png', () => picture(33, 21).png().toBuffer()],
  ['image/jpeg', () => picture(33, 21).jpeg().toBuffer()],
  [
    'image/jpeg',
    () =>
      picture(33, 21)
        .jpeg({ progressive: true })
        .withExif({ IFD0: { Copyright: 'x' } })
        .toBuffer(),
  ],
  ['image/webp', () => picture(33, 21).webp({ lossless: true }).toBuffer()],
  ['image/webp', () => picture(33, 21).webp({ quality: 50 }).toBuffer()],
  ['image/webp', () => picture(33, 21).removeAlpha().webp({ quality: 50 }).toBuffer()],
] as const

describe('a picture', () => {
  test.each(kinds)('of %s is known by its bytes, with its size', async (contentType, make) => {
    const bytes = new Uint8Array(await make())
    expect(sniffPicture(bytes)).toEqual({ header: { contentType, width: 33, height: 21 } })
  })

  test.each([1, 2, 3])('of JPEG is known with %d fill bytes before its segments', async (count) => {
    const bytes = await picture(33, 21).jpeg().toBuffer()
    const filled = Buffer.concat([bytes.subarray(0, 2), Buffer.alloc(count, 0xff), bytes.subarray(2)])
    expect(sniffPicture(filled)).toEqual({ header: { contentType: 'image/jpeg', width: 33, height: 21 } })
  })

  test('of JPEG is known whatever tables and notes stand before its frame header', async () => {
    const bytes = await picture(33, 21).jpeg().toBuffer()
    // Huffman tables, an extension, arithmetic conditioning, quantization tables, a restart interval, a comment.
    for (const marker of [0xc4, 0xc8, 0xcc, 0xdb, 0xdd, 0xe0, 0xef, 0xfe]) {
      const segment = Buffer.from([0xff, marker, 0, 9, 8, 0, 1, 0, 1, 1, 0])
      const filled = Buffer.concat([bytes.subarray(0, 2), segment, bytes.subarray(2)])
      expect(sniffPicture(filled)).toEqual({ header: { contentType: 'image/jpeg', width: 33, height: 21 } })
    }
  })

  test.each(kinds)('of %s that is cut off never throws and has either its size or none', async (contentType, make) => {
    const bytes = new Uint8Array(await make())
    for (let length = 0; length < Math.min(bytes.length, 700); length += 1) {
      const sniffed = sniffPicture(bytes.subarray(0, length))
      if ('header' in sniffed) expect(sniffed.header).toEqual({ contentType, width: 33, height: 21 })
    }
  })
})

describe('a reference', () => {
  test('is read with its hash, type and size, also from above the folder of the spec', async () => {
    const bytes = new Uint8Array(await picture(8, 9).png().toBuffer())
    writeFileSync(join(root, 'art.png'), bytes)
    const found = await readReference(disk, specWith(undefined, { reference: '../art.png' }))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(found).toEqual({ path: join(root, 'art.png'), bytes, sha256, contentType: 'image/png', width: 8, height: 9 })
  })

  test('that is missing is refused with its place in the spec and the path looked for', async () => {
    const spec = specWith(undefined, { reference: 'nobody.png' })
    await expect(readReference(disk, spec)).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      message: `${spec.file}:2:14 reference: expected a picture at "nobody.png", found nothing at ${join(root, 'sprites', 'nobody.png')}.`,
      facts: { sprite: 'hero', file: spec.file, line: 2, column: 14, path: join(root, 'sprites', 'nobody.png') },
    })
  })

  test('that is a folder is refused', async () => {
    await expect(readReference(disk, specWith(undefined, { reference: 'folder.png' }))).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      facts: { found: 'a folder' },
    })
  })

  test.each([
    ['GIF89a....', 'a GIF file'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', 'an SVG file'],
    ['\n<!DOCTYPE html><html></html>', 'an HTML page'],
    ['version https://git-lfs.github.com/spec/v1\noid sha256:0\n', 'a Git LFS pointer (run: git lfs pull)'],
    ['hello', 'a text file'],
    ['\x00\x01\x02', 'a file of another kind'],
    ['', 'an empty file'],
    ['\x89PNG\r\n\x1a\n', 'a PNG file whose header is cut off or damaged'],
  ])('of the bytes %j is refused as what it is', async (text, found) => {
    await expect(readReference(disk, specWith(Buffer.from(text, 'latin1'), { reference: 'hero.png' }))).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      facts: { found },
    })
  })

  test('above the limits of the service is refused with both figures', async () => {
    const spec = specWith(new Uint8Array(await picture(40, 30).png().toBuffer()))
    const { bytes } = await readReference(disk, spec, { maximumInputDimension: 40, maximumInputBytes: null })
    await expect(readReference(disk, spec, { maximumInputDimension: 39 })).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      message: expect.stringContaining('expected a picture of at most 39 pixels a side, found 40 × 30 pixels'),
      facts: { limit: 39, found: 40 },
    })
    await expect(readReference(disk, spec, { maximumInputBytes: bytes.length - 1 })).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      facts: { limit: bytes.length - 1, found: bytes.length },
    })
    await expect(
      readReference(disk, spec, { maximumInputBytes: bytes.length, maximumSourceInputBytes: bytes.length - 1 }),
    ).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      message: expect.stringContaining(
        `expected a picture of at most ${bytes.length - 1} bytes, found ${bytes.length} bytes. Make it smaller.`,
      ),
      facts: { limit: bytes.length - 1, found: bytes.length },
    })
    await expect(readReference(disk, spec, { maximumSourceInputBytes: bytes.length })).resolves.toMatchObject({ width: 40 })
    await expect(readReference(disk, spec, { supportedInputExtensions: ['.JPG', 'webp'] })).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      facts: { limit: ['jpg', 'webp'], found: 'image/png' },
    })
    await expect(readReference(disk, spec, { supportedInputExtensions: ['.PNG'] })).resolves.toMatchObject({ width: 40 })
    const photo = specWith(new Uint8Array(await picture(40, 30).jpeg().toBuffer()))
    for (const ending of ['jpg', '.jpeg'])
      await expect(readReference(disk, photo, { supportedInputExtensions: [ending] })).resolves.toMatchObject({ width: 40 })
  })
})

test('a picture that has grown since its size was read is refused by its bytes', async () => {
  const bytes = await picture(33, 21).png().toBuffer()
  const growing: Disk = {
    ...disk,
    stat: async (path) => ({ bytes: 1, changedMs: 0, isFolder: (await disk.stat(path))?.isFolder ?? false }),
  }
  const limits = { maximumInputBytes: bytes.length - 1 }
  await expect(readReference(growing, specWith(bytes), limits)).rejects.toMatchObject({
    code: 'SW_REFERENCE',
    facts: { limit: bytes.length - 1, found: bytes.length },
  })
})

test.each(['stat', 'read'] as const)(
  'a picture of which the disk refuses %s is an error of the disk, with its code and cause',
  async (call) => {
    const spec = specWith(await picture(33, 21).png().toBuffer())
    const path = join(root, 'sprites', 'hero.png')
    const cause = Object.assign(new Error('no'), { code: 'EACCES' })
    const refusing = { ...disk, [call]: async () => Promise.reject(cause) }
    await expect(readReference(refusing, spec)).rejects.toMatchObject({
      code: 'SW_DISK',
      message: `Expected to read ${path}, found EACCES. Check the file and its permissions.`,
      facts: { file: path },
      cause,
    })
  },
)

describe('the place of a reference that cannot be used', () => {
  const refusal = { message: 'expected another one', facts: { found: 'this one' } }
  /** Line and column of some text in the file of a spec. */
  const placeOf = (text: string, part: string): { line: number; column: number } => {
    const before = text.slice(0, text.indexOf(part)).split('\n')
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
  }
  const file = (): string => join(root, 'sprites', 'hero.sprite.json')
  const write = (text: string): SpriteSpec => {
    writeFileSync(file(), text)
    return parseSpec(text, file())
  }

  test('is that of its value; of a chain, that of the first step', async () => {
    const rest = '"prompt": "x", "animations": { "walk": { "frames": 7 } }'
    const one = `{\n  // The hero.\n  "reference": "./hero.png", ${rest}\n}`
    const facts = { sprite: 'hero', file: file(), found: 'this one' }
    const error = await referenceError(disk, write(one), refusal)
    expect(error).toMatchObject({ code: 'SW_REFERENCE', facts: { ...facts, ...placeOf(one, '"./hero.png"') } })
    const chain = `{ ${rest},\n  "reference": { "steps": [\n    { "image": "./hero.png" }, { "edit": "a plume" }] } }`
    const chained = await referenceError(disk, write(chain), refusal)
    expect(chained).toMatchObject({ code: 'SW_REFERENCE', facts: { ...facts, ...placeOf(chain, '{ "image"') } })
  })

  test('is the file alone once the spec is gone', async () => {
    const spec = write(specText())
    rmSync(file())
    const error = await referenceError(disk, spec, refusal)
    expect(error).toMatchObject({ code: 'SW_REFERENCE', facts: { sprite: 'hero', file: file() } })
    expect(error.facts).not.toHaveProperty('line')
  })
})

describe('a name that differs from the file only in case', () => {
  /** A disk on which Hero.png and hero.png are one file, as on Windows and macOS. */
  const insensitive: Disk = {
    ...disk,
    stat: (path) => disk.stat(path.replace(/hero\.png$/i, 'hero.png')),
    read: (path) => disk.read(path.replace(/hero\.png$/i, 'hero.png')),
  }
  test.each([
    ['where case counts', disk],
    ['where it does not', insensitive],
  ])('is refused %s, with the right name', async (_where, on) => {
    const spec = specWith(await picture(33, 21).png().toBuffer(), { reference: './HERO.png' })
    await expect(readReference(on, spec)).rejects.toMatchObject({
      code: 'SW_REFERENCE',
      message: expect.stringContaining('expected "HERO.png", found "hero.png", which differs in case'),
    })
    expect((await readReference(on, specWith(await picture(33, 21).png().toBuffer()))).width).toBe(33)
  })
})

describe('a name that differs from the file only in Unicode form', () => {
  const [composed, decomposed] = ['hérö'.normalize('NFC'), 'hérö'.normalize('NFD')]
  /** A disk on which all forms are one file, as on macOS. */
  const insensitive: Disk = {
    ...disk,
    stat: (path) => disk.stat(path.normalize('NFD')),
    read: (path) => disk.read(path.normalize('NFD')),
  }
  test.each([
    ['where the form counts', disk, `${composed}.png`, `${decomposed}.png`],
    ['where it does not', insensitive, `${composed}.png`, `${decomposed}.png`],
    ['where the form counts, the other way round', disk, `${decomposed}.png`, `${composed}.png`],
    ['where the form of a folder counts', disk, `${composed}/a.png`, `${decomposed}/a.png`],
  ])('is refused %s, in the words for case', async (_where, on, written, onDisk) => {
    const bytes = await picture(33, 21).png().toBuffer()
    const file = join(root, 'sprites/art', onDisk)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes)
    const [name, found] = [written, onDisk].map((path) => JSON.stringify(path.split('/')[0]))
    try {
      await expect(readReference(on, specWith(bytes, { reference: `./art/${written}` }))).rejects.toMatchObject({
        code: 'SW_REFERENCE',
        message: expect.stringContaining(`expected ${name}, found ${found}, which differs in Unicode form`),
      })
      expect((await readReference(on, specWith(bytes, { reference: `./art/${onDisk}` }))).width).toBe(33)
    } finally {
      rmSync(join(root, 'sprites/art'), { recursive: true })
    }
  })
})

test('a chain that begins with a text has no picture file, and any other one has that of its first step', async () => {
  const spec = specWith(undefined, { reference: { steps: [{ text: 'a knight' }, { edit: 'a plume' }] } })
  expect(referencePath(spec)).toBeUndefined()
  await expect(readReference(disk, spec)).rejects.toMatchObject({ code: 'SW_REFERENCE', facts: { sprite: 'hero' } })
  const path = join(root, 'sprites', 'hero.png')
  expect(referencePath(specWith())).toBe(path)
  expect(referencePath(specWith(undefined, { reference: { steps: [{ image: 'hero.png' }, { edit: 'a plume' }] } }))).toBe(path)
})

test('a picture outside the reach of a relative path is not read', async () => {
  const spec: SpriteSpec = { ...specWith(), reference: { kind: 'file', path: '/hero.png' } }
  await expect(readReference(disk, spec)).rejects.toMatchObject({ code: 'SW_REFERENCE', facts: { path: '/hero.png' } })
})

test.each([
  ['avif', 'an AVIF file'],
  ['avis', 'an AVIF file'],
  ['heic', 'an HEIF or MP4 file'],
])('a file of the brand %s is %s', (brand, found) => {
  expect(sniffPicture(new TextEncoder().encode(`\0\0\0 ftyp${brand}`))).toEqual({ found })
})
