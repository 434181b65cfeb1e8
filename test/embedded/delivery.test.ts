import JSZip from 'jszip'
import sharp from 'sharp'
import { afterEach, describe, expect, test } from 'vitest'
import { type Bitmap, createBitmap, crop, decodePng } from '../../atlas/index.ts'
import { encodeGif } from '../../src/embedded/images/gif.ts'
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

describe('the GIF writer', () => {
  const read = async (gif: Uint8Array): Promise<{ data: Buffer; pages: number | undefined }> => {
    const image = sharp(gif, { animated: true })
    return { data: await image.ensureAlpha().raw().toBuffer(), pages: (await image.metadata()).pages }
  }

  test('keeps every pixel of frames with few colours, clear ones too', async () => {
    const frames = [0, 1, 2].map((seed) => painted(70, 50, (x, y) => (x * 3 + y * 5 + seed) % 97))
    const { data, pages } = await read(encodeGif(frames, 80))
    expect(pages).toBe(3)
    expect(data.equals(Buffer.concat(frames.map((frame) => frame.data)))).toBe(true)
  })

  test('keeps noise, which fills the code table many times over', async () => {
    let state = 7
    const frame = painted(256, 256, () => {
      state = (state * 1103515245 + 12345) % 2147483648
      return Math.floor(state / 65536) % 200
    })
    expect((await read(encodeGif([frame, frame], 80))).data.equals(Buffer.concat([frame.data, frame.data]))).toBe(true)
  })

  test('stays near the colours of frames with more than a palette holds', async () => {
    const frame = createBitmap(128, 128)
    for (let at = 0; at < 128 * 128; at++) frame.data.set([(at % 128) * 2, Math.floor(at / 128) * 2, 90, 255], at * 4)
    const { data } = await read(encodeGif([frame], 80))
    const worst = frame.data.reduce((most, value, at) => Math.max(most, Math.abs(value - data[at]!)), 0)
    expect(worst).toBeLessThan(32)
  })

  /** Colour 0 is clear; the others are all different. */
  function painted(width: number, height: number, colourAt: (x: number, y: number) => number): Bitmap {
    const bitmap = createBitmap(width, height)
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const colour = colourAt(x, y)
        if (colour > 0) bitmap.data.set([colour, 255 - colour, (colour * 7) % 256, 255], (y * width + x) * 4)
      }
    }
    return bitmap
  }
})
