import JSZip from 'jszip'
import sharp, { type Metadata } from 'sharp'
import { afterEach, describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, crop, decodePng } from '../../atlas/index.ts'
import { encodeGif, packDelivery } from '../../src/embedded/images/delivery.ts'
import { reviewFrames } from '../../src/embedded/images/frame-review.ts'
import { ManualClock } from '../kit/manual-clock.ts'
import { type Caller, closeAll, start } from './fixtures.ts'

afterEach(closeAll)

async function linkOf(me: Caller, jobId: string): Promise<string> {
  const reply = await me.call(`/v1/image-jobs/${jobId}/asset`)
  expect(reply.status).toBe(302)
  return reply.headers.get('location')!
}

async function download(me: Caller, jobId: string): Promise<Uint8Array> {
  const response = await fetch(await linkOf(me, jobId))
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
  return new Uint8Array(await response.arrayBuffer())
}

describe('assets', () => {
  test('C25: the redirect leads to another origin and is refused there after 15 minutes; a new one works again', async () => {
    const clock = new ManualClock()
    const service = await start({}, { clock })
    const { image_job: job } = await service.me.buy()
    const link = await linkOf(service.me, job.public_job_id)
    expect(new URL(link).origin).toBe(service.assetsUrl)
    expect(new URL(link).origin).not.toBe(service.url)
    await clock.advance(15 * 60_000 - 1)
    expect((await fetch(link)).status).toBe(200)
    await clock.advance(1)
    expect((await fetch(link)).status).toBe(403)
    expect((await fetch(await linkOf(service.me, job.public_job_id))).status).toBe(200)
  })

  test('C25: a link that was changed is 403, and credentials are not welcome', async () => {
    const { me } = await start()
    const link = await linkOf(me, (await me.buy()).image_job.public_job_id)
    for (const change of [
      link.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      link.replace(/expires=1/, 'expires=2'),
      link.replace(/&.*/, ''),
    ])
      expect((await fetch(change)).status).toBe(403)
    expect((await fetch(link, { headers: { authorization: 'Bearer anything' } })).status).toBe(400)
  })

  test('C26: download_url is on the origin that the caller used', async () => {
    const service = await start()
    const { image_job: job } = await service.me.buy()
    expect(job.finished_assets[0].download_url).toBe(`${service.url}/v1/image-jobs/${job.public_job_id}/asset`)
  })
})

describe('the delivery', () => {
  test('other words for the same motion, and the same words again, give other pictures, also at once', async () => {
    const { me } = await start()
    const together = ['a knight\nwalks', 'a knight\nwalks slowly'].map((prompt, at) => me.buy(`key-${at}`, { prompt }))
    const jobs = [...(await Promise.all(together)), await me.buy('key-3', { prompt: 'a knight\nwalks' })]
    const files = await Promise.all(jobs.map(({ image_job: job }) => download(me, job.public_job_id)))
    const frames = await Promise.all(
      files.map(async (bytes) => {
        const zip = await JSZip.loadAsync(bytes)
        const [first] = Object.keys(zip.files)
          .filter((name) => name.endsWith('.png'))
          .sort()
        return (await zip.file(first!)!.async('base64')) as string
      }),
    )
    expect(new Set(frames).size).toBe(3)
  })

  test('C34, C35, C37, N12: a ZIP of frames, a sheet of the same pixels, its atlas and a moving preview', async () => {
    const { me } = await start()
    const { image_job: job } = await me.buy()
    const zip = await JSZip.loadAsync(await download(me, job.public_job_id), { checkCRC32: true })
    const frames = Array.from({ length: 12 }, (_, index) => `frames/frame_${String(index).padStart(3, '0')}.png`)
    expect(Object.keys(zip.files)).toEqual([...frames, 'sheet.png', 'atlas.json', 'preview.gif'])
    const read = async (name: string): Promise<Uint8Array> => zip.file(name)!.async('uint8array')
    const sheet = decodePng(await read('sheet.png'))
    expect(job.finished_assets[0]).toMatchObject({ content_type: 'application/zip', width: sheet.width, height: sheet.height })
    const atlas = JSON.parse(new TextDecoder().decode(await read('atlas.json')))
    for (const name of frames) {
      const { x, y, w, h } = atlas.frames[name.slice('frames/'.length)].frame
      expect(crop(sheet, x, y, w, h)).toEqual(decodePng(await read(name)))
    }
    const preview = await sharp(await read('preview.gif'), { animated: true }).metadata()
    expect([preview.pages, preview.loop]).toEqual([12, 0])
    expect(job.frame_review).toMatchObject({ frame_count: 12, background: 'remove', kept_background_frames: [] })
  })

  test('the same request gives the same bytes on another service; another prompt or number of frames does not', async () => {
    const bytes = async (body: Record<string, unknown>): Promise<string> => {
      const { me } = await start()
      const { image_job: job } = await me.buy('first', body)
      return Buffer.from(await download(me, job.public_job_id)).toString('base64')
    }
    const first = await bytes({})
    expect(await bytes({ max_credits: '7' })).toBe(first)
    expect(await bytes({ prompt: 'a knight\njump' })).not.toBe(first)
    expect(await bytes({ animation: { frame_count: 9, background: 'remove' } })).not.toBe(first)
  })
})

