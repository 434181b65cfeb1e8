import { hasCode, type SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { type Answer, type Bounds, exchange } from './exchange.ts'
import { isPassing, storeError, wordsOf } from './failures.ts'

/** Ports of a store that speaks HTTP. */
export type HttpPorts = Pick<Host, 'clock' | 'net' | 'random'>

/** The HTTP methods of stores. */
export type HttpMethod = 'GET' | 'HEAD' | 'PUT' | 'DELETE'

/** The headers and body of a request. */
export interface HttpContent {
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends requests to one store. */
export interface HttpClient {
  /** Address for messages, without credentials. */
  readonly address: string
  /**
   * Sends one request, without a retry.
   *
   * @param work For the message, e.g. `read journal/a/1`.
   * @param key Path below the store's base. It needs no encoding.
   * @returns The answer, of any status.
   * @throws `SW_STORE` if no complete answer came. Then it is unknown whether the store received the request.
   */
  send(work: string, method: HttpMethod, key: string, bounds: Bounds, content?: HttpContent): Promise<Answer>
  /** The error for an unexpected answer. It says whether the same call may succeed in a moment. */
  refusal(work: string, answer: Answer): SpritewrightError
}

/** The differences between HTTP stores. */
export interface HttpService {
  readonly address: string
  /** URL without a slash at its end. */
  readonly base: string
  /**
   * Returns the headers of a request, signed.
   *
   * @default the headers of the content
   */
  sign?(method: HttpMethod, url: string, content: HttpContent): Promise<Readonly<Record<string, string>>>
  /**
   * Advice for a person about a refusal: a sentence.
   *
   * @default advice for every store
   */
  adviceFor?(answer: Answer, reason: string | undefined): string | undefined
}

/** Makes a client. */
export function createHttpClient({ clock, net }: HttpPorts, { address, base, sign, adviceFor }: HttpService): HttpClient {
  return {
    address,
    send: async (work, method, key, bounds, content = {}) => {
      const url = `${base}/${key}`
      const headers = (await sign?.(method, url, content)) ?? content.headers ?? {}
      try {
        return await exchange({ clock, net }, { method, url, headers, ...(content.body ? { body: content.body } : {}) }, bounds)
      } catch (cause) {
        // For example, the address of a proxy is not valid.
        if (hasCode(cause, 'SW_CONFIG')) throw cause
        const found = wordsOf(cause)
        throw storeError({ address, work, found, mayPass: isPassing(found), cause })
      }
    },
    refusal: (work, answer) => {
      const { status } = answer
      const reason = reasonOf(answer)
      return storeError({
        address,
        work,
        found: `the answer ${status}${reason === undefined ? '' : ` ${reason}`}`,
        advice: adviceFor?.(answer, reason),
        mayPass: status >= 500 || [408, 409, 412, 421, 425, 429].includes(status) || reason === 'RequestTimeout',
        facts: { status, ...(reason === undefined ? {} : { reason }) },
      })
    },
  }
}

/**
 * The service's own name of an error, in the form of S3. The other text of the answer is not used, because it may
 * repeat signed parts of the request.
 */
export function reasonOf(answer: Answer): string | undefined {
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(new TextDecoder().decode(answer.bytes.subarray(0, 4096)))?.[1]
}

/** Whether a request was carried out. */
export function isDone({ status }: Answer): boolean {
  return status === 200 || status === 201 || status === 204
}
