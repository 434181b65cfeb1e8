import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AsepriteFile, createBitmap, readAseprite, writeAseprite } from '../../../atlas/index.ts'
import { hasExtras, packageFolder } from '../../kit/extras.ts'
import { asepriteCorpus, corpusBytes } from '../corpus.ts'
import { asepriteFiles } from './aseprite-cases.ts'

/** What ase-parser finds. It parses and unpacks, and draws nothing. */
interface Parsed {
  readonly width: number
  readonly height: number
  readonly frames: readonly { readonly frameDuration: number; readonly cels: readonly ParsedCel[] }[]
  readonly tags: readonly {
    readonly name: string
    readonly from: number
    readonly to: number
    readonly animDirection: string
    readonly repeat: number
  }[]
  readonly slices: readonly { readonly name: string; readonly keys: readonly Readonly<Record<string, unknown>>[] }[]
  parse(): void
}

interface ParsedCel {
  readonly xpos: number
  readonly ypos: number
  readonly w: number
  readonly h: number
  readonly rawCelData: Buffer
}

function parse(bytes: Uint8Array): Parsed {
  const Aseprite = createRequire(import.meta.url)(packageFolder('ase-parser')) as new (buffer: Buffer, name: string) => Parsed
  const parsed = new Aseprite(Buffer.from(bytes), 'x.aseprite')
  parsed.parse()
  return parsed
}

const words: Readonly<Record<string, string>> = {
  Forward: 'forward',
  Reverse: 'reverse',
  'Ping-pong': 'pingpong',
  'Ping-pong Reverse': 'pingpong-reverse',
}

/** Tags, times, and slices without middles and pivots, in one form. */
function toFacts({ frames, tags, slices }: AsepriteFile): unknown {
  return {
    times: frames.map(({ durationMs }) => durationMs),
    tags,
    slices: slices.map(({ name, keys }) => ({
      name,
      keys: keys.map(({ frame, x, y, width, height }) => ({ frame, x, y, width, height })),
    })),
  }
}

function toParsedFacts({ frames, tags, slices }: Parsed): unknown {
  return {
    times: frames.map(({ frameDuration }) => frameDuration),
    tags: tags.map(({ name, from, to, animDirection, repeat }) => ({ name, from, to, direction: words[animDirection], repeat })),
    slices: slices.map(({ name, keys }) => ({
      name,
      keys: keys.map(({ frameNumber, x, y, width, height }) => ({ frame: frameNumber, x, y, width, height })),
    })),
  }
}

describe.skipIf(!hasExtras)('ase-parser', () => {
  test('reads the pixels, times, tags and slices of a written file', () => {
    const law = fc.property(asepriteFiles, (file) => {
      const parsed = parse(writeAseprite(file))
      expect([parsed.width, parsed.height]).toEqual([file.width, file.height])
      for (const [index, { bitmap }] of file.frames.entries()) {
        const picture = createBitmap(file.width, file.height)
        for (const { xpos, ypos, w, h, rawCelData } of parsed.frames[index]!.cels)
          for (let row = 0; row < h; row++)
            picture.data.set(rawCelData.subarray(4 * w * row, 4 * w * (row + 1)), 4 * ((ypos + row) * file.width + xpos))
        expect(picture).toEqual(bitmap)
      }
      expect(toParsedFacts(parsed)).toEqual(toFacts(file))
    })
    fc.assert(law, { numRuns: 500 })
  })

  test('finds the times, tags and slices that we find in the corpus', () => {
    const known = asepriteCorpus().filter((name) => name.endsWith('.aseprite'))
    const unread = known.filter((name) => {
      const bytes = corpusBytes('aseprite', name)
      try {
        expect(toParsedFacts(parse(bytes)), name).toEqual(toFacts(readAseprite(bytes)))
        return false
      } catch (error) {
        if (error instanceof RangeError) return true
        throw error
      }
    })
    // It knows only the new count of chunks, which that file does not have.
    expect(unread).toEqual(known.length > 0 ? ['adventurer.aseprite'] : [])
  })
})
