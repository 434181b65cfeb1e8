import { expect, test, vi } from 'vitest'
import { hero, main, openPanelPage, press } from './page-world.ts'

const line = (id: string, own: object) => ({
  id,
  hash: '',
  attempt: 1,
  state: 'settled',
  credits: '1',
  at: 0,
  origin: 'here',
  isPicture: false,
  executionId: 'e',
  ...own,
})
const day = Date.UTC(2026, 2, 2, 12)
const lines = [
  line('hero.walk', { credits: '2', at: day, take: 2, given: 'clicked' }),
  line('hero.idle', { credits: '4', at: day + 3_600_000, attempt: 2 }),
  line('coin.spin', { state: 'held', credits: '1', at: day + 7_200_000 }),
  line('coin.turn', { state: 'uncertain', credits: '1.5', at: day + 7_200_000, origin: 'elsewhere' }),
  line('gem.turn', { state: 'restored', at: 0 }),
  line('coin#1', { credits: '0.5', at: day + 90_000_000 }),
]

test('the ledger has its sums, its chart and each line, the latest first; without a line, and without an answer, it says so', async () => {
  vi.stubEnv('TZ', 'UTC')
  const page = await openPanelPage('?view=ledger', {}, { ledger: async () => ({ lines }) as never })
  expect(main(page)).toMatchInlineSnapshot(`
    "
    <main>{<h1 tabIndex=-1>Ledger</><dl>{<dt>Paid</><dd>4</>}{<dt>Held now</><dd>1.8</>}<div data-none><dt>Given back</><dd>0</></>{<dt>Not known</><dd>0.5</>}{<dt>Elsewhere</><dd>3</>}</><div role=alert>
    <figure><figcaption>Credits paid over time</><svg viewBox=0 0 480 200 role=img aria-label=Credits paid over time, 4 credits in all; the table below lists each purchase.><g><path d=M44 176H468><text x=38 y=180 text-anchor=end>0</></><g><path d=M44 93H468><text x=38 y=97 text-anchor=end>5</></><g><path d=M44 10H468><text x=38 y=14 text-anchor=end>10</></><path d=M44 176H44V142.8H61V76.4H468V68.1V176z><path d=M44 176H44V142.8H61V76.4H468V68.1><circle cx=44 cy=142.8 r=3><title>2 Mar 2026, 12:00: hero.walk, 2 credits so far</></><circle cx=61 cy=76.4 r=3><title>2 Mar 2026, 13:00: hero.idle, 6 credits so far</></><circle cx=468 cy=68.1 r=3><title>3 Mar 2026, 13:00: coin#1, 6.5 credits so far</></><text x=44 y=194>2 Mar 2026</><text x=468 y=194 text-anchor=end>3 Mar 2026</></></>
    <section tabIndex=0 aria-labelledby=entries-title><table><caption>Every purchase, the latest first, in credits</><thead>
    <tr><th scope=col>When</><th scope=col>What</><th scope=col>State</><th scope=col>Credits</><th scope=col>Paid so far</></></><tbody data-part>
    <tr><td>3 Mar 2026, 13:00</><th scope=row>coin#1</><td>paid</><td title=0.5 credits>0.5</><td>6.5</></>
    <tr><td>–</><th scope=row>gem.turn</><td data-tone=soft>given back</><td title=1 credit>1</><td>6</></>
    <tr><td>2 Mar 2026, 14:00</><th scope=row>coin.turn · bought elsewhere</><td data-tone=bad>not known</><td title=1.5 credits>1.5</><td>6</></>
    <tr><td>2 Mar 2026, 14:00</><th scope=row>coin.spin</><td data-tone=busy>held</><td title=1 credit>1</><td>6</></>
    <tr><td>2 Mar 2026, 13:00</><th scope=row>hero.idle · attempt 2</><td>paid</><td title=4 credits>4</><td>6</></>
    <tr><td>2 Mar 2026, 12:00</><th scope=row>hero.walk · take 2 · approved: clicked</><td>paid</><td title=2 credits>2</><td>2</></></></></>}</>"
  `)
  const other = await openPanelPage('?view=ledger')
  expect(other.one('main').textContent).toContain('Nothing was bought yet')
  const lost = await openPanelPage('?view=ledger', {}, { ledger: async () => Promise.reject(new Error('no ledger')) })
  expect(lost.one('main [role="alert"]').textContent).toBe('no ledger')
  vi.unstubAllEnvs()
})

