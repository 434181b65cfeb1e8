import { createBitmap, encodePages, makeAtlas } from '../../atlas/index.ts'
import { nodeHost } from '../../src/host/host.ts'
import { sha256 } from '../../src/host/sha256.ts'
import { projectFiles } from '../../src/workshop/project-files.ts'
import type { BuiltSheets, createWorkshop, Preview, Workshop } from '../../src/workshop.ts'

/** The current look of `hero`, the sprite of {@link fakeWorkshop}. */
export interface FakeArt {
  /** 0 to 255; the red of every pixel except a clear border of 2 pixels. */
  red: number
  /** Frames of each animation. */
  frames: number
  /** Side of a frame, in pixels. */
  side: number
  /** Longest side of a page, in pixels. */
  maxSize: number
  /** Short names, without the sprite. */
  animations: readonly string[]
  fps: number
  loop: boolean
  yoyo: boolean
  /** Duration of each frame, in milliseconds. */
  durations?: readonly number[] | undefined
  /** Indices of the played frames. */
  use?: readonly number[] | undefined
  anchor?: { readonly x: number; readonly y: number } | undefined
  /** Nine-slice borders in pixels: of every side, or of the left and right sides only. */
  borders?: number | readonly [left: number, right: number] | undefined
  pixelArt: boolean
  /** Names of further sprites that look the same. */
  others: readonly string[]
  /** Whether the spec of `hero` is missing. */
  isGone: boolean
}

/** Art with the given fields; every other field has its usual value. */
export function fakeArt(art: Partial<FakeArt>): FakeArt {
  const usual = { red: 200, frames: 3, side: 16, maxSize: 2048, animations: ['walk', 'fall'], fps: 10, loop: true, yoyo: false }
  return { ...usual, pixelArt: false, others: [], isGone: false, ...art }
}

/** A workshop that shows the current art of a test at once, instead of the results of purchases and edits. */
export function fakeWorkshop(art: FakeArt, file: string): typeof createWorkshop {
  return async ({ root }) => {
    const options = { root, store: { dir: `${root}/.spritewright` }, panel: {} } as Workshop['options']
    const lock = {
      path: `${root}/sprites.lock.json`,
      read: async () => ({ version: 1 as const, animations: {} }),
      readTexts: async () => '',
    }
    const workshop: Partial<Workshop> = {
      options,
      files: projectFiles({ options, lock, host: nodeHost(), ownFiles: new Set() }, undefined),
      host: nodeHost(),
      // This workshop never buys anything.
      pending: async () => ({ orders: [], mayBuy: false, canAsk: false }),
      preview: async () => {
        const sheets = await toSheets(art, file)
        return { specs: sheets.sprites as unknown as Preview['specs'], sheets, errors: [] }
      },
      writeTypings: async () => [],
      close: async () => {},
    }
    return workshop as Workshop
  }
}

async function toSheets(art: FakeArt, file: string): Promise<BuiltSheets> {
  const names = [...(art.isGone ? [] : ['hero']), ...art.others].sort()
  const all = await Promise.all(names.map((name) => toSheet(name, art, file.replace('hero.', `${name}.`))))
  return { sprites: all.flatMap(({ sprites }) => sprites), atlases: all.flatMap(({ atlases }) => atlases) }
}

async function toSheet(sprite: string, art: FakeArt, file: string): Promise<BuiltSheets> {
  const { fps, loop, yoyo, durations, use, anchor, borders: all, pixelArt } = art
  const animations = art.animations.map((name) => {
    const names = Array.from({ length: art.frames }, (_, index) => `${sprite}/${name}/${String(index).padStart(4, '0')}`)
    return {
      name: `${sprite}/${name}`,
      sprite,
      frames: names.map((frame, index) => ({ name: frame, bitmap: draw(art, name === 'walk' ? 0 : 99, index), durationMs: 1000 / fps })),
      play: use?.map((index) => names[index] as string) ?? names,
      ...(durations ? { durations } : {}),
      fps,
      loop,
      yoyo,
      ...(anchor ? { anchor } : {}),
      ...(all === undefined ? {} : { borders: toBorders(all) }),
      trim: true,
      extrude: 1,
      padding: 2,
      pixelArt,
    }
  })
  const atlas = makeAtlas(sprite, animations, { maxSize: art.maxSize })
  const { pages } = await encodePages(atlas, { format: 'png', lossless: true })
  return {
    sprites: [
      {
        name: sprite,
        file,
        atlas: sprite,
        width: art.side,
        height: art.side,
        ...(anchor ? { anchor } : {}),
        pixelArt,
        isPlaceholder: false,
        animations: art.animations,
      },
    ],
    atlases: [
      {
        ...atlas,
        layers: undefined,
        pages: pages.map(({ bytes, width, height }) => ({
          bytes,
          sha256: sha256(bytes),
          width,
          height,
          contentType: 'image/png',
          extension: 'png',
        })),
      },
    ],
  }
}

function draw({ red, side }: FakeArt, green: number, index: number): ReturnType<typeof createBitmap> {
  const bitmap = createBitmap(side, side)
  for (let y = 2; y < side - 2; y++) for (let x = 2; x < side - 2; x++) bitmap.data.set([red, green, 20 * index, 255], (y * side + x) * 4)
  return bitmap
}

function toBorders(all: NonNullable<FakeArt['borders']>): { left: number; top: number; right: number; bottom: number } {
  if (typeof all !== 'number') return { left: all[0], top: 0, right: all[1], bottom: 0 }
  return { left: all, top: all, right: all, bottom: all }
}
