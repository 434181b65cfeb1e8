import { expect, test } from 'vitest'
import { hero, heroWith, main, openPanelPage, type PanelPage, press, spin, wholeState } from './page-world.ts'

const notices = ({ one }: PanelPage): string => one('.notices').toText()

test('problems have their place, their words and their code; the worst one not told below stands above every page', async () => {
  const errors = [
    { code: 'SW_SPEC', message: 'sprites/x.sprite.json:3:7 Expected a text.', file: 'sprites/x.sprite.json', line: 3, column: 7 },
    { code: 'SW_FAILED', message: 'refused', id: 'hero.walk' },
    { code: 'SW_JOURNAL', message: 'torn', id: 'hero.idle', file: 'a.jsonl', line: 2 },
    { code: 'SW_NO_KEY', message: 'no key' },
  ]
  const page = await openPanelPage('?view=problems', { errors, warnings: ['dear'] })
  const shown = [main(page), notices(page), page.one('nav .badge').toText()]
  await page.do(() => page.one('nav a', 'Sprites').fire('click', { button: 0 }))
  shown.push(notices(page))
  await page.become({ errors: [...errors, { ...errors[0], line: 4, code: 'SW_SPEC_NAME' }] })
  shown.push(notices(page))
  await press(page, 'All 5 problems')
  shown.push(page.one('h1').textContent, location.search)
  await page.become({ errors: [], warnings: ['dear'] })
  shown.push(page.one('nav .badge').toText())
  await page.become({ warnings: [] })
  shown.push(page.one('main').textContent)
  const walking = await openPanelPage('?show=hero.walk', { errors: errors.slice(1, 2) })
  shown.push(notices(walking), walking.one('article [role="alert"]').toText())
  await walking.become({
    errors: [
      { ...errors[1], message: 'elsewhere', id: 'coin.spin' },
      { ...errors[0], file: hero.file },
    ],
  })
  shown.push(notices(walking), walking.one('article [role="alert"]').toText())
  expect(shown).toMatchInlineSnapshot(`
    [
      "
    <main>{<h1 tabIndex=-1>Problems</><ul>
    <li data-tone=bad>{<h2>sprites/x.sprite.json:3:7</>SW_SPEC}<p>Expected a text.</></>
    <li data-tone=bad>{<h2>hero.walk</>SW_FAILED}<p>refused</></>
    <li data-tone=bad>{<h2>hero.idle</>SW_JOURNAL}<p>torn</><p>a.jsonl:2</></>
    <li data-tone=bad>{<h2>SW_NO_KEY</>SW_NO_KEY}<p>no key</></></><ul>
    <li data-tone=warn><p>dear</></></>}</>",
      "{
    <section aria-label=Purchases in work><div role=progressbar aria-label=All purchases in work aria-valuemin=0 aria-valuemax=100 aria-valuenow=10><i style={"width":"10%"}></><p>0 of 3 · 1 waits for your answer</></><div role=alert>}",
      "<span data-tone=bad>5 found</>",
      "{
    <section aria-label=Purchases in work><div role=progressbar aria-label=All purchases in work aria-valuemin=0 aria-valuemax=100 aria-valuenow=10><i style={"width":"10%"}></><p>0 of 3 · 1 waits for your answer</></><div role=alert><div data-tone=bad><p><strong>sprites/x.sprite.json:3:7</> Expected a text.</><button>All 4 problems</></></>}",
      "{
    <section aria-label=Purchases in work><div role=progressbar aria-label=All purchases in work aria-valuemin=0 aria-valuemax=100 aria-valuenow=10><i style={"width":"10%"}></><p>0 of 3 · 1 waits for your answer</></><div role=alert><div data-tone=bad><p><strong>2 specs are broken, see Problems.</> All others can be approved.</><button>All 5 problems</></></>}",
      "Problems",
      "?view=problems",
      "<span data-tone=warn>1 found</>",
      "ProblemsNothing is wrong.",
      "{
    <section aria-label=Purchases in work><div role=progressbar aria-label=All purchases in work aria-valuemin=0 aria-valuemax=100 aria-valuenow=10><i style={"width":"10%"}></><p>0 of 3 · 1 waits for your answer</></><div role=alert>}",
      "<div role=alert><ul>
    <li data-tone=bad>{<h2>hero.walk</>SW_FAILED}<p>refused</></></></>",
      "{
    <section aria-label=Purchases in work><div role=progressbar aria-label=All purchases in work aria-valuemin=0 aria-valuemax=100 aria-valuenow=10><i style={"width":"10%"}></><p>0 of 3 · 1 waits for your answer</></><div role=alert><div data-tone=bad><p><strong>coin.spin</> elsewhere</><button>All 2 problems</></></>}",
      "<div role=alert><ul>
    <li data-tone=bad>{<h2>sprites/hero.sprite.json:3:7</>SW_SPEC}<p>sprites/x.sprite.json:3:7 Expected a text.</></></></>",
    ]
  `)
})

