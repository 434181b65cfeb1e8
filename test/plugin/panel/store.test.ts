import { describe, expect, test, vi } from 'vitest'
import { type EventHandlers, type PanelApi, Refused } from '../../../plugin/panel/ui/state/api.ts'
import { createStore } from '../../../plugin/panel/ui/state/panel-store.ts'
import type { PanelState, SpriteRow } from '../../../plugin/protocol/protocol.ts'

const reject = () => Promise.reject(new Error('Nobody asks for this here.'))
const unasked = { names: reject, sprite: reject, ledger: reject, atlases: reject, frames: reject, openAtLocalhost: () => {} }

/**
 * A server of one sprite. Its spec is a number that every edit raises, and edits of an older number are
 * refused.
 */
function fakeServer(): { readonly api: PanelApi; readonly acts: string[]; events(): EventHandlers; loads(): number; change(): void } {
  let [version, loads] = [1, 0]
  let handlers: EventHandlers | undefined
  const acts: string[] = []
  const state = (): PanelState =>
    ({
      revision: version,
      sprites: [{ name: 'hero', digest: `d${version}`, file: 'hero.sprite.json' }],
      open: [],
      steps: [],
      orphans: [],
    }) as unknown as PanelState
  const api: PanelApi = {
    state: async () => {
      loads++
      return state()
    },
    ...unasked,
    act: async (name, asks) => {
      acts.push(`${String(name)} ${JSON.stringify(asks)}`)
      const { digest } = asks as { digest?: string }
      if (digest !== undefined && digest !== `d${version}`)
        throw new Refused({ error: { code: 'SW_SPEC', message: `Expected d${version}, found ${digest}.` } })
      version++
      return { revision: version, digest: `d${version}` } as never
    },
    listen: (given) => {
      handlers = given
    },
  }
  return {
    api,
    acts,
    events: () => handlers!,
    loads: () => loads,
    change: () => void version++,
  }
}

describe('the store of the panel', () => {
  test('edits that come at once are written one after another, each upon the one before', async () => {
    const server = fakeServer()
    const store = createStore(server.api)
    await store.refresh()
    const written = await Promise.all(
      [1, 2, 3].map((fps) => store.edit('hero', 'edit', { sprite: 'hero', animations: { walk: { fps } } }, `${fps} frames`)),
    )
    expect(written).toEqual([true, true, true])
    expect(server.acts.map((act) => /"digest":"(\w+)"/.exec(act)?.[1])).toEqual(['d1', 'd2', 'd3'])
  })

  test('an edit of a file that somebody else has changed is refused and told, and the next one works', async () => {
    const server = fakeServer()
    const store = createStore(server.api)
    await store.refresh()
    server.change()
    expect(await store.edit('hero', 'edit', { sprite: 'hero', size: 64 }, 'Another size.')).toBe(false)
    expect(store.model.message).toBeUndefined()
    expect(store.model.refusal?.message).toBe('Expected d2, found d1.')
    await store.refresh()
    expect(await store.edit('hero', 'edit', { sprite: 'hero', size: 64 }, 'Another size.')).toBe(true)
    expect(store.model.refusal).toBeUndefined()
  })

  test('a sent action is done when the server has answered, although no state shows it yet', async () => {
    const server = fakeServer()
    const store = createStore({ ...server.api, state: () => new Promise(() => {}) })
    expect(await store.send('revoke', { id: 'hero.walk', hash: '' })).toMatchObject({ revision: 2 })
    expect(store.model.state).toBeUndefined()
  })

  test('an Undo stands beside the words of its own edit, and never beside those of something else', async () => {
    const server = fakeServer()
    const store = createStore(server.api)
    await store.refresh()
    await store.edit('hero', 'reword', { sprite: 'hero', prompt: 'limps' }, 'Another prompt of hero.')
    expect(store.model.message).toEqual({
      words: 'Another prompt of hero. Written to hero.sprite.json.',
      edited: { sprite: 'hero', digest: 'd2' },
    })
    await store.undo()
    expect(store.model.status).toBe('Undone: Another prompt of hero. Written to hero.sprite.json.')
    await store.edit('hero', 'reword', { sprite: 'hero', prompt: 'limps' }, 'Another prompt of hero.')
    store.say('Approved: 2.4 credits will be held for hero.walk; at most 2.4 are charged.')
    expect(store.model.message?.edited).toBeUndefined()
    await store.undo()
    expect(server.acts.filter((act) => act.startsWith('undo'))).toHaveLength(1)
  })

  test('a form that shows its own refusal keeps it from the rest of the page', async () => {
    const server = fakeServer()
    const store = createStore(server.api)
    const told: string[] = []
    await store.act('undo', { sprite: 'hero', digest: 'd0' }, ({ message }) => told.push(message))
    expect(told).toEqual(['Expected d1, found d0.'])
    expect(store.model.refusal).toBeUndefined()
  })

  test('an action is done when the state shows it', async () => {
    const server = fakeServer()
    const store = createStore(server.api)
    await store.act('quote', {})
    expect(store.model.state?.revision).toBe(2)
  })

  test('a state that is told of and known is not fetched again', async () => {
    const server = fakeServer()
    const store = createStore(server.api)
    await store.refresh()
    server.events().onState({ revision: 1 })
    await store.refresh()
    expect(server.loads()).toBe(2)
  })

  test('whoever wishes for the state while it is fetched gets one that is fetched after', async () => {
    const server = fakeServer()
    const store = createStore(server.api)
    const first = store.refresh()
    server.change()
    await Promise.all([first, store.refresh(), store.refresh()])
    expect(store.model.state?.revision).toBe(2)
  })

  test('progress is shown at once, said aloud at each new phase and quarter, and gone with a new state', async () => {
    const server = fakeServer()
    const store = createStore(server.api)
    await store.refresh()
    const said: string[] = []
    const tell = (phase: 'queued' | 'running', progress?: number): void => {
      server.events().onProgress({ id: 'hero.walk', phase, ...(progress === undefined ? {} : { progress }) })
      said.push(store.model.status)
    }
    tell('queued')
    tell('running', 0.1)
    tell('running', 0.2)
    tell('running', 0.3)
    expect(store.model.progress['hero.walk']?.progress).toBe(0.3)
    expect(new Set(said)).toEqual(new Set(['hero.walk: in the queue', 'hero.walk: being drawn, 10 %', 'hero.walk: being drawn, 30 %']))
    await store.refresh()
    expect(store.model.progress).toEqual({})
  })
})

