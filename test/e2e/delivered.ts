import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import JSZip from 'jszip'
import { PNG } from 'pngjs'
import { scaleFrames } from '../../atlas/index.ts'
import type { Playback } from './probe.ts'

/** A paid frame, straight alpha. */
export interface DeliveredFrame {
  /** `sprite/animation/0000`. */
  readonly name: string
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** The fields of a spec that playing and drawing need. */
interface Spec {
  readonly size?: number
  readonly pixelArt?: boolean
  readonly mirror?: Readonly<Record<string, string>>
  readonly animations: Readonly<
    Record<
      string,
      {
        readonly frames?: number
        readonly fps?: number
        readonly loop?: boolean
        readonly yoyo?: boolean
        readonly durations?: number[]
        readonly use?: number[]
      }
    >
  >
}

/**
 * The expected content of a project: every used frame of every animation, and the playback of each animation.
 */
export interface Expected {
  readonly frames: readonly DeliveredFrame[]
  readonly playbacks: readonly Playback[]
}

/**
 * Reads specs, lock file and paid ZIPs with other libraries than the product (jszip, pngjs), so that the
 * product does not check itself. Only if a spec asks for another size, the product's scaler is used.
 *
 * @param specs Paths of the spec files from the root.
 */
export async function readExpected(root: string, specs: readonly string[]): Promise<Expected> {
  const lock = JSON.parse(await readFile(join(root, 'sprites.lock.json'), 'utf8')) as {
    animations: Record<string, Record<string, { result?: { sha256: string } }>>
  }
  const frames: DeliveredFrame[] = []
  const playbacks: Playback[] = []
  for (const path of specs) {
    const spec = JSON.parse(await readFile(join(root, path), 'utf8')) as Spec
    const sprite = path.replace(/^.*\//, '').replace('.sprite.json', '')
    for (const [animation, { use, durations, fps = 12, loop = true, yoyo = false }] of Object.entries(spec.animations)) {
      const sha256 = Object.values(lock.animations[`${sprite}.${animation}`] ?? {})[0]?.result?.sha256
      const delivered = await unzip(join(root, '.spritewright/results', `${sha256}.zip`))
      const sized =
        spec.size === undefined ? delivered : await scaleFrames(delivered, { kind: 'longest', px: spec.size }, spec.pixelArt === true)
      const nameOf = (index: number): string => `${sprite}/${animation}/${String(index).padStart(4, '0')}`
      const played = use ?? sized.map((_, index) => index)
      for (const index of new Set(played)) frames.push({ name: nameOf(index), ...(sized[index] as Picture) })
      const there = played.map((index, at) => ({ name: nameOf(index), ms: durations?.[at] ?? 1000 / fps }))
      // The way back leaves out both end frames. Only without a loop does it end with the first frame.
      const back = yoyo ? there.slice(loop ? 1 : 0, -1).reverse() : []
      playbacks.push({ name: `${sprite}/${animation}`, round: [...there, ...back], loop })
    }
    for (const [image, source] of Object.entries(spec.mirror ?? {})) {
      const [from, to] = [`${sprite}/${source}`, `${sprite}/${image}`]
      const rename = ({ name }: { readonly name: string }): string => name.replace(from, to)
      frames.push(...frames.filter(({ name }) => name.startsWith(`${from}/`)).map((frame) => ({ ...mirrored(frame), name: rename(frame) })))
      const { round, loop } = playbacks.find(({ name }) => name === from) as Playback
      playbacks.push({ name: to, round: round.map((one) => ({ ...one, name: rename(one) })), loop })
    }
  }
  return { frames, playbacks }
}

interface Picture {
  readonly width: number
  readonly height: number
  readonly data: Uint8Array
}

/** A copy of a picture, mirrored left to right. */
export function mirrored<Shown extends Picture>(picture: Shown): Shown {
  const { width, data } = picture
  const flipped = data.slice()
  for (let at = 0; at < data.length; at++) {
    const column = Math.floor(at / 4) % width
    flipped[at + 4 * (width - 1 - 2 * column)] = data[at] as number
  }
  return { ...picture, data: flipped }
}

async function unzip(path: string): Promise<Picture[]> {
  const zip = await JSZip.loadAsync(await readFile(path))
  const names = Object.keys(zip.files)
    .filter((name) => /^frames\/.*\.png$/.test(name))
    .sort()
  return Promise.all(
    names.map(async (name) => {
      const { width, height, data } = PNG.sync.read((await zip.file(name)?.async('nodebuffer')) as Buffer)
      return { width, height, data: new Uint8Array(data) }
    }),
  )
}

/** Converts straight to premultiplied alpha, rounded to the nearest. */
export function premultiply({ data }: { readonly data: Uint8Array }): Uint8Array {
  return data.map((value, at) => (at % 4 === 3 ? value : Math.round((value * (data[at - (at % 4) + 3] as number)) / 255)))
}
