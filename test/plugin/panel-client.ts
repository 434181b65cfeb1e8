import { request } from 'node:http'
import type { ActionAnswers, ActionName, ActionRequest } from '../../plugin/protocol/actions.ts'
import type { PanelLedger, PanelProgress, PanelSprite, PanelState, StateEvent } from '../../plugin/protocol/protocol.ts'
import type { Answer, Dev } from './server.ts'
import { createHappenings, type Happenings } from './world.ts'

/** A request as it goes over the wire. No browser adds anything to it. */
export interface RawRequest {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request unchanged. */
export function sendRaw(port: number, { path, method = 'GET', headers = {}, body }: RawRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, method, headers, agent: false, setHost: headers.host === undefined },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => {
          const whole = Buffer.concat(parts)
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole, text: whole.toString() })
        })
      },
    )
    sent.on('error', reject).end(body)
  })
}

const digest = '0'.repeat(64)
const stale = { id: 'hero.walk', digest }
const paid = { id: 'hero.walk', hash: digest }
/**
 * A well-formed request of every action, by its name. Each is of a state that has gone, so that none changes
 * anything.
 */
export const staleAsks: { readonly [Name in ActionName]: ActionRequest<Name> } = {
  quote: {},
  offer: { ids: ['hero.walk'] },
  approve: { ids: ['hero.walk'], lines: [{ id: 'hero.walk', hash: digest, price: '2.4', ceiling: '2.4' }], sum: '2.4' },
  touch: { credential: 'AA', authenticatorData: 'AA', clientData: 'AA', signature: 'AA' },
  enrol: { key: 'ES256.AA.AA' },
  answer: { ...paid, questionId: 'q', text: 'yes' },
  revoke: paid,
  take: stale,
  'choose-take': { ...stale, take: 2 },
  use: { ...stale, use: [0] },
  edit: { sprite: 'hero', digest, size: 32 },
  reword: { sprite: 'hero', digest, prompt: 'another' },
  add: { sprite: 'hero', digest, name: 'jump', prompt: 'jumps', frames: 8 },
  undo: { sprite: 'hero', digest },
  create: { name: 'hero', prompt: 'another', picture: 'AAAA' },
  recover: { ...paid, decision: 'replay', attempt: 1, about: 'submission' },
  cancel: paid,
  dismiss: { id: '00000000-0000-4000-8000-000000000000' },
}

/** An event of the panel's stream. */
export type PanelEvent =
  | { readonly event: 'state'; readonly data: StateEvent }
  | { readonly event: 'progress'; readonly data: PanelProgress }

/** A state with the details of all sprites, and the lines of the ledger. */
export interface WholeState extends Omit<PanelState, 'sprites' | 'ledger'> {
  readonly sprites: readonly PanelSprite[]
  readonly ledger: PanelLedger
}

/** The panel's page without a browser: its requests, and the answers and events that it receives. */
export interface PanelClient {
  readonly port: number
  /** Path of the page. */
  readonly prefix: string
  readonly token: string
  /** Every received text, for canaries. */
  readonly texts: readonly string[]
  readonly events: Happenings<PanelEvent>
  state(): Promise<WholeState>
  /** The state as the page has it, without details. */
  list(): Promise<PanelState>
  /** Waits until the state fits, and returns it. Checks the state after each event. */
  stateWhere(fits: (state: WholeState) => boolean): Promise<WholeState>
  act<Name extends ActionName>(name: Name, ask: ActionRequest<Name>): Promise<ActionAnswers[Name]>
  /** The same for an action that must be refused. */
  refused<Name extends ActionName>(name: Name, ask: unknown): Promise<Answer>
  get(path: string): Promise<Answer>
  close(): void
}

/** The address of the panel, as the terminal prints it. */
export function readAddress({ server, log }: Pick<Dev, 'server' | 'log'>): URL {
  server.printUrls()
  return new URL(/https?:\S+#token=\S+/.exec(log.all.findLast((line) => line.includes('Sprites:')) ?? '')?.[0] ?? '')
}

/** Opens the panel of a server by the address that the terminal printed. */
export async function openPanel(dev: Dev): Promise<PanelClient> {
  const address = readAddress(dev)
  const token = address.hash.slice('#token='.length)
  const port = Number(address.port)
  const prefix = address.pathname
  const texts: string[] = []
  const events = createHappenings<PanelEvent>()
  const keep = (answer: Answer): Answer => {
    texts.push(answer.text)
    return answer
  }
  const own = `http://127.0.0.1:${port}`
  const headers = { host: `127.0.0.1:${port}`, origin: own, 'sec-fetch-site': 'same-origin', 'x-spritewright-token': token }
  const get = async (path: string): Promise<Answer> => keep(await sendRaw(port, { path: prefix + path, headers }))
  const post = async (name: string, ask: unknown): Promise<Answer> =>
    keep(
      await sendRaw(port, {
        path: `${prefix}api/${name}`,
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(ask),
      }),
    )
  const close = await listen(port, `${prefix}api/events`, headers, (text) => {
    texts.push(text)
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/m.exec(text) ?? []
    if (event !== undefined) events.push({ event, data: JSON.parse(data ?? '') } as PanelEvent)
  })
  const read = async <T>(path: string): Promise<T> => {
    const { status, text } = await get(path)
    if (status !== 200) throw new Error(`Expected ${path}, found ${status}: ${text}`)
    return JSON.parse(text) as T
  }
  const state = async (): Promise<WholeState> => {
    const { sprites } = await read<PanelState>('api/state?whole')
    const open = sprites.map(({ name }) => `open=${encodeURIComponent(name)}`).join('&')
    const now = await read<PanelState>(`api/state?${open}`)
    return { ...now, sprites: now.open, ledger: { ...(await read<PanelLedger>('api/ledger')), ...now.ledger } }
  }
  return {
    port,
    prefix,
    token,
    texts,
    events,
    get,
    state,
    list: () => read<PanelState>('api/state'),
    stateWhere: async (fits) => {
      for (;;) {
        const now = await state()
        if (fits(now)) return now
        await events.next(({ event, data }) => event === 'state' && (data as StateEvent).revision > now.revision)
      }
    },
    act: async (name, ask) => {
      const { status, text } = await post(name, ask)
      if (status !== 200) throw new Error(`Expected ${name} to be done, found ${status}: ${text}`)
      return JSON.parse(text)
    },
    refused: async (name, ask) => {
      const answer = await post(name, ask)
      if (answer.status < 400) throw new Error(`Expected ${name} to be refused, found ${answer.status}: ${answer.text}`)
      return answer
    },
    close,
  }
}

/** Reads an event stream, event by event, until it is closed. */
function listen(port: number, path: string, headers: Readonly<Record<string, string>>, take: (event: string) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          take(text.slice(0, end))
          text = text.slice(end + 2)
        }
      })
      response.on('error', () => {})
      resolve(() => sent.destroy())
    })
    sent.on('error', reject).end()
  })
}
