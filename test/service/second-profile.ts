import JSZip from 'jszip'
import { type Credits, formatCredits } from '../../src/credit/credits.ts'
import { defaultShapes, type Shapes } from '../../src/embedded/http/shapes.ts'
import type { ServedResponse } from '../../src/host/server.ts'
import type { JsonBody } from '../../src/service/json.ts'
import type { Profile } from '../../src/service/profile.ts'

/*
 * A service that differs from every assumption N1 to N12, and the profile for it. Nothing of the default
 * profile is used here.
 */

const toBytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const boundary = 'spritewright-second-profile'

/** The value at a path of a JSON value. Returns `undefined` if there is none. */
function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], value)
}

function textAt(body: JsonBody, ...path: readonly string[]): string {
  const found = at(body.value, ...path)
  if (typeof found === 'string') return found
  throw new Error(`Expected a text at ${path.join('.')}, found ${typeof found}.`)
}

/** The client's side. */
export const secondProfile: Profile = {
  uploadReference: async (request, file) => {
    const head = toBytes(
      `--${boundary}\r\nContent-Disposition: form-data; name="picture"; filename="reference"\r\nContent-Type: ${file.contentType}\r\n\r\n`,
    )
    const body = Buffer.concat([head, file.bytes, toBytes(`\r\n--${boundary}--\r\n`)])
    const reply = await request({ method: 'POST', path: '/v1/files', body, contentType: `multipart/form-data; boundary=${boundary}` })
    return textAt(reply.body, 'file', 'handle')
  },
  executeBody: (submission) => ({
    operation: submission.operation,
    prompt: submission.prompt,
    ...(submission.referenceId === undefined ? {} : { inputs: [{ handle: submission.referenceId }] }),
    ...(submission.operation === 'sprite_sheet'
      ? {
          film: { pictures: submission.frames, keepGround: submission.background === 'keep' },
          spend: { limit: formatCredits(submission.maxCredits) },
        }
      : {}),
  }),
  readAccepted: (body) => ({
    executionId: textAt(body, 'data', 'work', 'id'),
    conversationId: at(body.value, 'data', 'work', 'thread') as string,
  }),
  answer: async (request, question, answer) => {
    const said = { to: question.questionId, say: answer.text, ...(answer.assetId === undefined ? {} : { show: answer.assetId }) }
    const path = `/v1/threads/${encodeURIComponent(answer.conversationId)}/replies`
    const reply = await request({ method: 'POST', path, body: toBytes(JSON.stringify(said)), contentType: 'application/json' })
    return { executionId: textAt(reply.body, 'data', 'work', 'id') }
  },
  // The number as it is written, because a float would round it.
  readBalance: (body) => /"left":\s*(\d+(?:\.\d+)?)/.exec(body.text)?.[1] ?? 'none',
  readEvent: (event) => {
    const [status = '', percent = '', ...message] = (JSON.parse(event.data) as string).split('|')
    return { status: status === '' ? null : status, progress: percent === '' ? null : Number(percent) / 100, message: message.join('|') }
  },
  readDelivery: (entries) => ({
    frames: entries.map((entry) => entry.name).filter((name) => name.startsWith('film/')),
    sheet: 'everything.png',
    atlas: 'cuts.json',
  }),
  cancellable: (execution) => execution.status === 'queued',
}

/** The embedded service's side. */
export const secondShapes: Partial<Shapes> = {
  uploadPath: '/v1/files',
  readUpload: async (contentType, body) => {
    const form = await new Response(Buffer.from(body), { headers: { 'content-type': contentType ?? '' } }).formData()
    const picture = form.get('picture') as File
    return { contentType: picture.type, bytes: new Uint8Array(await picture.arrayBuffer()) }
  },
  upload: ({ id }) => ({ file: { handle: id } }),
  readSubmission: (body) => {
    const frames = at(body, 'film', 'pictures')
    return defaultShapes.readSubmission({
      operation: at(body, 'operation'),
      prompt: at(body, 'prompt'),
      reference_asset_id: at(body, 'inputs', '0', 'handle'),
      max_credits: at(body, 'spend', 'limit'),
      animation: frames === undefined ? undefined : { frame_count: frames, background: at(body, 'film', 'keepGround') ? 'keep' : 'remove' },
    })
  },
  accepted: ({ id, conversationId }) => ({ data: { work: { id, thread: conversationId } } }),
  answerPath: '/v1/threads/*/replies',
  readAnswer: (body) => defaultShapes.readAnswer({ question_id: at(body, 'to'), text: at(body, 'say'), asset_id: at(body, 'show') }),
  balance: (available: Credits) => ({ money: { left: Number(formatCredits(available)) } }),
  eventId: (number) => `no ${number}`,
  eventNumber: (id) => (/^no \d+$/.test(id) ? Number(id.slice(3)) : 0),
  event: (_, { status, progress, message }) => `${status}|${progress === null ? '' : Math.round(progress * 100)}|${message ?? ''}`,
  jobStatus: ({ status }) => `~${status}~`,
  names: {
    frame: (index) => `film/${String.fromCharCode(97 + index)}.png`,
    sheet: 'everything.png',
    atlas: 'cuts.json',
    preview: 'look.gif',
  },
}

/** A delivery with only the sheet and its atlas, without the frames. */
export async function dropFrames(response: ServedResponse): Promise<ServedResponse> {
  if (response.status !== 200 || !(response.body instanceof Uint8Array)) return response
  const zip = await JSZip.loadAsync(response.body)
  zip.remove('film')
  for (const name of Object.keys(zip.files)) if (name.startsWith('film/')) zip.remove(name)
  const body = await zip.generateAsync({ type: 'uint8array' })
  return { ...response, headers: { ...response.headers, 'content-length': String(body.length) }, body }
}