test('details of the open sprite come with each state; a link that was cut, and a new token, read everything again', async () => {
  const asked: unknown[] = []
  let handlers: EventHandlers | undefined
  let revision = 3
  const store = createStore({
    ...unasked,
    state: async (open, isWhole) => {
      asked.push([open, isWhole])
      const details = open === undefined ? [] : [{ name: open }]
      return { revision, sprites: [], open: details, steps: [], orphans: [] } as unknown as PanelState
    },
    act: async () => ({ revision: ++revision }) as never,
    listen: (given) => {
      handlers = given
    },
  })
  handlers?.onOpen()
  await store.act('quote', {})
  await store.refresh()
  store.open('hero')
  await store.act('quote', {})
  expect(store.model.state).toMatchObject({ revision: 5, open: [{ name: 'hero' }] })
  // It is there already.
  store.open('hero')
  store.open(undefined)
  await store.act('quote', {})
  await store.refresh()
  expect(asked).toEqual([
    // At first what the server knows, at once.
    [undefined, false],
    [undefined, true],
    ['hero', false],
    [undefined, false],
    [undefined, true],
  ])
})

/** A page whose server notes the sprites that it is asked for. */
function askedForSprites() {
  const asked: string[] = []
  const sprite = async (name: string) => {
    asked.push(name)
    return { name } as never
  }
  return { asked, store: createStore({ ...fakeServer().api, sprite }) }
}

test('pictures of a sprite are asked for once, and again when its spec or its pages have changed', async () => {
  const { asked, store } = askedForSprites()
  const row = { name: 'hero', digest: 'd1', art: 'a1' } as never as SpriteRow
  for (const one of [row, { ...row }, { ...row, art: 'a2' }, { ...row, art: 'a2', digest: 'd2' }, { ...row, name: 'coin' }, row])
    await store.pictures(one)
  expect(asked).toEqual(['hero', 'hero', 'hero', 'coin', 'hero'])
})

