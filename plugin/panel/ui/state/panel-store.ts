import type { ActionAnswers, ActionName, ActionRequest, Done, Edited } from '../../../protocol/actions.ts'
import type { PanelError, PanelProgress, PanelSprite, PanelState, SpriteRow } from '../../../protocol/protocol.ts'
import { type PanelApi, Refused } from './api.ts'
import { progressWords } from './words.ts'

/** The data of the page. */
export interface PanelModel {
  /** `undefined` until the first response. */
  readonly state: PanelState | undefined
  /** Progress events since the state was made, by id. */
  readonly progress: Readonly<Record<string, PanelProgress>>
  readonly link: 'connecting' | 'open' | 'lost'
  /** Why the last action was refused. The next action clears it. */
  readonly refusal: PanelError | undefined
  /** The next message for a screen reader. */
  readonly status: string
  /** The last message, often that of an edit, until it is dismissed or its edit is undone. */
  readonly message: Message | undefined
}

/** A message for a person. */
export interface Message {
  readonly words: string
  /** The undoable edit of this message: its sprite, and SHA-256 of the spec file afterwards. */
  readonly edited?: { readonly sprite: string; readonly digest: string }
}

/** Actions that write a spec. They send the digest of the file that the person saw. */
type EditName = 'take' | 'choose-take' | 'use' | 'edit' | 'reword' | 'add'

/** Has the state of the page, and communicates with the server. */
export type PanelStore = ReturnType<typeof createStore>

