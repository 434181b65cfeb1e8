import { afterEach, describe, expect, test, vi } from 'vitest'
import { createApi, keepToken, Refused } from '../../../plugin/panel/ui/state/api.ts'
import { removeWorkers } from '../../../plugin/panel/ui/state/workers.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** Answers each request of the page with this body and status. Returns the requests. */
function answering(body: string, status = 200): unknown[][] {
  const asked: unknown[][] = []
  vi.stubGlobal('fetch', async (...given: unknown[]) => {
    asked.push(given)
    return new Response(body, { status })
  })
  return asked
}

describe('a request of the page', () => {
  test('goes to its own address, and has the token where the server asks for it', async () => {
    const asked = answering('{"revision":3}')
    const api = createApi(() => 'secret')
    const answers = [
      await api.state(undefined, false),
      await api.state('hero', false),
      await api.state('hero & co', true),
      await api.names(),
      await api.sprite('hero & co'),
      await api.ledger(),
      await api.atlases(),
      await api.frames('hero.walk', 2),
      await api.act('revoke', { id: 'hero.walk', hash: 'h' }),
    ]
    expect(answers).toEqual(Array(9).fill({ revision: 3 }))
    const token = { headers: { 'x-spritewright-token': 'secret' } }
    expect(asked).toEqual([
      ['api/state?', token],
      ['api/state?open=hero', token],
      ['api/state?open=hero+%26+co&whole=', token],
      ['api/names'],
      ['api/sprite?name=hero+%26+co'],
      ['api/ledger'],
      ['api/atlases'],
      ['api/frames?animation=hero.walk&take=2'],
      [
        'api/revoke',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-spritewright-token': 'secret' },
          body: '{"id":"hero.walk","hash":"h"}',
        },
      ],
    ])
  })

  test('of a page without the token has none', async () => {
    const asked = answering('{}')
    const api = createApi(() => undefined)
    await api.state(undefined, true)
    await api.act('quote', {})
    expect(asked).toEqual([
      ['api/state?whole=', { headers: {} }],
      ['api/quote', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
    ])
  })

  const silent = (status: number) => ({
    error: { code: 'SW_PANEL', message: `Expected the dev server to answer, found status ${status}. See its terminal.` },
  })
  test.each([
    [409, '{"error":{"code":"SW_CHANGED","message":"so it is"},"offer":{"sum":"1"}}', undefined],
    [500, '{"error":{"code":"SW_CHANGED"}}', silent(500)],
    [500, '{}', silent(500)],
    [502, 'null', silent(502)],
    [504, '<html>', silent(504)],
    [200, 'no JSON', silent(200)],
  ])('that is answered by %i with %s is refused in words', async (status, body, refusal) => {
    answering(body, status)
    const error = await createApi(() => undefined)
      .names()
      .catch((thrown: unknown) => thrown as Refused)
    expect(error).toBeInstanceOf(Refused)
    const expected = refusal ?? JSON.parse(body)
    expect([(error as Refused).refusal, (error as Refused).message]).toEqual([expected, expected.error.message])
  })
})

describe('the events of a page', () => {
  /** A browser, and its event streams. */
  function browser() {
    const streams: EventTarget[] = []
    class EventSource extends EventTarget {
      static readonly CLOSED = 2
      readyState = 0
      readonly url: string
      constructor(url: string) {
        super()
        this.url = url
        streams.push(this)
      }
    }
    const window: { onfocus?: () => void } = {}
    vi.stubGlobal('EventSource', EventSource)
    vi.stubGlobal('window', window)
    const heard: unknown[] = []
    const note =
      (name: string) =>
      (data?: unknown): void =>
        void heard.push(name === 'open' ? [name] : [name, data])
    createApi(() => undefined).listen({
      onOpen: note('open'),
      onLost: () => heard.push(['lost']),
      onState: note('state'),
      onProgress: note('progress'),
    })
    const tell = (event: string, data?: unknown, at = streams.length - 1): void =>
      void streams[at]?.dispatchEvent(Object.assign(new Event(event), data === undefined ? {} : { data: JSON.stringify(data) }))
    return { streams: streams as (EventTarget & { readyState: number; readonly url: string })[], window, heard, tell }
  }

  test('are told one by one, and the state may be another one whenever the page comes into view', () => {
    const { streams, window, heard, tell } = browser()
    tell('open')
    tell('state', { revision: 4 })
    tell('progress', { id: 'hero.walk', phase: 'queued' })
    window.onfocus?.()
    expect(streams.map(({ url }) => url)).toEqual(['api/events'])
    expect(heard).toEqual([
      ['open'],
      ['state', { revision: 4 }],
      ['progress', { id: 'hero.walk', phase: 'queued' }],
      ['state', { revision: Infinity }],
    ])
  })

  test('are asked for again two seconds after the browser has given up, and not while it still tries', () => {
    vi.useFakeTimers()
    const { streams, heard, tell } = browser()
    tell('error')
    vi.advanceTimersByTime(60_000)
    expect([streams.length, heard]).toEqual([1, [['lost']]])
    streams[0]!.readyState = 2
    tell('error')
    vi.advanceTimersByTime(1999)
    expect(streams.length).toBe(1)
    vi.advanceTimersByTime(1)
    tell('open')
    tell('state', { revision: 5 })
    expect([streams.length, heard]).toEqual([2, [['lost'], ['lost'], ['open'], ['state', { revision: 5 }]]])
  })
})

