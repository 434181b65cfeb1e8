import { type AtlasError, type PictureInfo, pictureInfo, readPicture } from '../../../atlas/index.ts'
import type { Caller } from '../accounts/accounts.ts'
import { inputTypes } from '../accounts/capabilities.ts'
import type { Ground } from '../executions/ground.ts'
import { invalid } from '../http/http.ts'
import type { UploadBody } from '../http/shapes.ts'
import type { UploadRecord } from '../store/records.ts'

/**
 * Stores a reference picture. A picture that is uploaded twice gets two ids and is stored once.
 *
 * @throws {Refusal} `invalid_request` for an unsupported media type, too many bytes, too long sides, or bytes
 *   that are no complete picture of the stated type.
 */
export async function takeUpload(ground: Ground, caller: Caller, { contentType, bytes: body }: UploadBody): Promise<UploadRecord> {
  const { store, random, options } = ground
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!Object.hasOwn(inputTypes, type)) throw invalid('Content-Type', `one of ${Object.keys(inputTypes).join(', ')}`)
  if (body.length > options.maximumInputBytes)
    throw invalid('body', `at most ${options.maximumInputBytes} bytes`, { maximum_input_bytes: options.maximumInputBytes })
  const { width, height } = await inspect(body, type, options.maximumInputDimension)
  const upload: UploadRecord = {
    id: random.uuid(),
    accountId: caller.account.id,
    sha256: await store.keep(body),
    contentType: type,
    width,
    height,
    bytes: body.length,
  }
  store.commit([['upload', upload.id, upload]])
  return upload
}

async function inspect(body: Uint8Array, type: string, maximumSide: number): Promise<PictureInfo> {
  try {
    const info = pictureInfo(body)
    if (`image/${info.format}` !== type) throw invalid('body', 'a picture of the stated Content-Type')
    if (Math.max(info.width, info.height) > maximumSide)
      throw invalid('body', `a picture of at most ${maximumSide} pixels a side`, { maximum_input_dimension: maximumSide })
    // Decodes the whole picture now, to refuse a damaged one before money is held.
    await readPicture(body)
    return info
  } catch (error) {
    const code = (error as AtlasError).code
    if (code === 'SW_PNG' || code === 'SW_IMAGE' || code === 'SW_FRAME_SIZE') throw invalid('body', 'a whole PNG, JPEG or WebP picture')
    throw error
  }
}
