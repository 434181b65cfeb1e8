/** An event that a test makes. */
export type Happening = Readonly<Record<string, unknown>>

type Listener = (event: object) => void

/** How often an element has come or gone. */
export const changes = { count: 0 }

/** One element of a selector: its name, its classes, its attributes, and attributes that it must not have. */
interface Part {
  readonly name: string
  readonly classes: readonly string[]
  readonly attributes: readonly (readonly [name: string, value: string | undefined])[]
  readonly not: readonly (readonly [name: string, value: string | undefined])[]
}

const known = new Map<string, readonly (readonly Part[])[]>()

/** The ways of a selector, each from the element outwards. */
function waysOf(selectors: string): readonly (readonly Part[])[] {
  const ways = known.get(selectors) ?? selectors.split(', ').map((way) => way.split(' ').reverse().map(partOf))
  known.set(selectors, ways)
  return ways
}

function partOf(words: string): Part {
  const [own = '', not = ''] = words.split(':not')
  const attributesIn = (text: string) =>
    [...text.matchAll(/\[([\w-]+)(?:="([^"]*)")?\]/g)].map(([, name = '', value]) => [name, value] as const)
  return {
    name: /^[a-z0-9]*/.exec(own)?.[0] ?? '',
    classes: [...own.replace(/\[.*?\]/g, '').matchAll(/\.([\w-]+)/g)].map(([, name = '']) => name),
    attributes: attributesIn(own),
    not: attributesIn(not),
  }
}

function isAt(node: PageNode, way: readonly Part[], at: number): boolean {
  const { name, classes, attributes, not } = way[at]!
  const has = ([key, value]: readonly [string, string | undefined]): boolean =>
    node.own.has(key) && (value === undefined || String(node.own.get(key)) === value)
  if (node.nodeType !== 1 || (name !== '' && name !== node.localName) || !attributes.every(has) || not.some(has)) return false
  if (classes.length > 0) {
    const own = String(node.own.get('class') ?? '').split(' ')
    if (!classes.every((one) => own.includes(one))) return false
  }
  if (at === way.length - 1) return true
  for (let above = node.parentNode; above; above = above.parentNode) if (isAt(above, way, at + 1)) return true
  return false
}

/** An element or a text of a page without a browser: as much of one as Preact and the panel use. */
export class PageNode {
  readonly nodeType: number
  readonly localName: string
  readonly ownerDocument: object
  readonly namespaceURI = 'http://www.w3.org/1999/xhtml'
  readonly childNodes: PageNode[] = []
  readonly style: Record<string, unknown> = {}
  /** Attributes, and properties that have no attribute, in the order in which they were set. */
  readonly own = new Map<string, unknown>()
  readonly #listeners = new Map<string, Set<Listener>>()
  parentNode: PageNode | null = null
  data = ''
  /** What a test chooses in a list, or drops on a field. */
  selectedIndex = 0
  files: readonly object[] = []
  offsetHeight = 77
  /** What was drawn on it since it was last cleared. */
  readonly drawn: unknown[][] = []

  constructor(document: object, localName: string, data?: string) {
    this.ownerDocument = document
    this.localName = localName
    this.nodeType = data === undefined ? 1 : 3
    this.data = data ?? ''
  }

  get value(): unknown {
    return this.own.get('value') ?? ''
  }
  set value(value: unknown) {
    this.own.set('value', value)
  }
  get checked(): unknown {
    return this.own.get('checked') ?? false
  }
  set checked(value: unknown) {
    this.own.set('checked', value)
  }
  get open(): unknown {
    return this.own.get('open') ?? false
  }
  set open(value: unknown) {
    this.own.set('open', value)
  }
  get tabIndex(): unknown {
    return this.own.get('tabIndex') ?? -1
  }
  set tabIndex(value: unknown) {
    this.own.set('tabIndex', value)
  }
  get parentElement(): PageNode | null {
    return this.parentNode
  }
  get firstChild(): PageNode | null {
    return this.childNodes[0] ?? null
  }
  get nextSibling(): PageNode | null {
    const all = this.parentNode?.childNodes ?? []
    return all[all.indexOf(this) + 1] ?? null
  }
  get isConnected(): boolean {
    return this.localName === 'body' || this.parentNode?.isConnected === true
  }
  /** All text in it. */
  get textContent(): string {
    return this.nodeType === 3 ? String(this.data) : this.childNodes.map((child) => child.textContent).join('')
  }

  insertBefore(child: PageNode, before: PageNode | null): void {
    child.remove()
    const at = before === null ? this.childNodes.length : this.childNodes.indexOf(before)
    this.childNodes.splice(at, 0, child)
    child.parentNode = this
    changes.count += 1
  }
  appendChild(child: PageNode): void {
    this.insertBefore(child, null)
  }
  removeChild(child: PageNode): void {
    this.childNodes.splice(this.childNodes.indexOf(child), 1)
    child.parentNode = null
    changes.count += 1
  }
  remove(): void {
    this.parentNode?.removeChild(this)
  }
  contains(other: PageNode | null): boolean {
    return other !== null && (other === this || this.contains(other.parentNode))
  }
  setAttribute(name: string, value: unknown): void {
    this.own.set(name, value)
  }
  removeAttribute(name: string): void {
    this.own.delete(name)
  }
  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, (this.#listeners.get(type) ?? new Set()).add(listener))
  }
  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener)
  }
  checkVisibility(): boolean {
    return true
  }
  getContext(): object {
    return contextOf(this.drawn)
  }
  focus(): void {
    Object.assign(this.ownerDocument, { activeElement: this })
    this.fire('focusin')
  }
  showModal(): void {
    this.own.set('open', true)
  }
  close(): void {
    this.own.delete('open')
    this.fire('close')
  }
  /**
   * Makes an event here, which rises to the page. A button sends its form, unless it has another type. Returns whether
   * the usual effect was prevented.
   */
  fire(type: string, happening: Happening = {}): boolean {
    let isPrevented = false
    const preventDefault = (): void => {
      isPrevented = true
    }
    const event = { type, target: this, preventDefault, ...happening }
    for (let node: PageNode | null = this; node; node = node.parentNode)
      for (const listener of [...(node.#listeners.get(type) ?? [])]) listener.call(node, Object.assign(event, { currentTarget: node }))
    const sends = type === 'click' && this.localName === 'button' && (this.own.get('type') ?? 'submit') === 'submit'
    if (sends && !isPrevented && this.own.get('disabled') !== true) this.closest('form')?.fire('submit')
    return isPrevented
  }
  dispatchEvent({ type }: { readonly type: string }): void {
    this.fire(type)
  }
  matches(selectors: string): boolean {
    return waysOf(selectors).some((way) => isAt(this, way, 0))
  }
  querySelectorAll(selectors: string): PageNode[] {
    const found: PageNode[] = []
    const ways = waysOf(selectors)
    const look = (node: PageNode): void => {
      for (const child of node.childNodes) {
        if (ways.some((way) => isAt(child, way, 0))) found.push(child)
        look(child)
      }
    }
    look(this)
    return found
  }
  querySelector(selectors: string): PageNode | null {
    return this.querySelectorAll(selectors)[0] ?? null
  }
  closest(selectors: string): PageNode | null {
    for (let node: PageNode | null = this; node; node = node.parentNode) if (node.matches(selectors)) return node
    return null
  }
  /** As text: elements with what a person or a screen reader gets of them, without what only looks. */
  toText(): string {
    if (this.nodeType === 3) return String(this.data)
    const inside = this.childNodes.map((child) => child.toText()).join('')
    // Icons, the marks of states and the anchor.
    if (/^(?:0 0 16 16|0 0 11 11|-14 .*)$/.test(String(this.own.get('viewBox')))) return ''
    const unseen = this.localName === 'canvas' ? /^(?:class|width|height)$/ : /^(?:class|type|fill.*|stroke.*|id)$/
    const shown = [...this.own].filter(([name]) => !unseen.test(name))
    const words = shown.map(([name, value]) => ` ${name}${value === true ? '' : `=${value}`}`).join('')
    const style = Object.keys(this.style).length > 0 ? ` style=${JSON.stringify(this.style)}` : ''
    if (words + style === '' && /^(?:div|span)$/.test(this.localName)) return this.localName === 'div' ? `{${inside}}` : inside
    const begin = /^(?:section|article|li|fieldset|main|header|dialog|form|details|tr|figure)$/.test(this.localName) ? '\n<' : '<'
    return `${begin}${this.localName}${words}${style}>${inside}${inside === '' ? '' : '</>'}`
  }
}

/** A context that notes what is drawn, beginning anew when it is cleared. */
export function contextOf(drawn: unknown[][]): object {
  return new Proxy(
    {},
    {
      get:
        (_, name) =>
        (...asked: readonly unknown[]) => {
          if (name === 'clearRect') drawn.length = 0
          drawn.push([name, ...asked])
        },
      set: (_, name, value) => {
        drawn.push([name, value])
        return true
      },
    },
  )
}