describe('the token of a page', () => {
  /** A page at an address, whose entry of the history has this state. */
  function pageAt(href: string, state: unknown = null) {
    const location = new URL(href)
    const replaced: unknown[][] = []
    const history = {
      state,
      replaceState: (...given: unknown[]) => {
        replaced.push(given)
        location.hash = ''
      },
    }
    const window = Object.assign(new EventTarget(), { open: vi.fn() })
    for (const [name, value] of Object.entries({ location, history, window })) vi.stubGlobal(name, value)
    return { location, window, replaced }
  }

  test('leaves the address and stays with the history; one that is pasted replaces it, and is told', () => {
    const { location, window, replaced } = pageAt('http://127.0.0.1:7/p/?view=wall#token=first')
    const news = vi.fn()
    const tokenOf = keepToken(news)
    expect([tokenOf(), replaced]).toEqual(['first', [[{ token: 'first' }, '', '/p/?view=wall']]])
    for (const hash of ['#token=', '#other=x', '#token=second']) {
      location.hash = hash
      window.dispatchEvent(new Event('hashchange'))
    }
    expect([tokenOf(), news.mock.calls.length, replaced.at(-1)]).toEqual(['second', 1, [{ token: 'second' }, '', '/p/?view=wall']])
  })

  test.each([
    [{ token: 'kept' }, 'kept'],
    [{ token: 7 }, undefined],
    [{}, undefined],
    [null, undefined],
  ])('of a page whose history has %j is %s', (state, token) => {
    const { replaced } = pageAt('http://127.0.0.1:7/p/', state)
    expect([keepToken(() => {})(), replaced]).toEqual([token, []])
  })

  test.each([
    ['secret', 'token=secret'],
    [undefined, 'token='],
  ])('%s goes along when the place is opened at localhost, in a page that cannot reach this one', (token, hash) => {
    const { window, location } = pageAt('http://127.0.0.1:7/p/?show=hero.walk')
    createApi(() => token).openAtLocalhost()
    const [[url, ...how] = []] = window.open.mock.calls
    expect([String(url), how]).toEqual([`http://localhost:7/p/?show=hero.walk#${hash}`, ['_blank', 'noopener']])
    expect(location.hostname).toBe('127.0.0.1')
  })
})

describe('a service worker of an earlier server', () => {
  const worker = (ended: string[], name: string) => ({ unregister: async () => void ended.push(name) })

  test.each<[string, object, object, readonly string[], boolean]>([
    ['registered', { count: 2 }, {}, ['one', 'two'], true],
    ['in control', { controller: {} }, {}, [], true],
    ['gone by now, though it has given the page', {}, { workerStart: 3 }, [], true],
    ['none', {}, { workerStart: 0 }, [], false],
  ])(
    'that is %s is removed and told to the server',
    async (_, { count = 0, controller }: { count?: number; controller?: object }, navigation, removed, isFound) => {
      const ended: string[] = []
      const asked = answering('')
      const all = ['one', 'two'].slice(0, count).map((name) => worker(ended, name))
      vi.stubGlobal('navigator', { serviceWorker: { controller, getRegistrations: async () => all } })
      vi.spyOn(performance, 'getEntriesByType').mockReturnValue([navigation] as never)
      expect([await removeWorkers(), ended, asked]).toEqual([
        isFound,
        removed,
        isFound ? [['.', { headers: { 'service-worker': 'script' } }]] : [],
      ])
    },
  )

  test('that cannot be there, at an address that is not secure, is not looked for', async () => {
    const asked = answering('')
    vi.stubGlobal('navigator', {})
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([])
    expect([await removeWorkers(), asked]).toEqual([false, []])
  })

  test('is told to the server although it cannot be removed', async () => {
    const asked = answering('')
    const stuck = { unregister: () => Promise.reject(new Error('stuck')) }
    vi.stubGlobal('navigator', { serviceWorker: { getRegistrations: async () => [stuck] } })
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([])
    expect([await removeWorkers(), asked.length]).toEqual([true, 1])
  })
})