test('notices say why nothing can be bought or done, and what is wrong with the service, which is asked again', async () => {
  const service = { ...wholeState.service, mode: 'unasked', words: 'It is away.', balance: undefined }
  const page = await openPanelPage('', {
    open: [],
    access: { mayAct: true, mayBuy: false, words: 'CI' },
    service,
    ledger: { ...wholeState.ledger, held: '0' },
  })
  const shown = [notices(page), page.one('.purse').textContent]
  const acts: unknown[] = []
  page.store.act = (async (name: unknown) => void acts.push(name)) as never
  await press(page, 'Ask again')
  for (const mode of ['embedded', 'none', 'live']) {
    await page.become({ access: { ...wholeState.access, mayAct: mode !== 'live' }, service: { ...service, mode } })
    shown.push(page.all('.notices button').length.toString(), page.one('.purse').textContent)
  }
  expect([shown, acts]).toMatchInlineSnapshot(`
    [
      [
        "{
    <section aria-label=Purchases in work><div role=progressbar aria-label=All purchases in work aria-valuemin=0 aria-valuemax=100 aria-valuenow=10><i style={"width":"10%"}></><p>0 of 3 · 1 waits for your answer</></><div data-tone=warn><h2>Nothing can be bought from here</><p>CI</></><div data-tone=warn><p>It is away.</><button>Ask again</></><div role=alert>}",
        "",
        "1",
        "play money",
        "0",
        "no service",
        "0",
        "",
      ],
      [
        "quote",
      ],
    ]
  `)
})

test('a new sprite is made from its picture, whose name it proposes, and words; a refusal stays in its dialog', async () => {
  const page = await openPanelPage('', { open: [] })
  await press(page, 'New sprite…')
  const shown = [page.one('dialog').toText()]
  await page.type('What it is, in words', ' a fox ')
  const ready = (): unknown => page.one('dialog .primary').own.get('disabled') ?? false
  const states = [ready()]
  await page.fire('dialog .picture-drop', undefined, 'drop', {
    dataTransfer: { files: [{ name: 'my red.fox!.png', type: 'image/png', size: 1, text: 'fox' }] },
  })
  states.push(ready())
  page.answers.create = new Error('taken')
  await page.fire('dialog .primary', undefined, 'click')
  shown.push(page.one('dialog [role="alert"]').textContent)
  await page.type('Name', ' fox ')
  shown.push(page.one('dialog [role="alert"]').textContent)
  page.answers.create = { revision: 0, id: 'fox.idle' }
  await page.fire('dialog .primary', undefined, 'click')
  shown.push(page.all('dialog').length.toString(), page.all('.toast p')[0]!.textContent, location.search)
  await press(page, 'New sprite…')
  await page.become({ service: { ...wholeState.service, newSprite: undefined } })
  shown.push(page.all('dialog p').at(-1)!.textContent)
  expect([shown, states, page.lines]).toMatchInlineSnapshot(`
    [
      [
        "
    <dialog aria-labelledby=P0-1-title open><h2 tabIndex=-1>A new sprite</>
    <form>{<label for=P0-2>Its picture</><input accept=image/png,image/jpeg,image/webp aria-describedby=P0-2-words><p>Drop it here. PNG, JPEG or WebP, at most 8 MiB.</>}{<label for=P0-3>Name</><input aria-invalid=false required>}{<label for=P0-4>What it is, in words</><textarea aria-invalid=false required rows=2>}<div role=alert>{<button disabled>Make it</><button>Cancel</>}<p>Writes a spec with one animation, which would cost 1.6 credits. You can change words and frames first; nothing is bought before you approve it.</></></>",
        "The dev server does not answer (taken). Check in its terminal that it still runs.",
        "",
        "0",
        "fox is made, with one animation. Nothing is bought before you approve it.",
        "?show=fox.idle",
        "Writes a spec with one animation. You can change words and frames first; nothing is bought before you approve it.",
      ],
      [
        true,
        false,
      ],
      [
        "create {"name":"my-red-fox","prompt":"a fox","picture":"Zm94"}",
        "create {"name":"fox","prompt":"a fox","picture":"Zm94"}",
      ],
    ]
  `)
})