test('the frames of a sheet lie row by row, and its atlas tells all of each', async () => {
  const frames = Array.from({ length: 5 }, (_, at) => createBitmap(3, 2, new Uint8Array(24).fill(50 * at + 1)))
  const names = { frame: (at: number) => `in/f${at}.png`, sheet: 'all.png', atlas: 'all.json', preview: 'moving.gif' }
  const { zip: bytes, ...size } = await packDelivery(frames, names)
  expect(size).toEqual({ width: 9, height: 4 })
  const zip = await JSZip.loadAsync(bytes)
  expect(Object.keys(zip.files)).toEqual([
    'in/f0.png',
    'in/f1.png',
    'in/f2.png',
    'in/f3.png',
    'in/f4.png',
    'all.png',
    'all.json',
    'moving.gif',
  ])
  expect(Object.values(zip.files).map(({ date }) => date.getTime())).toEqual(Array(8).fill(315_532_800_000))
  const places = [
    [0, 0],
    [3, 0],
    [6, 0],
    [0, 2],
    [3, 2],
  ] as const
  const told = ([x, y]: readonly [number, number]) => ({
    ...{ frame: { x, y, w: 3, h: 2 }, rotated: false, trimmed: false, duration: 80 },
    ...{ spriteSourceSize: { x: 0, y: 0, w: 3, h: 2 }, sourceSize: { w: 3, h: 2 } },
  })
  expect(JSON.parse(await zip.file('all.json')!.async('string'))).toEqual({
    frames: Object.fromEntries(places.map((place, at) => [`f${at}.png`, told(place)])),
    meta: {
      ...{ app: 'spritewright embedded service', version: '1.0', image: 'all.png', format: 'RGBA8888', scale: '1' },
      size: { w: 9, h: 4 },
    },
  })
  const sheet = decodePng(await zip.file('all.png')!.async('uint8array'))
  expect(places.map(([x, y]) => crop(sheet, x, y, 3, 2))).toEqual(frames)
  expect([...crop(sheet, 6, 2, 3, 2).data]).toEqual(Array(24).fill(0))
})

