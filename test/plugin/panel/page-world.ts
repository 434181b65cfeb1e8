import { h } from 'preact'
import type { PanelApi } from '../../../plugin/panel/ui/state/api.ts'
import { createStore, type PanelStore } from '../../../plugin/panel/ui/state/panel-store.ts'
import { App } from '../../../plugin/panel/ui/views/app.tsx'
import type { PanelAnimation, PanelFrames, PanelLedger, PanelSprite, PanelState } from '../../../plugin/protocol/protocol.ts'
import { openPage, type Page } from '../../kit/page.ts'

const nothing = { canBeApproved: false, canBeRevoked: false, wantsPerson: false, next: 'nothing' }
const toBuy = { ...nothing, state: 'missing', word: 'not bought', tone: 'warn', next: 'approve', canBeApproved: true, wantsPerson: true }
const looks = { isPlaceholder: false, isSuperseded: false, faults: 0 }
export const hash = 'a'.repeat(64)
const price = (credits: string, usd?: string) => ({ credits, usd, priceVersion: 'v1', words: '' })

/** Frames of a delivery, each at a place of its own on one page. */
const frameOf = (index: number) => ({
  ...{ page: 0, x: 10 * index, y: 2, width: 4, height: 5, offsetX: 1, offsetY: 2, sourceWidth: 8, sourceHeight: 9, index },
})

export const walk = {
  ...{ ...nothing, ...looks, id: 'hero.walk', name: 'walk', state: 'bought', word: 'bought', tone: 'good', faults: 2, take: 2, frames: 8 },
  ...{ ceiling: '2.4', spent: '2', hash, attempt: 1, words: 'It is bought.', prompt: 'walks', fps: 10, loop: true, yoyo: false },
  ...{ use: [2, 0, 1], meant: ['loop'], touchedUp: [2], changed: ['prompt', 'frames'] },
  played: [2, 0, 1].map((index) => ({ ...frameOf(index), durationMs: 100 })),
  flags: [
    { fault: 'blank', from: 'frames', frames: [0, 3], words: 'Frame 0 is empty.' },
    { fault: 'inspect', from: 'service', frames: [1], words: 'Look at frame 1.' },
  ],
  takes: [
    { take: 1, state: 'bought', word: 'bought', tone: 'good', isChosen: false },
    { take: 2, state: 'bought', word: 'bought', tone: 'good', isChosen: true },
    { take: 3, state: 'approved', word: 'approved', tone: 'busy', isChosen: false },
  ],
} as unknown as PanelAnimation
const idle = {
  ...{ ...toBuy, ...looks, id: 'hero.idle', name: 'idle', take: 1, frames: 9, isPlaceholder: true, price: price('2.4', '0.24'), hash },
  ...{ words: 'It is not bought.', prompt: 'idles', fps: 12, loop: false, yoyo: true, meant: [], touchedUp: [], changed: [] },
  ...{ played: [frameOf(0)], flags: [], takes: [], durations: [10] },
} as unknown as PanelAnimation
const jump = {
  ...{ ...nothing, ...looks, id: 'hero.jump', name: 'jump', state: 'running', word: 'in work', tone: 'busy', take: 1, frames: 7 },
  ...{ isSuperseded: true, canBeRevoked: true, held: '1.8', hash, approved: 'clicked', words: 'It is in work.', prompt: 'jumps' },
  ...{ fps: 12, loop: true, yoyo: false, meant: [], touchedUp: [], changed: [], played: [], flags: [], takes: [] },
  progress: { id: 'hero.jump', phase: 'running', progress: 0.3 },
} as unknown as PanelAnimation
const portrait = {
  ...{ ...toBuy, ...looks, id: 'hero.portrait', name: 'portrait', isPicture: true, take: 1, frames: 1, price: price('10'), hash },
  ...{ state: 'question', word: 'asks', words: 'It asks.', prompt: 'a face', fps: 12, loop: false, meant: [], touchedUp: [], changed: [] },
  ...{ played: [], flags: [], takes: [], question: { questionId: 'q1', text: 'Which hand?', requiresAsset: true } },
} as unknown as PanelAnimation

export const hero = {
  ...{ name: 'hero', background: 'transparent', file: 'sprites/hero.sprite.json', digest: 'd1', art: 'p1', prompt: 'a knight' },
  ...{ reference: './hero.png', atlas: 'units', size: { width: 64, height: 32 }, frame: { width: 20, height: 10 } },
  ...{ anchor: { x: 0.5, y: 1 }, pixelArt: true, isPlaceholder: true, pages: [{ url: 'pages/p1.png', width: 99, height: 44 }] },
  animations: [walk, idle, jump, portrait],
} as unknown as PanelSprite
export const spin = { ...toBuy, ...looks, id: 'coin.spin', name: 'spin', take: 1, frames: 9, isPlaceholder: true, price: price('12.5') }
const turn = { ...toBuy, ...looks, id: 'coin.turn', name: 'turn', take: 1, frames: 8 }
export const coin = { name: 'coin', background: 'keep', file: 'src/art/coin.sprite.json', digest: 'd2', art: '', animations: [turn, spin] }
const own = { ...nothing, ...looks, state: 'own', word: 'own art', tone: 'good', id: 'chest.open', name: 'open', take: 1, frames: 2 }
const chest = { name: 'chest', background: 'keep', file: 'art/chest.sprite.json', digest: '', art: '', animations: [own] }

