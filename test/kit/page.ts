import { type ComponentChild, render } from 'preact'
import { act } from 'preact/test-utils'
import { onTestFinished, vi } from 'vitest'
import { changes, contextOf, type Happening, PageNode } from './page-node.ts'

/** A page that shows a part of the panel. */
export interface Page {
  readonly body: PageNode
  readonly document: PageNode & { title: string; cookie: string }
  /** The page as text, see {@link PageNode.toText}. */
  text(): string
  /** The elements of a name whose text or label is this. */
  all(selector: string, words?: string): readonly PageNode[]
  /** The only one of them. */
  one(selector: string, words?: string): PageNode
  /** Does something, and draws what follows. */
  do(deed: () => unknown): Promise<void>
  /** Makes an event at the only element of a name with these words. */
  fire(selector: string, words: string | undefined, type: string, happening?: Happening): Promise<void>
  /** A person types into the field of this label, and finishes. */
  type(label: string, text: string): Promise<void>
  /** A person chooses the entry at this place of the list of this label. */
  choose(label: string, at: number): Promise<void>
  /** A person ticks the box of this label, or unticks it. */
  tick(label: string, isOn: boolean): Promise<void>
  /** What the page asks the browser for: authenticators and the clipboard. */
  readonly asked: readonly unknown[]
  /** The screen is drawn at this time, in milliseconds. */
  draw(now: number): Promise<void>
}

/** Number of pages of the present test. */
let open = 0

/**
 * Shows a part of the panel on a page without a browser, until the test ends. Everything is near the visible part, 480 pixels wide.
 *
 * @param search The query of its address.
 */
export async function openPage(part: ComponentChild, search = ''): Promise<Page> {
  const document = Object.assign(new PageNode({}, '#document'), { title: '', cookie: '', activeElement: undefined as unknown })
  const body = new PageNode(document, 'body')
  document.appendChild(body)
  const made = (name: string, data?: string): PageNode => new PageNode(document, name, data)
  Object.assign(document, {
    body,
    activeElement: body,
    documentElement: { dataset: {}, style: {} },
    createElementNS: (_space: string, name: string) => made(name),
    createTextNode: (data: string) => made('#text', data),
  })
  /** Tells of every element at once what a browser would tell. */
  const observer = (told: object) =>
    class {
      readonly #tell: (entries: readonly object[]) => void
      constructor(tell: (entries: readonly object[]) => void) {
        this.#tell = tell
      }
      observe(): void {
        this.#tell([told])
      }
      disconnect(): void {}
    }
  const asked: unknown[] = []
  const bytes = (...all: readonly number[]): ArrayBuffer => Uint8Array.from(all).buffer
  const authenticate = async (wanted: object): Promise<object> => {
    asked.push(wanted)
    const response = {
      ...{ authenticatorData: bytes(1), clientDataJSON: bytes(2, 3), signature: bytes(251, 255, 254) },
      ...{ getPublicKeyAlgorithm: () => (asked.length === 1 ? -7 : -257), getPublicKey: () => bytes(9, 8) },
    }
    return { rawId: bytes(251, 240), response }
  }
  let told = 0
  const watchers: (() => void)[] = []
  const ticks: ((now: number) => void)[] = []
  const window = new PageNode(document, '#window')
  const location = { search, hostname: 'localhost', href: `http://localhost:20000/fresh/${search}` }
  const stubs = {
    ...{ document, window: Object.assign(window, { scrollTo: () => {} }), location },
    ResizeObserver: observer({ contentRect: { width: 480 } }),
    IntersectionObserver: observer({ isIntersecting: true }),
    MutationObserver: class {
      constructor(tell: () => void) {
        watchers.push(tell)
      }
      observe(): void {}
      disconnect(): void {}
    },
    matchMedia: () => ({ matches: true }),
    history: {
      state: 'kept',
      pushState: (_state: unknown, _title: string, address: string) => Object.assign(location, { search: address }),
    },
    Image: class {
      src = ''
      decode = async (): Promise<void> => {}
      toJSON = () => this.src
    },
    OffscreenCanvas: class {
      readonly drawn: unknown[][] = []
      getContext = () => contextOf(this.drawn)
    },
    createImageBitmap: async ({ isBroken = false }: { isBroken?: boolean }) => {
      if (isBroken) throw new Error('no picture')
    },
    FileReader: class {
      result = ''
      #tell = (): void => {}
      addEventListener(type: string, tell: () => void): void {
        if (type === 'load') this.#tell = tell
      }
      readAsDataURL({ text }: { readonly text: string }): void {
        this.result = `data:image/png;base64,${btoa(text)}`
        this.#tell()
      }
    },
    navigator: {
      clipboard: {
        writeText: async (text: string) => {
          asked.push(text)
          if (asked.length > 1) throw new Error('not allowed')
        },
      },
      credentials: { get: async (wanted: object) => authenticate(wanted), create: async (wanted: object) => authenticate(wanted) },
    },
    requestAnimationFrame: (draw: (now: number) => void) => ticks.push(draw),
    cancelAnimationFrame: (tick: number) => void delete ticks[tick - 1],
  }
  for (const [name, stub] of Object.entries(stubs)) vi.stubGlobal(name, stub)
  open += 1
  const draw = (one: ComponentChild) => act(() => render(one, body as unknown as Element))
  const settle = async (deed: () => unknown): Promise<void> => {
    await act(async () => {
      await deed()
    })
    for (let turn = 0; turn < 2; turn++) await act(() => new Promise<void>((resolve) => setImmediate(resolve)))
    if (changes.count !== told) for (const tell of watchers) tell()
    told = changes.count
  }
  onTestFinished(async () => {
    await draw(null)
    open -= 1
    if (open === 0) vi.unstubAllGlobals()
  })
  await settle(() => draw(part))
  const all = (selector: string, words?: string): PageNode[] =>
    body
      .querySelectorAll(selector)
      .filter((node) => words === undefined || node.own.get('aria-label') === words || node.textContent.trim() === words)
  const one = (selector: string, words?: string): PageNode => {
    const [found, ...others] = all(selector, words)
    if (!found || others.length > 0) throw new Error(`Expected one ${selector} "${words ?? ''}", found ${others.length + (found ? 1 : 0)}`)
    return found
  }
  const fieldOf = (label: string): PageNode => {
    const found = body.querySelectorAll('label').find((node) => node.textContent.trim() === label)
    const id = found?.own.get('for')
    const field = body.querySelectorAll('input, textarea').find((node) => id !== undefined && node.own.get('id') === id)
    if (!field) throw new Error(`Expected a field "${label}"`)
    return field
  }
  return {
    body,
    document,
    text: () => body.toText(),
    all,
    one,
    do: settle,
    fire: (selector, words, type, happening) => settle(() => void one(selector, words).fire(type, happening)),
    type: (label, text) =>
      settle(() => {
        const field = fieldOf(label)
        field.value = text
        field.fire('input')
        field.fire('change')
      }),
    choose: (label, at) =>
      settle(() => {
        const list = all('select', label)[0] ?? all('label select').find((one) => one.parentNode?.textContent.startsWith(label))
        if (!list) throw new Error(`Expected a list "${label}"`)
        list.selectedIndex = at
        list.fire('change')
      }),
    tick: (label, isOn) =>
      settle(() => {
        const box = all('input', label)[0] ?? one('label', label).querySelector('input')
        if (!box) throw new Error(`Expected a box "${label}"`)
        box.checked = isOn
        box.fire('change')
      }),
    asked,
    draw: (now) =>
      settle(() => {
        for (const tick of ticks.splice(0)) tick?.(now)
      }),
  }
}