describe('the moving preview', () => {
  const read = async (frames: readonly Bitmap[]): Promise<{ data: Buffer; metadata: Metadata }> => {
    const image = sharp(await encodeGif(frames, 80), { animated: true })
    return { data: await image.ensureAlpha().raw().toBuffer(), metadata: await image.metadata() }
  }

  test('has every frame in its place, equal ones too, each for its time, and loops for ever', async () => {
    const [red, blue] = [painted(() => [255, 0, 0, 255]), painted((x) => (x < 20 ? [0, 0, 255, 255] : [0, 0, 0, 0]))]
    const frames = [red, red, blue, red]
    const { data, metadata } = await read(frames)
    expect(metadata).toMatchObject({ pages: 4, delay: [80, 80, 80, 80], loop: 0 })
    expect(data.equals(Buffer.concat(frames.map((frame) => frame.data)))).toBe(true)
  })

  test('clears a pixel below half of its alpha, and shows one from half on', async () => {
    const frame = painted((x) => [200, 40, 90, x * 5])
    const { data } = await read([frame, frame])
    const alphas = Array.from({ length: 2 * 50 * 40 }, (_, pixel) => data[pixel * 4 + 3])
    expect(alphas).toEqual(alphas.map((_, pixel) => ((pixel % 50) * 5 < 128 ? 0 : 255)))
  })

  test('stays near the colours of frames with more than a palette holds', async () => {
    const frame = painted((x, y) => [x * 5, y * 6, 90, 255])
    const { data } = await read([frame])
    const worst = frame.data.reduce((most, value, at) => Math.max(most, Math.abs(value - data[at]!)), 0)
    expect(worst).toBeLessThan(32)
  })

  function painted(colourAt: (x: number, y: number) => readonly number[]): Bitmap {
    const bitmap = createBitmap(50, 40)
    for (let y = 0; y < 40; y++) for (let x = 0; x < 50; x++) bitmap.data.set(colourAt(x, y), (y * 50 + x) * 4)
    return bitmap
  }
})

describe('the review of frames', () => {
  test('tells of every frame as one that keeps its background where that was asked for, and of nothing else', () => {
    expect(reviewFrames([createBitmap(4, 4), createBitmap(4, 4)], 'keep')).toEqual({
      ...{ frameCount: 2, background: 'keep', keptBackgroundFrames: [0, 1], inspectionFrames: [], sourceShiftedFrames: [] },
    })
  })

  /** A frame of 200 × 20 pixels with an opaque block. */
  function block(left: number, top: number, width = 10, height = 10): Bitmap {
    const frame = createBitmap(200, 20)
    for (let y = top; y < top + height; y++) for (let x = left; x < left + width; x++) frame.data[(y * 200 + x) * 4 + 3] = 255
    return frame
  }

  function withoutCorner(frame: Bitmap): Bitmap {
    frame.data[3] = 0
    return frame
  }

  test.each<[string, Bitmap, Partial<Record<string, number[]>>]>([
    ['inside', block(60, 5), {}],
    ['blank', createBitmap(200, 20), { inspectionFrames: [5] }],
    ['at the left', block(0, 5, 150), { inspectionFrames: [5] }],
    ['at the top', block(60, 0), { inspectionFrames: [5] }],
    ['at the right', block(50, 5, 150), { inspectionFrames: [5], sourceShiftedFrames: [5] }],
    ['at the bottom', block(60, 10), { inspectionFrames: [5] }],
    ['a fifth aside', block(100, 5), {}],
    ['more than a fifth aside', block(101, 5), { sourceShiftedFrames: [5] }],
    ['opaque in two corners', block(0, 0, 200, 19), { inspectionFrames: [5] }],
    ['opaque in three corners', withoutCorner(block(0, 0, 200, 20)), { keptBackgroundFrames: [5], inspectionFrames: [5] }],
    ['opaque in all corners', block(0, 0, 200, 20), { keptBackgroundFrames: [5], inspectionFrames: [5] }],
  ])('tells of a frame that is %s beside five whose figures stand at 60 pixels', (_, odd, expected) => {
    const usual = [block(60, 5), block(60, 5), block(60, 5), block(4, 5), block(110, 5)]
    const found = reviewFrames([...usual, odd], 'remove')
    const own = (frames: readonly number[]): number[] => frames.filter((index) => index === 5)
    expect({
      keptBackgroundFrames: own(found.keptBackgroundFrames),
      inspectionFrames: own(found.inspectionFrames),
      sourceShiftedFrames: own(found.sourceShiftedFrames),
    }).toEqual({ keptBackgroundFrames: [], inspectionFrames: [], sourceShiftedFrames: [], ...expected })
    expect(found.frameCount).toBe(6)
  })
})