test('the atlases show each page with what fills it, and what lies on it unless it is hidden', async () => {
  const frame = { page: 0, x: 2, y: 3, width: 4, height: 5, name: 'a', isTurned: false }
  const hull = [
    { x: 1, y: 2 },
    { x: 3, y: 4 },
  ]
  const packed = {
    atlases: [
      {
        ...{
          name: 'units',
          scale: 2,
          frames: [
            { ...frame, hull, slices: { x: [3, 5], y: [4] } },
            { ...frame, name: 'b', page: 1, isTurned: true },
          ],
        },
        pages: ['x', 'y'].map((url, at) => ({ url, width: 20 + at, height: 10, bytes: 1536, filled: 0.156 })),
      },
      { name: 'units', scale: 1, frames: [frame], pages: [{ url: 'z', width: 10, height: 5, bytes: 10, filled: 1 }] },
    ],
  }
  const asked: number[] = []
  const atlases = (async () => {
    asked.push(1)
    return packed
  }) as never
  const page = await openPanelPage('?view=atlases', {}, { atlases })
  const shown = [main(page)]
  for (const label of ['Frames', 'Outlines', 'Nine-slices']) await page.tick(label, false)
  shown.push(
    page
      .all('main svg')
      .map((one) => one.childNodes.map((child) => child.toText()).join())
      .join(),
  )
  await page.become({ warnings: ['x'] })
  const count = asked.length
  await page.become({ sprites: [{ ...hero, art: 'p2' }] })
  expect([shown, count, asked.length]).toMatchInlineSnapshot(`
    [
      [
        "
    <main>{{<h1 tabIndex=-1>Atlases</>{<label><input checked>Frames</><label><input checked>Outlines</><label><input checked>Nine-slices</>}}<div role=alert>{
    <section aria-labelledby=P0-1>{<h2>units @2×</>2 frames on 2 pages}{
    <figure><figcaption>20 × 10 px · 1.5 KiB · 16 % filled</><div data-ground=checker><img src=x width=20 height=10 alt=Page 1 of units @2× loading=lazy><svg viewBox=0 0 20 10 aria-hidden=true><g><title>a: 4 × 5 at 2, 3</><rect data-tone=busy x=2 y=3 width=4 height=5><polygon data-tone=good points=1,2 3,4><path data-tone=bad d=M3 3v5M5 3v5M2 4h4></></></></>
    <figure><figcaption>21 × 10 px · 1.5 KiB · 16 % filled</><div data-ground=checker><img src=y width=21 height=10 alt=Page 2 of units @2× loading=lazy><svg viewBox=0 0 21 10 aria-hidden=true><g><title>b: 4 × 5 at 2, 3, turned</><rect data-tone=busy x=2 y=3 width=4 height=5></></></></>}</>
    <section aria-labelledby=P0-2>{<h2>units</>1 frame on 1 page}{
    <figure><figcaption>10 × 5 px · 0.0 KiB · 100 % filled</><div data-ground=checker><img src=z width=10 height=5 alt=Page 1 of units loading=lazy><svg viewBox=0 0 10 5 aria-hidden=true><g><title>a: 4 × 5 at 2, 3</><rect data-tone=busy x=2 y=3 width=4 height=5></></></></>}</>}}</>",
        "<g><title>a: 4 × 5 at 2, 3</><rect x=2 y=3 width=4 height=5></>,<g><title>b: 4 × 5 at 2, 3, turned</><rect x=2 y=3 width=4 height=5></>,<g><title>a: 4 × 5 at 2, 3</><rect x=2 y=3 width=4 height=5></>",
      ],
      1,
      2,
    ]
  `)
})

test('the wall shows every animation with its state, and plays all or none', async () => {
  const page = await openPanelPage('?view=wall')
  const shown = [main(page)]
  await press(page, 'Play all')
  for (const now of [0, 150]) await page.draw(now)
  shown.push(JSON.stringify(page.all('canvas')[0]!.drawn), page.one('main button').textContent)
  await page.become({ sprites: [] })
  shown.push(main(page))
  expect(shown).toMatchInlineSnapshot(`
    [
      "
    <main>{{<h1 tabIndex=-1>Wall</><button>Play all</>}{<div data-part><ul>
    <li><a href=?show=hero.walk><div data-ground=checker><canvas role=img aria-label=hero.walk plays></>hero.walk<span data-tone=good>bought</></></>
    <li><a href=?show=hero.idle><div data-ground=checker><canvas role=img aria-label=hero.idle plays></>hero.idle<span data-tone=warn>not bought</></></>
    <li><a href=?show=hero.jump><div data-ground=checker><canvas role=img aria-label=hero.jump plays></>hero.jump<span data-tone=busy>being drawn, 30 %</></></>
    <li><a href=?show=hero.portrait><div data-ground=checker><canvas role=img aria-label=hero.portrait plays></>hero.portrait<span data-tone=warn>asks</></></>
    <li><a href=?show=coin.turn><div data-ground=checker>coin.turn<span data-tone=warn>not bought</></></>
    <li><a href=?show=coin.spin><div data-ground=checker>coin.spin<span data-tone=warn>not bought</></></>
    <li><a href=?show=chest.open><div data-ground=checker>chest.open<span data-tone=good>own art</></></></></>}}</>",
      "[["clearRect",0,0,8,9],["imageSmoothingEnabled",false],["drawImage","pages/p1.png",0,2,4,5,1,2,4,5]]",
      "Pause all",
      "
    <main>{{<h1 tabIndex=-1>Wall</><button>Pause all</>}<p>No spec was found. "npx spritewright init" writes a first one.</>{}}</>",
    ]
  `)
})