describe('the link to the server', () => {
  const stateOf = (revision: number): PanelState =>
    ({ revision, folder: '', sprites: [], open: [], steps: [], orphans: [] }) as unknown as PanelState

  test('is lost with the reason while no state comes, and open again with the next one', async () => {
    let answer = async (): Promise<PanelState> => stateOf(1)
    const server = fakeServer()
    const store = createStore({ ...server.api, state: () => answer() })
    const seen = async (): Promise<unknown> => {
      await store.refresh()
      const { state, link, refusal } = store.model
      return [state?.revision, link, refusal?.message]
    }
    const first = { state: undefined, progress: {}, link: 'connecting', refusal: undefined, status: '', message: undefined }
    expect(store.model).toEqual(first)
    const before = await seen()
    answer = () => Promise.reject(new Error('cut'))
    const cut = await seen()
    answer = () => Promise.reject(new Refused({ error: { code: 'SW_DISK', message: 'no disk' } }))
    const refused = await seen()
    answer = async () => stateOf(2)
    expect([before, cut, refused, await seen()]).toEqual([
      [1, 'open', undefined],
      [1, 'lost', undefined],
      [1, 'lost', 'no disk'],
      [2, 'open', 'no disk'],
    ])
    store.forgetRefusal()
    server.events().onLost()
    expect([store.model.refusal, store.model.link]).toEqual([undefined, 'lost'])
  })

  test('that is lost ends the wait for the result of an action; without an answer the reason is told', async () => {
    const server = fakeServer()
    const store = createStore({ ...server.api, state: async () => stateOf(1), act: async () => ({ revision: 9 }) as never })
    const [heard, unheard] = [[] as unknown[], [] as unknown[]]
    store.subscribe(() => heard.push(store.model.link))
    store.subscribe(() => unheard.push(1))()
    let isDone = false
    const acting = store.act('quote', {}).then(() => {
      isDone = true
    })
    await new Promise(setImmediate)
    expect(isDone).toBe(false)
    server.events().onLost()
    await acting
    expect([heard.at(-1), unheard]).toEqual(['lost', []])
    const silent = createStore({ ...server.api, act: () => Promise.reject(new Error('ECONNREFUSED')) })
    expect([await silent.act('quote', {}), silent.model.refusal]).toEqual([
      undefined,
      { code: 'SW_PANEL', message: 'The dev server does not answer (ECONNREFUSED). Check in its terminal that it still runs.' },
    ])
  })

  test('brings each newer state that is told of, and progress beside progress', async () => {
    const server = fakeServer()
    const store = createStore(server.api)
    server.events().onState({ revision: 0 })
    await new Promise(setImmediate)
    expect(store.model.state?.revision).toBe(1)
    server.change()
    server.events().onState({ revision: 2 })
    await new Promise(setImmediate)
    expect([store.model.state?.revision, server.loads()]).toEqual([2, 2])
    server.events().onProgress({ id: 'a', phase: 'queued' })
    server.events().onProgress({ id: 'b', phase: 'bought' })
    expect(Object.keys(store.model.progress)).toEqual(['a', 'b'])
  })

  test.each([
    ['', true, '__open-in-editor?file=art%2Fhero.json', 'art/hero.json opens in your editor.'],
    ['packages/game', false, '__open-in-editor?file=packages%2Fgame%2Fart%2Fhero.json', undefined],
    ['', undefined, '__open-in-editor?file=art%2Fhero.json', undefined],
  ])('in the folder %j opens a file in the editor, or says that it cannot (%s)', async (folder, ok, address, words) => {
    const asked: unknown[] = []
    vi.stubGlobal('fetch', async (url: string) => {
      asked.push(url)
      if (ok === undefined) throw new Error('cut')
      return { ok }
    })
    const store = createStore({ ...fakeServer().api, state: async () => ({ ...stateOf(1), folder }) })
    await store.refresh()
    await store.openInEditor('art/hero.json')
    vi.unstubAllGlobals()
    const said = words ?? 'art/hero.json could not be opened. See the terminal of the dev server.'
    expect([asked, store.model.status, store.model.message]).toEqual([[address], said, { words: said }])
    store.forgetMessage()
    expect(store.model.message).toBeUndefined()
  })
})

test('pictures of two hundred sprites are kept, and the one that was asked for first goes', async () => {
  const { asked, store } = askedForSprites()
  const row = (at: number) => ({ name: `s${at}`, digest: '', art: '' }) as never as SpriteRow
  for (let at = 0; at < 201; at++) await store.pictures(row(at))
  for (const at of [1, 200, 0]) await store.pictures(row(at))
  expect(asked.slice(201)).toEqual(['s0'])
})