/** A project with requests in every state, all of it made up. */
export const wholeState = {
  ...{ project: 'castle', folder: 'packages/game', engines: ['phaser', 'pixi'], revision: 9, requests: [] },
  access: { mayAct: true, mayBuy: true, words: '' },
  service: {
    ...{ mode: 'test', host: 'api.example', balance: '50', words: '' },
    newSprite: { credits: '1.6', frames: 8, background: 'transparent' },
  },
  ledger: { held: '1.8', settled: '4', restored: '0', uncertain: '0.5', elsewhere: '3' },
  ...{ errors: [], warnings: [], totals: { price: '25.9', counts: { bought: 1, missing: 3, running: 1, question: 1, own: 1 } } },
  sprites: [hero, coin, chest],
  steps: [
    {
      ...{ ...toBuy, id: 'coin#1', operation: 'text_to_image', sprites: ['coin'], ids: ['coin#1', 'gem#1'], price: price('1') },
      ...{ prompt: 'a coin', words: 'It is needed.', hash },
    },
    {
      ...{
        ...nothing,
        id: 'hero#2',
        operation: 'background_remove',
        sprites: ['hero'],
        ids: ['hero#2'],
        state: 'running',
        word: 'in work',
      },
      ...{ tone: 'busy', canBeRevoked: true, prompt: '', words: 'It is in work.', hash },
    },
  ],
  orphans: [
    {
      ...{ ...nothing, id: 'hero.run@1a2b', was: 'hero.run', state: 'uncertain', word: 'not known', tone: 'bad', wantsPerson: true },
      ...{ undecided: 'submission', attempt: 3, hash, ceiling: '2', words: 'Nobody knows.', prompt: 'runs' },
    },
  ],
  open: [hero],
} as unknown as PanelState

/** The state with these fields of the hero and of its walk. */
export const heroWith = (own: object, ofWalk: object = {}) => {
  const changed = { ...hero, ...own, animations: [{ ...walk, ...ofWalk }, ...hero.animations.slice(1)] }
  return { sprites: [changed, ...wholeState.sprites.slice(1)], open: [changed] }
}

const delivered = {
  ...{ id: 'hero.walk', take: 2, isPlaceholder: false, flags: [], pages: [{ url: 'pages/d.png', width: 90, height: 40 }] },
  frames: [0, 1, 2, 3].map(frameOf),
} as unknown as PanelFrames

/** The page of the panel, and what it asks its server for. */
export interface PanelPage extends Page {
  readonly store: PanelStore
  /** Actions with their requests, without the prices that every page asks for. */
  readonly acts: readonly (readonly [name: string, asks: unknown])[]
  /** The same, each in a line. */
  readonly lines: readonly string[]
  /** What was read, by name. */
  readonly reads: readonly string[]
  /** Answers of actions from now on, by name. An error is thrown. */
  readonly answers: Record<string, unknown>
  /** Another state comes from the server. */
  become(change: object): Promise<void>
}

/**
 * Opens the page of the panel on the state of a project, and changes it by some fields.
 *
 * @param search The query of its address: the view and the request that it shows.
 */
export async function openPanelPage(search = '', change: object = {}, reading: Partial<PanelApi> = {}): Promise<PanelPage> {
  const acts: [string, unknown][] = []
  const reads: string[] = []
  const answers: Record<string, unknown> = { offer: { lines: [], sum: '0', ceilings: '0', balance: '50', untouched: [] } }
  let state = { ...wholeState, ...change }
  let tell = (_revision: number): void => {}
  const api = {
    state: async () => state,
    names: async () => ['hero', 'coin'],
    sprite: async (name: string) => {
      reads.push(`sprite ${name}`)
      return hero
    },
    ledger: async () => ({ lines: [] as PanelLedger['lines'] }),
    atlases: async () => ({ atlases: [] }),
    frames: async (id: string, take: number) => {
      reads.push(`frames ${id} ${take}`)
      return { ...delivered, take }
    },
    openAtLocalhost: () => void reads.push('localhost'),
    act: async (name: string, asks: object) => {
      acts.push([name, asks])
      const answer = answers[name] ?? { revision: 0, digest: 'after' }
      if (answer instanceof Error) throw answer
      return answer
    },
    listen: ({ onOpen, onState }: { onOpen(): void; onState(event: { revision: number }): void }) => {
      tell = (revision) => onState({ revision })
      onOpen()
    },
    ...reading,
  } as unknown as PanelApi
  const withoutQuotes = () => acts.filter(([name]) => name !== 'quote')
  const store = createStore(api)
  const page = await openPage(h(App, { store }), search)
  return {
    ...page,
    ...{ store, reads, answers },
    get acts() {
      return withoutQuotes()
    },
    get lines() {
      return withoutQuotes().map(([name, asks]) => `${name} ${JSON.stringify(asks).replaceAll(hash, 'HASH')}`)
    },
    become: (next) =>
      page.do(() => {
        state = { ...state, ...next, revision: state.revision + 1 }
        tell(state.revision)
      }),
  }
}

/** The open dialog as text, or nothing. */
export const dialog = ({ all }: PanelPage): string =>
  all('dialog')
    .map((one) => one.toText())
    .join()

/** What the page says of the last deed. */
export const said = ({ all }: PanelPage): string =>
  all('.toast p')
    .map((one) => one.textContent)
    .join()

/** Clicks the button of these words or this label. */
export const press = (page: PanelPage, words: string): Promise<void> => page.fire('button', words, 'click')

/** Whether that button is disabled. */
export const isOff = (page: PanelPage, words: string): boolean => page.one('button', words).own.get('disabled') === true

/** The view as text, without what stands around it. */
export const main = ({ one }: PanelPage): string => one('main').toText()
