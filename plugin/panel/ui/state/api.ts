import type { ActionAnswers, ActionName, ActionRequest, PanelRefusal } from '../../../protocol/actions.ts'
import type {
  PanelAtlases,
  PanelFrames,
  PanelLedger,
  PanelProgress,
  PanelSprite,
  PanelState,
  StateEvent,
  TokenHeader,
} from '../../../protocol/protocol.ts'

/** A refusal of the server, with its reason. */
export class Refused extends Error {
  readonly refusal: PanelRefusal

  constructor(refusal: PanelRefusal) {
    super(refusal.error.message)
    this.refusal = refusal
  }
}

/** The handlers of an event stream. */
export interface EventHandlers {
  readonly onOpen: () => void
  /** The stream is cut. The browser tries again by itself. */
  readonly onLost: () => void
  readonly onState: (event: StateEvent) => void
  readonly onProgress: (progress: PanelProgress) => void
}

/** The server's API for the panel, with one method for each request. */
export type PanelApi = ReturnType<typeof createApi>

const header: TokenHeader = 'x-spritewright-token'

/**
 * Creates the client of the API.
 *
 * @param tokenOf Returns the token of this page, if it has one.
 */
export function createApi(tokenOf: () => string | undefined) {
  const withToken = (headers: Record<string, string> = {}): Record<string, string> => {
    const token = tokenOf()
    return token === undefined ? headers : { ...headers, [header]: token }
  }
  return {
    /**
     * Returns the state.
     *
     * @param open Name of the sprite whose details are shown.
     * @param isWhole Whether the server reads all files again.
     */
    state: async (open: string | undefined, isWhole: boolean) => {
      const query = new URLSearchParams({ ...(open === undefined ? {} : { open }), ...(isWhole ? { whole: '' } : {}) })
      return read<PanelState>(await fetch(`api/state?${query}`, { headers: withToken() }))
    },
    names: async () => read<readonly string[]>(await fetch('api/names')),
    sprite: async (name: string) => read<PanelSprite>(await fetch(`api/sprite?${new URLSearchParams({ name })}`)),
    ledger: async () => read<PanelLedger>(await fetch('api/ledger')),
    atlases: async () => read<PanelAtlases>(await fetch('api/atlases')),
    frames: async (id: string, take: number) =>
      read<PanelFrames>(await fetch(`api/frames?${new URLSearchParams({ animation: id, take: String(take) })}`)),
    /** Opens this place at `localhost` too, with the token. Neither page can reach the other. */
    openAtLocalhost: (): void => {
      const url = Object.assign(new URL(location.href), { hostname: 'localhost', hash: `token=${tokenOf() ?? ''}` })
      window.open(url, '_blank', 'noopener')
    },
    /** @throws {Refused} with the server's message. */
    act: async <Name extends ActionName>(name: Name, asks: ActionRequest<Name>) =>
      read<ActionAnswers[Name]>(
        await fetch(`api/${String(name)}`, {
          method: 'POST',
          headers: withToken({ 'content-type': 'application/json' }),
          body: JSON.stringify(asks),
        }),
      ),
    listen: ({ onOpen, onLost, onState, onProgress }: EventHandlers): void => {
      const source = new EventSource('api/events')
      source.addEventListener('open', onOpen)
      // A request of a program comes without an event.
      window.onfocus = () => onState({ revision: Number.POSITIVE_INFINITY })
      source.addEventListener('error', () => {
        onLost()
        // A restarted server refuses at first, and a browser then stops trying.
        if (source.readyState === EventSource.CLOSED)
          setTimeout(() => createApi(tokenOf).listen({ onOpen, onLost, onState, onProgress }), 2000)
      })
      source.addEventListener('state', ({ data }) => onState(JSON.parse(String(data)) as StateEvent))
      source.addEventListener('progress', ({ data }) => onProgress(JSON.parse(String(data)) as PanelProgress))
    },
  }
}

async function read<T>(response: Response): Promise<T> {
  const body = (await response.json().catch(() => undefined)) as T | PanelRefusal | undefined
  if (response.ok && body !== undefined) return body as T
  const refusal = body as PanelRefusal | undefined
  throw new Refused(
    typeof refusal?.error?.message === 'string'
      ? refusal
      : {
          error: { code: 'SW_PANEL', message: `Expected the dev server to answer, found status ${response.status}. See its terminal.` },
        },
  )
}

/**
 * Removes the token from the address that the terminal prints, and keeps it with this entry of the history. A
 * reload still has the token, and the address can be shared. The token is kept nowhere else: another server may have
 * this port later, and would read what storage has.
 *
 * @param onNew Called when another token is pasted into the address.
 * @returns A function that returns the token, if this page has one.
 */
export function keepToken(onNew: () => void): () => string | undefined {
  let token = take() ?? kept()
  window.addEventListener('hashchange', () => {
    const next = take()
    if (next === undefined) return
    token = next
    onNew()
  })
  return () => token
}

function take(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')
  if (token === null || token === '') return undefined
  history.replaceState({ token }, '', location.pathname + location.search)
  return token
}

function kept(): string | undefined {
  const token = (history.state as { token?: unknown } | null)?.token
  return typeof token === 'string' ? token : undefined
}
