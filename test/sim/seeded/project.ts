import { createHash } from 'node:crypto'
import { createBitmap, encodePng } from '../../../atlas/index.ts'
import { defaultShapes } from '../../../src/embedded/http/shapes.ts'
import { packDelivery } from '../../../src/embedded/images/delivery.ts'
import type { Makers } from '../../../src/embedded/options/options.ts'
import { requestHash } from '../../../src/sprite-spec/key.ts'
import { parseSpec } from '../../../src/sprite-spec/parser.ts'
import { type ServiceIdentity, toRequests } from '../../../src/sprite-spec/request.ts'
import { api } from '../world.ts'

/** The editable content of a sprite. */
export interface SpriteState {
  readonly prompt: number
  readonly frames: 7 | 8
  readonly take: 1 | 2
  readonly animations: number
  /** 0: a file. 1: a chain of paid steps. 2: such a chain whose pictures are those of the game. */
  readonly reference: number
}

const identity: ServiceIdentity = { host: new URL(api).host, keyMode: 'test', apiVersion: '1' }

/** The picture that all sprites share. */
export const picture: Uint8Array = encodePng(createBitmap(8, 8, new Uint8Array(256).fill(120)))
const pictureSha256 = createHash('sha256').update(picture).digest('hex')

/** Name of the n-th sprite. */
export function spriteName(index: number): string {
  return 'abc'[index] as string
}

/** The text of a spec file. */
export function specText(index: number, { prompt, frames, take, animations, reference }: SpriteState): string {
  const chain = { steps: [{ text: 'a knight' }, { edit: 'with a hat' }] }
  const names = ['walk', 'idle'].slice(0, animations)
  if (reference === 2) {
    const last = { removeBackground: `figure ${index}`, ...(take > 1 ? { take } : {}) }
    const pictures = names.map((name) => [name, [{ edit: `${name}, ${frames} hats, version ${prompt}` }, last]])
    return JSON.stringify({ reference: chain, pictures: Object.fromEntries(pictures) })
  }
  const animation = { frames, ...(take > 1 ? { take } : {}) }
  return JSON.stringify({
    reference: reference === 0 ? './picture.png' : chain,
    prompt: `figure ${index} in version ${prompt}`,
    animations: Object.fromEntries(names.map((name) => [name, animation])),
  })
}

/** One paid request of a spec. */
export interface Paid {
  readonly id: string
  readonly hash: string
}

const known = new Map<string, readonly Paid[]>()

/** The paid requests of a spec, steps first. Equal texts are parsed once for all seeds. */
export function paidOf(index: number, state: SpriteState): readonly Paid[] {
  const text = specText(index, state)
  const key = `${index} ${text}`
  let paid = known.get(key)
  if (!paid) {
    const name = spriteName(index)
    const spec = parseSpec(text, `/game/sprites/${name}.sprite.json`, name)
    const sha256 = state.reference === 0 ? pictureSha256 : undefined
    const chains = spec.animations.map((animation) => toRequests(spec, animation, sha256, (step) => requestHash(step, identity)))
    const requests = [...chains.flatMap(({ steps }) => steps), ...chains.map(({ request }) => request)]
    const all = requests.map((request) => ({ id: request.id, hash: requestHash(request, identity) }))
    paid = [...new Map(all.map((one) => [one.hash, one])).values()]
    known.set(key, paid)
  }
  return paid
}

/** How many different results the makers have. A world makes fewer. */
const variants = 24

interface Delivered {
  readonly bytes: Uint8Array
  readonly sha256: string
  readonly width: number
  readonly height: number
}

const sheets = new Map<string, Delivered>()
const images: Delivered[] = []

/**
 * Makes the data that all worlds share. Must be awaited once before the first world, because packing waits
 * for events that a virtual clock does not know.
 */
export async function prepareResults(): Promise<void> {
  if (images.length > 0) return
  for (let variant = 0; variant < variants; variant++) {
    const fill = (size: number, value: number): Uint8Array => new Uint8Array(size).fill(value)
    for (const count of [7, 8]) {
      const frames = Array.from({ length: count }, (_, index) => createBitmap(4, 4, fill(64, variant * 9 + index)))
      const { zip, width, height } = await packDelivery(frames, defaultShapes.names)
      sheets.set(`${count} ${variant}`, delivered(zip, width, height))
    }
    images.push(delivered(encodePng(createBitmap(8, 8, fill(256, variant + 30))), 8, 8))
  }
}

function delivered(bytes: Uint8Array, width: number, height: number): Delivered {
  return { bytes, width, height, sha256: createHash('sha256').update(bytes).digest('hex') }
}

/**
 * Makers that take time of the service's clock and no real time. Every execution gets a different result
 * until all variants are used.
 */
export function quickMakers(job: { next(): { readonly variant: number; readonly ms: number }; made(sha256: string): void }): Makers {
  const review = { background: 'remove' as const, keptBackgroundFrames: [], inspectionFrames: [], sourceShiftedFrames: [] }
  return {
    sheet: async (request, _prompt, tools) => {
      const { variant, ms } = job.next()
      const sheet = sheets.get(`${request.frames} ${variant % variants}`) as Delivered
      job.made(sheet.sha256)
      await tools.onStep(1, ms)
      const { bytes, width, height } = sheet
      return { bytes, contentType: 'application/zip', width, height, review: { ...review, frameCount: request.frames } }
    },
    image: async (_request, _prompt, tools) => {
      const { variant, ms } = job.next()
      const image = images[variant % variants] as Delivered
      job.made(image.sha256)
      await tools.onStep(1, ms)
      const { bytes, width, height } = image
      return { bytes, contentType: 'image/png', width, height, review: null }
    },
  }
}
