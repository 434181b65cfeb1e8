import { crop, decodePng, encodePng } from '../../../atlas/index.ts'
import type { ServedResponse } from '../../host/server.ts'
import type { FaultDeed } from '../options/fault-plan.ts'

/** Places in a damaged file, evenly spread, so that some of them are inside of its frames. */
const damagedPlaces = 16

const spoil: Readonly<Record<NonNullable<FaultDeed['file']>, (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array>>> = {
  damaged: flip,
  half: (bytes) => bytes.slice(0, bytes.length >> 1),
  'damaged-frame': (bytes) => changeSecondFrame(bytes, flip),
  'odd-frame': (bytes) => changeSecondFrame(bytes, shrink),
}

/** Changes a file as a deed says. The answer stays whole: its length fits, and nothing is cut. */
export async function spoilFile({ file }: FaultDeed, response: ServedResponse): Promise<ServedResponse> {
  const { body, headers, status } = response
  if (file === undefined || status !== 200 || !(body instanceof Uint8Array) || /json/.test(headers['content-type'] ?? '')) return response
  const spoilt = await spoil[file](body)
  return { ...response, headers: { ...headers, 'content-length': String(spoilt.length) }, body: spoilt }
}

function flip(bytes: Uint8Array): Uint8Array {
  const step = Math.max(1, Math.floor(bytes.length / (damagedPlaces + 1)))
  return bytes.map((byte, index) => (index > 0 && index % step === 0 ? byte ^ 0xff : byte))
}

/** Changes the second frame of an archive and packs it again. Other files stay. */
async function changeSecondFrame(bytes: Uint8Array, toChanged: (frame: Uint8Array) => Uint8Array): Promise<Uint8Array> {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return bytes
  const { default: JSZip } = await import('jszip')
  const zip = await JSZip.loadAsync(bytes)
  const [, second] = zip.file(/^frames\/.*\.png$/).sort((a, b) => (a.name < b.name ? -1 : 1))
  if (second === undefined) return bytes
  const { name, date } = second
  zip.file(name, toChanged(await second.async('uint8array')), { date, createFolders: false })
  return zip.generateAsync({ type: 'uint8array', platform: 'UNIX' })
}

/** Cuts a quarter off the width and the height of a picture, from both sides and from the top. */
function shrink(png: Uint8Array): Uint8Array {
  const frame = decodePng(png)
  const [width, height] = [Math.ceil(frame.width * 0.75), Math.ceil(frame.height * 0.75)]
  return encodePng(crop(frame, (frame.width - width) >> 1, frame.height - height, width, height))
}