test('another animation is added with its words and so many frames, at the price of those that are alike', async () => {
  const page = await openPanelPage('?show=hero.walk', heroWith({}, { played: [], takes: [], flags: [] }))
  await press(page, 'Add an animation…')
  const shown = [page.one('dialog').toText()]
  const hints: string[] = []
  const note = (): void =>
    void hints.push(`${page.one('dialog .primary').own.get('disabled') ?? false} ${page.all('dialog p').at(-1)!.textContent}`)
  note()
  await page.type('Name', 'roll')
  await page.type('What it does, in words', 'rolls')
  for (const frames of ['6', '7', '7.5', '9', '100', '101', '8']) {
    await page.type('Frames, 7 to 100', frames)
    note()
  }
  page.answers.add = new Error('taken')
  await page.fire('dialog .primary', undefined, 'click')
  shown.push(page.one('dialog [role="alert"]').textContent)
  page.answers.add = { revision: 0, digest: 'after' }
  await page.fire('dialog .primary', undefined, 'click')
  shown.push(page.all('dialog').length.toString(), page.all('.toast p')[0]!.textContent, location.search)
  expect([shown, hints, page.lines]).toMatchInlineSnapshot(`
    [
      [
        "
    <dialog aria-labelledby=P0-16-title open><h2 tabIndex=-1>Another animation of hero</>
    <form>{<label for=P0-17>Name</><input aria-invalid=false required>}{<label for=P0-18>What it does, in words</><textarea aria-invalid=false required rows=2>}{<label for=P0-19>Frames, 7 to 100</><input aria-invalid=false min=7 max=100 required value=8>}<div role=alert>{<button disabled>Add it</><button>Cancel</>}<p>Writes it into the spec. It would cost 1.6 credits. Nothing is bought before you approve it.</></></>",
        "The dev server does not answer (taken). Check in its terminal that it still runs.",
        "0",
        "hero.roll is added. Nothing is bought before you approve it. Written to sprites/hero.sprite.json.",
        "?show=hero.roll",
      ],
      [
        "true Writes it into the spec. It would cost 1.6 credits. Nothing is bought before you approve it.",
        "true Writes it into the spec and shows its price. Nothing is bought before you approve it.",
        "false Writes it into the spec and shows its price. Nothing is bought before you approve it.",
        "true Writes it into the spec and shows its price. Nothing is bought before you approve it.",
        "false Writes it into the spec. It would cost 2.4 credits. Nothing is bought before you approve it.",
        "false Writes it into the spec and shows its price. Nothing is bought before you approve it.",
        "true Writes it into the spec and shows its price. Nothing is bought before you approve it.",
        "false Writes it into the spec. It would cost 1.6 credits. Nothing is bought before you approve it.",
      ],
      [
        "add {"sprite":"hero","name":"roll","prompt":"rolls","frames":8,"digest":"d1"}",
        "add {"sprite":"hero","name":"roll","prompt":"rolls","frames":8,"digest":"d1"}",
      ],
    ]
  `)
})

test('the keys are shown by a question mark, except where a person types; the theme is kept, and so is the place', async () => {
  const page = await openPanelPage('', { open: [] })
  const isOpen = (): boolean => page.all('dialog').length > 0
  const states: unknown[] = []
  const type = (selector: string, key: string): Promise<void> => page.do(() => page.all(selector)[0]!.fire('keydown', { key }))
  for (const [selector, key] of [
    ['search input', '?'],
    ['h1', 'x'],
    ['h1', '?'],
  ] as const) {
    await type(selector, key)
    states.push(isOpen())
  }
  states.push(page.one('dialog table').textContent)
  await press(page, 'Close')
  states.push(isOpen())
  const { documentElement } = page.document as unknown as { documentElement: object }
  states.push(JSON.stringify(documentElement))
  await press(page, 'Use the light theme')
  states.push(JSON.stringify(documentElement), page.document.cookie)
  Object.assign(location, { search: '?view=nothing&show=coin.spin' })
  await page.do(() => (window as unknown as { fire(type: string): void }).fire('popstate'))
  states.push(page.one('h1').textContent)
  await page.do(() => page.one('.visually-hidden', 'Skip to the content').fire('click'))
  states.push((page.document as unknown as { activeElement: { textContent: string } }).activeElement.textContent)
  await page.become({ sprites: [{ ...wholeState.sprites[1], animations: [spin] }] })
  expect(states).toMatchInlineSnapshot(`
    [
      false,
      false,
      true,
      "list↑ ↓ Home Endgo from line to line, to the first, to the lastlist← →go to the box of a line, its link, the name of its spritepreviewSpaceplays and pausespreview← →step by one frame; on the anchor, all arrows move itpreview+ − Ozoom; show the neighbouring framesfilm stripDeletedrops a framefilm stripAlt ← →moves a frame",
      false,
      "{"dataset":{"theme":"dark"},"style":{"colorScheme":"dark"}}",
      "{"dataset":{"theme":"light"},"style":{"colorScheme":"light"}}",
      "spritewright-theme=light; path=/; max-age=31536000; samesite=strict",
      "coin.spin",
      "coin.spin",
    ]
  `)
})