/** Connects to the server, and fetches the first state. */
export function createStore(api: PanelApi) {
  const listeners = new Set<() => void>()
  let model: PanelModel = { state: undefined, progress: {}, link: 'connecting', refusal: undefined, status: '', message: undefined }
  const set = (change: Partial<PanelModel>): void => {
    model = { ...model, ...change }
    for (const listener of [...listeners]) listener()
  }
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  /** Name of the sprite whose details are shown. */
  let opened: string | undefined
  let last: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | undefined
  let isWholeWanted = false
  const loadOnce = async (): Promise<void> => {
    const isWhole = isWholeWanted
    waiting = undefined
    isWholeWanted = false
    try {
      set({ state: await api.state(opened, isWhole), progress: {}, link: 'open' })
    } catch (error) {
      set({ link: 'lost', ...(error instanceof Refused ? { refusal: error.refusal.error } : {}) })
    }
  }
  /**
   * Fetches the state. A call during a fetch gets the result of the next fetch.
   *
   * @param isWhole Whether the server reads all files again.
   */
  const load = (isWhole: boolean): Promise<void> => {
    isWholeWanted ||= isWhole
    if (!waiting) {
      waiting = last.then(loadOnce)
      last = waiting
    }
    return waiting
  }
  const pictured = new Map<string, { readonly mark: string; readonly answer: Promise<PanelSprite> }>()
  /** Waits until the state shows the result of an action. A lost connection ends the wait. */
  const settle = async (revision: number): Promise<void> => {
    const isShown = (): boolean => (model.state?.revision ?? 0) >= revision || model.link === 'lost'
    if (!isShown()) await load(false)
    if (isShown()) return
    await new Promise<void>((resolve) => {
      const stop = subscribe(() => {
        if (!isShown()) return
        stop()
        resolve()
      })
    })
  }
  /**
   * Runs an action. A state of the answer's revision shows its result.
   *
   * @param refuse Shows a refusal.
   * @default the model has the reason, and the page shows it
   * @returns `undefined` if the action was refused.
   */
  const send = async <Name extends ActionName>(
    name: Name,
    asks: ActionRequest<Name>,
    refuse = (refusal: PanelError): void => set({ refusal }),
  ): Promise<ActionAnswers[Name] | undefined> => {
    set({ refusal: undefined })
    try {
      return await api.act(name, asks)
    } catch (error) {
      refuse(toError(error))
      return undefined
    }
  }
  /** The same, and waits until the state shows the result. */
  const act: typeof send = async (...ask) => {
    const answers = await send(...ask)
    if (answers) await settle((answers as Done).revision ?? 0)
    return answers
  }
  const queues = new Map<string, Promise<unknown>>()
  /**
   * Writes a spec. Edits of one sprite run one after another, each based on the result of the previous edit.
   *
   * @param words What the edit does. They stand beside its Undo, with the name of the file.
   * @param refuse Shows a refusal, as in {@link act}.
   * @returns Whether it was written.
   */
  const edit = <Name extends EditName>(
    sprite: string,
    name: Name,
    asks: Omit<ActionRequest<Name>, 'digest'>,
    words: string,
    refuse?: (error: PanelError) => void,
  ): Promise<boolean> => {
    const run = async (): Promise<boolean> => {
      const { digest = '', file = '' } = model.state?.sprites.find((other) => other.name === sprite) ?? {}
      const answer = (await act(name, { ...asks, digest } as never, refuse)) as Edited | undefined
      const status = `${words} Written to ${file}.`
      if (answer && answer.digest !== digest) set({ status, message: { words: status, edited: { sprite, digest: answer.digest } } })
      return answer !== undefined
    }
    const next = (queues.get(sprite) ?? Promise.resolve()).then(run)
    queues.set(sprite, next)
    return next
  }
  api.listen({
    onOpen: () => {
      set({ link: 'open' })
      // At first what the server knows. It may be another server than before, so it reads everything after that.
      void load(false).then(() => load(true))
    },
    onLost: () => set({ link: 'lost' }),
    onState: ({ revision }) => {
      if (revision > (model.state?.revision ?? -1)) void load(false)
    },
    onProgress: (progress) => {
      const before = model.progress[progress.id]
      const isWorthSaying = before?.phase !== progress.phase || quarter(before) !== quarter(progress)
      set({
        progress: { ...model.progress, [progress.id]: progress },
        ...(isWorthSaying ? { status: `${progress.id}: ${progressWords(progress)}` } : {}),
      })
    },
  })
  return {
    get model(): PanelModel {
      return model
    },
    subscribe,
    send,
    act,
    edit,
    /** Has the details of a sprite in each state from now on. */
    open: (name: string | undefined): void => {
      opened = name
      if (name !== undefined && !model.state?.open.some((sprite) => sprite.name === name)) void load(false)
    },
    /** The details of a sprite for its pictures. They are requested again when its spec or its pages change. */
    pictures: ({ name, digest, art }: SpriteRow): Promise<PanelSprite> => {
      const mark = `${digest} ${art}`
      const known = pictured.get(name)
      if (known?.mark === mark) return known.answer
      const answer = api.sprite(name)
      pictured.delete(name)
      pictured.set(name, { mark, answer })
      const [oldest] = pictured.keys()
      if (pictured.size > mostPictured && oldest !== undefined) pictured.delete(oldest)
      return answer
    },
    /** Callers that request an offer use it directly, and get its refusals as errors. */
    api,
    /** Shows a message that is not about an edit, so it has no Undo. */
    say: (status: string): void => set({ status, message: { words: status } }),
    /** Undoes the edit in {@link PanelModel.message}. */
    undo: async (): Promise<void> => {
      const { message } = model
      if (!message?.edited) return
      set({ message: undefined })
      const { sprite, digest } = message.edited
      if (await act('undo', { sprite, digest })) set({ status: `Undone: ${message.words}` })
    },
    forgetMessage: (): void => set({ message: undefined }),
    /** Has the dev server open a file of the project in the person's editor. */
    openInEditor: async (file: string): Promise<void> => {
      const { ok } = await fetch(editorAddress(model.state?.folder ?? '', file)).catch(() => ({ ok: false }))
      const words = ok ? `${file} opens in your editor.` : `${file} could not be opened. See the terminal of the dev server.`
      set({ status: words, message: { words } })
    },
    forgetRefusal: (): void => set({ refusal: undefined }),
    /** Fetches the state, for example with another token. */
    refresh: (): Promise<void> => load(true),
  }
}

/** Number of sprites whose details are kept for their pictures. */
const mostPictured = 200

/** Vite's own address for this. It resolves paths from the server's working folder. */
function editorAddress(folder: string, file: string): string {
  return `__open-in-editor?${new URLSearchParams({ file: folder === '' ? file : `${folder}/${file}` })}`
}

function quarter({ progress = 0 }: PanelProgress): number {
  return Math.floor(progress * 4)
}

function toError(error: unknown): PanelError {
  if (error instanceof Refused) return error.refusal.error
  return {
    code: 'SW_PANEL',
    message: `The dev server does not answer (${(error as Error).message}). Check in its terminal that it still runs.`,
  }
}
