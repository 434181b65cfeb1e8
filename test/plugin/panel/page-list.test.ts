import { expect, test } from 'vitest'
import { coin, hero, openPanelPage, type PanelPage, wholeState } from './page-world.ts'

/** The requests of the list, those of a group behind its name. */
const listed = ({ all }: PanelPage): readonly string[] =>
  all('.list section').map((group) =>
    [group.own.get('aria-label'), ...group.querySelectorAll('.grow').map((name) => name.textContent)].join(' '),
  )
const listPane = ({ one }: PanelPage): string => one('.list-pane').toText()
const tickAll = (page: PanelPage, checked: boolean): Promise<void> =>
  page.do(() => {
    const box = page.one('.approval-bar input')
    box.checked = checked
    box.fire('change')
  })

test('the page has its project, its views, its credits, and every request with its state, its faults and its price', async () => {
  const page = await openPanelPage('?show=hero.jump', { open: [] })
  expect([page.document.title, page.one('header.top').toText(), page.one('.notices').toText(), listPane(page)]).toMatchInlineSnapshot(`
    [
      "(6) castle · spritewright",
      "
    <header><a href=?show=hero.jump>Skip to the content</><p><strong>castle</>spritewright</><nav aria-label=Views><ul>
    <li><a href=? aria-current=page>Sprites</></>
    <li><a href=?view=wall>Wall</></>
    <li><a href=?view=atlases>Atlases</></>
    <li><a href=?view=ledger>Ledger</></>
    <li><a href=?view=problems>Problems</></></></>{test key<span title=api.example>50 credits available</><span title=The service holds 1.8 credits for purchases in work. The available credits do not include them.>1.8 held for purchases</><button aria-label=Show the keys title=Show the keys (?)>?</><button aria-label=Use the light theme title=Use the light theme>}</>",
      "{
    <section aria-label=Purchases in work><div role=progressbar aria-label=All purchases in work aria-valuemin=0 aria-valuemax=100 aria-valuenow=10><i style={"width":"10%"}></><p>0 of 3 · 1 waits for your answer</></><div role=alert>}",
      "{<search><input placeholder=Find a sprite aria-label=Find a sprite><button>New sprite…</><select aria-label=Show value=all><option value=all>All</><option value=open>Waits for me</><option value=flagged>Flagged</><option value=placeholder>Placeholders</><option value=superseded>Superseded</><option value=bought>Bought (1)</><option value=missing>Not bought (3)</><option value=running>In work (1)</><option value=question>Asks (1)</><option value=own>Own art (1)</></><select aria-label=Order value=name><option value=name>By name</><option value=price>By price</></></>{<div data-part>
    <section aria-label=hero>
    <header><canvas><h2><a href=?show=hero.walk tabIndex=-1>hero</></></><ul>
    <li><a href=?show=hero.walk tabIndex=-1>walk<span data-tone=warn title=2 possible faults><span aria-hidden=true>⚑2</>2 possible faults</><span data-tone=good>bought</></></>
    <li><input tabIndex=-1 aria-label=Choose hero.idle for approval><a href=?show=hero.idle tabIndex=-1>idle<span data-tone=warn>not bought</>2.4</></>
    <li data-shown><a href=?show=hero.jump tabIndex=0 aria-current=true>jump<span data-tone=busy>being drawn, 30 %</></><div role=progressbar aria-label=hero.jump: being drawn, 30 % aria-valuemin=0 aria-valuemax=100 aria-valuenow=30><i style={"width":"30%"}></></>
    <li><input tabIndex=-1 aria-label=Choose hero.portrait for approval><a href=?show=hero.portrait tabIndex=-1>portrait<span data-tone=warn>asks</>10</></></></>
    <section aria-label=coin>
    <header><canvas><h2><a href=?show=coin.turn tabIndex=-1>coin</></></><ul>
    <li><input tabIndex=-1 aria-label=Choose coin.turn for approval><a href=?show=coin.turn tabIndex=-1>turn<span data-tone=warn>not bought</></></>
    <li><input tabIndex=-1 aria-label=Choose coin.spin for approval><a href=?show=coin.spin tabIndex=-1>spin<span data-tone=warn>not bought</>12.5</></></></>
    <section aria-label=chest>
    <header><canvas><h2><a href=?show=chest.open tabIndex=-1>chest</></></><ul>
    <li><a href=?show=chest.open tabIndex=-1>open<span data-tone=good>own art</></></></></></>
    <section aria-label=Reference pictures><h2>Reference pictures</><div data-part><ul>
    <li><a href=?show=coin%231 tabIndex=-1>coin#1 · text to image<span data-tone=warn>not bought</>1</></>
    <li><a href=?show=hero%232 tabIndex=-1>hero#2 · background remove<span data-tone=busy>in work</></><div role=progressbar aria-label=hero#2: in work aria-valuemin=0 aria-valuemax=100><i></></></></></>
    <section aria-label=Earlier requests><h2>Earlier requests</><div data-part><ul>
    <li><a href=?show=hero.run%401a2b tabIndex=-1>hero.run<span data-tone=bad>not known</></></></></></>}{<label><input>All 4 to buy</>25.9 credits in all<button disabled>Tick to approve</>}}",
    ]
  `)
})

