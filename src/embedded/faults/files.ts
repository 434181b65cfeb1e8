import { crop, decodePng, encodePng } from '../../../atlas/index.ts'
import type { ServedResponse } from '../../host/server.ts'
import type { FaultDeed } from '../options/fault-plan.ts'

/** Places in a damaged file, evenly spread, so that some of them are inside of its frames. */
const damagedPlaces = 16

/** Changes a file as a deed says. The answer stays whole: its length fits, and nothing is cut. */
export async function spoilFile({ file }: FaultDeed, response: ServedResponse): Promise<ServedResponse> {
  const { body, headers, status } = response
  if (file === undefined || status !== 200 || !(body instanceof Uint8Array) || /json/.test(headers['content-type'] ?? '')) return response
  const spoilt = file === 'damaged' ? flip(body) : file === 'half' ? body.slice(0, body.length >> 1) : await shrinkOneFrame(body)
  return { ...response, headers: { ...headers, 'content-length': String(spoilt.length) }, body: spoilt }
}

function flip(bytes: Uint8Array): Uint8Array {
  const step = Math.max(1, Math.floor(bytes.length / (damagedPlaces + 1)))
  return bytes.map((byte, index) => (index > 0 && index % step === 0 ? byte ^ 0xff : byte))
}

/**
 * Cuts a quarter off the width and the height of the second frame of an archive, from both sides and from the
 * top. Other files stay.
 */
async function shrinkOneFrame(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return bytes
  const { default: JSZip } = await import('jszip')
  const zip = await JSZip.loadAsync(bytes)
  const [, second] = zip.file(/^frames\/.*\.png$/).sort((a, b) => (a.name < b.name ? -1 : 1))
  if (second === undefined) return bytes
  const { name, date } = second
  const frame = decodePng(await second.async('uint8array'))
  const [width, height] = [Math.ceil(frame.width * 0.75), Math.ceil(frame.height * 0.75)]
  const small = crop(frame, (frame.width - width) >> 1, frame.height - height, width, height)
  zip.file(name, encodePng(small), { date, createFolders: false })
  return zip.generateAsync({ type: 'uint8array', platform: 'UNIX' })
}
