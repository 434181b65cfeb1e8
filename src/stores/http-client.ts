import { hasCode, type SpritewrightError } from '../errors.ts'
import type { Host } from '../host/host.ts'
import { type Answer, type Bounds, exchange } from './exchange.ts'
import { storeError, wordsOf } from './failures.ts'

/** Ports of a store that speaks HTTP. */
export type HttpPorts = Pick<Host, 'clock' | 'net' | 'random'>

/** A method that stores answer. */
export type HttpMethod = 'GET' | 'HEAD' | 'PUT' | 'DELETE'

/** What a request carries. */
export interface HttpContent {
  readonly body?: Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends requests to one store. */
export interface HttpClient {
  /** For messages, without credentials. */
  readonly address: string
  /**
   * Sends one request, without a retry.
   *
   * @param work For the message, e.g. `read journal/a/1`.
   * @param key Below the store's base. It needs no encoding.
   * @returns The answer, of any status.
   * @throws `SW_STORE` if no whole answer came. It is then unknown whether the request was received.
   */
  send(work: string, method: HttpMethod, key: string, bounds: Bounds, content?: HttpContent): Promise<Answer>
  /** The error of an answer that the caller does not expect. It says whether the call may succeed in a moment. */
  refusal(work: string, answer: Answer): SpritewrightError
}

/** What a client differs in. */
export interface HttpService {
  readonly address: string
  /** URL without a slash at its end. */
  readonly base: string
  /**
   * Returns the headers of a request, signed.
   *
   * @default those of the content
   */
  sign?(method: HttpMethod, url: string, content: HttpContent): Promise<Readonly<Record<string, string>>>
  /**
   * What a person can do about a refusal: a sentence.
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
        // A proxy's address that is not valid, for instance.
        if (hasCode(cause, 'SW_CONFIG')) throw cause
        throw storeError({ address, work, found: wordsOf(cause), mayPass: true, cause })
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
 * The service's own name of an error, as S3 writes it. The rest of the text is not used, because it may repeat
 * what was signed.
 */
export function reasonOf(answer: Answer): string | undefined {
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(new TextDecoder().decode(answer.bytes.subarray(0, 4096)))?.[1]
}

/** Whether a request was carried out. */
export function isDone({ status }: Answer): boolean {
  return status === 200 || status === 201 || status === 204
}