test('the list shows what fits the words and the filter, by name or by price, the dearest first and what has none last', async () => {
  const page = await openPanelPage('', { open: [] })
  const all = listed(page)
  await page.choose('Order', 1)
  const byPrice = listed(page)
  const found: Record<string, readonly string[]> = { all, byPrice }
  for (const at of [1, 2, 3, 4, 5, 7]) {
    await page.choose('Show', at)
    found[page.one('select', 'Show').childNodes[at]!.textContent] = listed(page)
  }
  await page.choose('Show', 0)
  for (const words of [' SRC/art', 'HERO.J', '#1', 'nothing']) {
    await page.do(() => {
      const search = page.one('input', 'Find a sprite')
      search.value = words
      search.fire('input')
    })
    found[words] = [...listed(page), ...page.all('.list p').map((line) => line.textContent)]
  }
  expect(found).toMatchInlineSnapshot(`
    {
      " SRC/art": [
        "coin spin turn",
      ],
      "#1": [
        "Reference pictures coin#1 · text to image",
      ],
      "Bought (1)": [
        "hero walk",
      ],
      "Flagged": [
        "hero walk",
      ],
      "HERO.J": [
        "hero jump",
      ],
      "In work (1)": [
        "hero jump",
        "Reference pictures hero#2 · background remove",
      ],
      "Placeholders": [
        "coin spin",
        "hero idle",
      ],
      "Superseded": [
        "hero jump",
      ],
      "Waits for me": [
        "coin spin turn",
        "hero portrait idle",
        "Reference pictures coin#1 · text to image",
        "Earlier requests hero.run",
      ],
      "all": [
        "hero walk idle jump portrait",
        "coin turn spin",
        "chest open",
        "Reference pictures coin#1 · text to image hero#2 · background remove",
        "Earlier requests hero.run",
      ],
      "byPrice": [
        "coin spin turn",
        "hero portrait idle walk jump",
        "chest open",
        "Reference pictures coin#1 · text to image hero#2 · background remove",
        "Earlier requests hero.run",
      ],
      "nothing": [
        "Nothing fits. Clear the search to see all.",
      ],
    }
  `)
  await page.become({ sprites: [], steps: [], orphans: [], open: [] })
  expect(page.one('.list p').textContent).toContain('npx spritewright init')
})

test('what is ticked is summed with the steps that it needs, and approved by its names; what has no price is counted', async () => {
  const page = await openPanelPage('', { open: [] })
  const bar = (): string => page.one('.approval-bar').textContent.trim()
  const bars = [bar()]
  await page.tick('Choose hero.idle for approval', true)
  bars.push(bar())
  await page.tick('Choose coin.spin for approval', true)
  bars.push(bar())
  await page.tick('Choose hero.idle for approval', false)
  bars.push(bar())
  await tickAll(page, true)
  bars.push(bar())
  await page.become({ sprites: wholeState.sprites.filter(({ name }) => name !== 'coin') })
  bars.push(bar())
  await page.fire('.approval-bar button', undefined, 'click')
  expect([bars, page.acts]).toMatchInlineSnapshot(`
    [
      [
        "All 4 to buy25.9 credits in allTick to approve",
        "All 4 to buy2.4 creditsApprove 1…",
        "All 4 to buy15.9 creditsApprove 2…",
        "All 4 to buy13.5 creditsApprove 1…",
        "All 4 to buy4 animationsApprove 4…",
        "All 2 to buy12.4 creditsApprove 2…",
      ],
      [
        [
          "offer",
          {
            "adopt": false,
            "ids": [
              "hero.idle",
              "hero.portrait",
            ],
          },
        ],
      ],
    ]
  `)
  await tickAll(page, false)
  expect(bar()).toBe(bars.at(0)!.replace('4', '2'))
})

test('a page that may not act or buy makes and approves nothing', async () => {
  const page = await openPanelPage('', { access: { mayAct: false, mayBuy: false, words: 'Only to look at.' }, open: [] })
  await page.tick('Choose hero.idle for approval', true)
  const disabled = page.all('button').filter((button) => button.own.get('disabled') === true)
  expect([disabled.map((button) => button.textContent), page.one('.notices h2').textContent, page.acts]).toEqual([
    ['New sprite…', 'Approve 1…'],
    'Read-only',
    [],
  ])
})

test('a link opens its place, unless the browser is asked for a new tab; the list keeps one stop for Tab', async () => {
  const page = await openPanelPage('?show=hero.idle', { open: [] })
  const stop = (): unknown =>
    page
      .all('.list a, .list input')
      .filter((one) => one.tabIndex === 0)
      .map((one) => one.own.get('href'))
  expect(stop()).toEqual(['?show=hero.idle'])
  await page.do(() => page.one('.paid a', 'spinnot bought12.5').fire('click', { button: 0, ctrlKey: true }))
  expect(page.one('h1').textContent).toBe('hero.idle')
  await page.do(() => page.one('.paid a', 'spinnot bought12.5').fire('click', { button: 0 }))
  expect(page.one('h1').textContent).toBe('coin.spin')
  const line = page.one('.paid a', 'spinnot bought12.5')
  const key = async (name: string, more: object = {}): Promise<string> => {
    await page.do(() => (page.document as unknown as { activeElement: typeof line }).activeElement.fire('keydown', { key: name, ...more }))
    const at = (page.document as unknown as { activeElement: typeof line }).activeElement
    return String(at.own.get('href') ?? at.own.get('aria-label'))
  }
  await page.do(() => line.focus())
  const places = []
  for (const name of ['ArrowUp', 'ArrowUp', 'ArrowLeft', 'ArrowDown', 'ArrowRight', 'End', 'ArrowDown', 'Home', 'ArrowUp', 'x'])
    places.push(`${name} ${await key(name)}`)
  places.push(await key('ArrowDown', { altKey: true }))
  expect([stop(), places]).toMatchInlineSnapshot(`
    [
      [
        "?show=hero.walk",
      ],
      [
        "ArrowUp ?show=coin.turn",
        "ArrowUp ?show=hero.portrait",
        "ArrowLeft Choose hero.portrait for approval",
        "ArrowDown Choose coin.turn for approval",
        "ArrowRight ?show=coin.turn",
        "End ?show=hero.run%401a2b",
        "ArrowDown ?show=hero.run%401a2b",
        "Home ?show=hero.walk",
        "ArrowUp ?show=hero.walk",
        "x ?show=hero.walk",
        "?show=hero.walk",
      ],
    ]
  `)
})

test('before there is a state, the page has the names of all sprites, and says where to look if the server is lost', async () => {
  const never = new Promise<never>(() => {})
  const waiting = await openPanelPage('', {}, { state: () => never })
  expect(waiting.text()).toMatchInlineSnapshot(`
    "<body><p>Loading…</><ul><div data-part>
    <li>hero</>
    <li>coin</></></><p role=status></>"
  `)
  const lost = await openPanelPage('', {}, { state: async () => Promise.reject(new Error('gone')) })
  expect(lost.all('p').map((line) => line.textContent)).toEqual(['The dev server does not answer. See its terminal.', ''])
})

test('the page asks for prices when it may, again when an unbought request has none yet, and never without a service', async () => {
  const asked: string[] = []
  const act = (async (name: string) => {
    asked.push(name)
    return {}
  }) as never
  const page = await openPanelPage('', { sprites: [hero], steps: [], open: [] }, { act })
  const counts = [asked.length]
  for (const change of [{ warnings: ['x'] }, { sprites: [hero, coin] }, { sprites: [coin] }, { sprites: [hero] }]) {
    await page.become(change)
    counts.push(asked.length)
  }
  await page.become({ service: { ...wholeState.service, mode: 'none' } })
  await page.become({ service: wholeState.service })
  await page.become({ access: { ...wholeState.access, mayAct: false } })
  expect([counts, asked.length, new Set(asked)]).toEqual([[1, 1, 2, 2, 3], 4, new Set(['quote'])])
})
