import { expect, test } from 'vitest'
import { Refused } from '../../../plugin/panel/ui/state/api.ts'
import { dialog, isOff, openPanelPage, press, said, wholeState } from './page-world.ts'

test('an outcome that nobody knows is decided for exactly the purchase that is shown, once a dialog has asked', async () => {
  const page = await openPanelPage('?show=hero.run%401a2b')
  const shown = page.one('article').toText()
  await press(page, 'Send it again…')
  const asking = dialog(page)
  await page.fire('dialog .primary', undefined, 'click')
  const again = said(page)
  await press(page, 'Give it up…')
  await press(page, 'Cancel')
  await press(page, 'Give it up…')
  await page.fire('dialog .primary', undefined, 'click')
  expect([shown, asking, again, said(page), page.lines]).toMatchInlineSnapshot(`
    [
      "
    <article>
    <header>{<h1 tabIndex=-1>hero.run@1a2b</><span data-tone=bad>not known</>}<p>runs</><p>hero.run, requested by an earlier version of its spec</></>
    <section data-tone=bad aria-labelledby=P0-1-title><h2>It is unknown whether this was bought</><p>It was sent and never answered. Until this is decided, 2 credits count as spent and nothing more is sent.</>{<button>Send it again…</><button>Give it up…</>}</><div role=alert>
    <section aria-labelledby=P0-2>{<h2>Credits</>}<p>Nobody knows.</><dl>{<dt>Ceiling</><dd>2 credits</>}</></></>",
      "
    <dialog aria-labelledby=P0-4-title open><h2 tabIndex=-1>Send hero.run@1a2b again?</><p>The same bytes go out under the same key. If it was bought and the service knows the key, you get what was bought. If the service has forgotten the key, you pay a second time, at most 2 credits.</>{<button>Cancel</><button>Send it again</>}</>",
      "hero.run@1a2b is sent again.",
      "hero.run@1a2b is given up.",
      [
        "recover {"id":"hero.run@1a2b","hash":"HASH","attempt":3,"about":"submission","decision":"replay"}",
        "recover {"id":"hero.run@1a2b","hash":"HASH","attempt":3,"about":"submission","decision":"abandon"}",
      ],
    ]
  `)
  page.answers.recover = new Refused({ error: { code: 'SW_CHANGED', message: 'It was decided.' } })
  await press(page, 'Give it up…')
  await page.fire('dialog .primary', undefined, 'click')
  expect([page.one('.notices [role="alert"]').textContent, said(page)]).toEqual(['It was decided.Dismiss', 'hero.run@1a2b is given up.'])
  expect([isOff(page, 'Send it again…'), isOff(page, 'Give it up…')]).toEqual([false, false])
  await page.become({ errors: [{ code: 'SW_SPEC', message: 'It is broken.', file: 'a.sprite.json', line: 3 } as never] })
  expect(page.one('.notices [role="alert"]').textContent).toMatch(/It is broken\..*It was decided\.Dismiss$/)
  await page.become({ access: { mayAct: true, mayBuy: false, words: 'CI' } })
  expect([isOff(page, 'Send it again…'), isOff(page, 'Give it up…')]).toEqual([true, true])
})

test('a question is answered with words, and with the picture that it asks for; it is on its way until a newer state comes', async () => {
  const page = await openPanelPage('?show=hero.portrait')
  const label = () => page.one('form .primary').toText()
  const file = (own: object) => ({ name: 'left hand.png', type: 'image/png', size: 5, text: 'hand', ...own })
  const drop = (own: object) => page.fire('form .picture-drop', undefined, 'drop', { dataTransfer: { files: [file(own)] } })
  const words = (): string => page.one('form .picture-drop p').textContent
  const steps = [page.one('form').toText()]
  await page.type('Your answer', '  the left one ')
  steps.push(label())
  for (const own of [{ type: 'image/gif' }, { size: 8 * 2 ** 20 + 1 }, { isBroken: true }, { size: 8 * 2 ** 20 }]) {
    await drop(own)
    steps.push(words())
  }
  steps.push(label())
  page.answers.answer = { revision: 10 }
  await page.fire('form button.primary', undefined, 'click')
  steps.push(label(), said(page))
  await page.become({})
  steps.push(label())
  await page.become({ access: { ...wholeState.access, mayBuy: false } })
  steps.push(label())
  expect([steps, page.lines]).toMatchInlineSnapshot(`
    [
      [
        "
    <form data-tone=warn aria-labelledby=P0-0-title><h2>The service asks</><blockquote>Which hand?</>{<label for=P0-1>Your answer</><textarea aria-invalid=false required rows=3>}{<label for=P0-2>A picture, which the question asks for</><input accept=image/png,image/jpeg,image/webp aria-describedby=P0-2-words><p>Drop it here. PNG, JPEG or WebP, at most 8 MiB.</>}{<button disabled>Send the answer</>Answering costs nothing more. The credits that are held now pay for the result.}</>",
        "<button disabled>Send the answer</>",
        "left hand.png is no PNG, JPEG or WebP picture. Choose another.",
        "left hand.png has 8.0 MiB, more than 8. Choose a smaller one.",
        "left hand.png is no PNG, JPEG or WebP picture. Choose another.",
        "left hand.png is chosen.",
        "<button>Send the answer</>",
        "<button disabled>On its way</>",
        "Your answer for hero.portrait is on its way.",
        "<button>Send the answer</>",
        "<button disabled>Send the answer</>",
      ],
      [
        "answer {"id":"hero.portrait","hash":"HASH","questionId":"q1","text":"the left one","asset":{"name":"left hand.png","base64":"aGFuZA=="}}",
      ],
    ]
  `)
})

test('what is approved is taken back after a question, a picture is cancelled, and a step is approved with all that need it', async () => {
  const page = await openPanelPage('?show=hero.jump')
  const boxes = [page.one('section.card .facts').toText()]
  page.answers.revoke = { revision: 0, words: 'Taken back: hero.jump.' }
  await press(page, 'Take back…')
  boxes.push(dialog(page))
  await page.fire('dialog .primary', undefined, 'click')
  boxes.push(said(page))
  page.answers.cancel = { revision: 0, status: 'completed' }
  await page.do(() => page.one('.paid a[href="?show=hero.portrait"]').fire('click', { button: 0 }))
  boxes.push(page.all('.narrow section')[0]!.toText())
  await press(page, 'Cancel')
  boxes.push(said(page))
  page.answers.cancel = { revision: 0, status: 'cancelled' }
  await press(page, 'Cancel')
  boxes.push(said(page))
  for (const step of ['coin%231', 'hero%232']) {
    await page.do(() => page.one(`.paid a[href="?show=${step}"]`).fire('click', { button: 0 }))
    boxes.push(page.one('article').toText())
  }
  await press(page, 'Cancel')
  await page.do(() => page.one('.paid a[href="?show=coin%231"]').fire('click', { button: 0 }))
  await press(page, 'Approve what coin needs…')
  expect([boxes, page.lines]).toMatchInlineSnapshot(`
    [
      [
        "<dl>{<dt>Approved</><dd>clicked</>}{<dt>Held</><dd>1.8 credits</>}</>",
        "
    <dialog aria-labelledby=P0-16-title open><h2 tabIndex=-1>Take the approval of hero.jump back?</><p>Nothing more is bought for hero.jump, neither for its present prompt nor for an earlier one. This also takes back its steps hero#2: nothing else that needs them is bought. A request that was sent already continues.</>{<button>Cancel</><button>Take back</>}</>",
        "Taken back: hero.jump.",
        "
    <section aria-labelledby=P0-21>{<h2>Credits</>}<p>It asks.</><dl>{<dt>Price</><dd>10 credits</>}</><button>Approve 10 credits…</><button>Cancel</></>",
        "hero.portrait was not cancelled: the service says completed.",
        "hero.portrait is cancelled.",
        "
    <article>
    <header>{<h1 tabIndex=-1>coin#1</><span data-tone=warn>not bought</>}<p>a coin</><p>text to image, for coin</></><div role=alert>
    <section aria-labelledby=P0-24>{<h2>Credits</>}<p>It is needed.</><dl>{<dt>Price</><dd>1 credit</>}</><button>Approve what coin needs…</></></>",
        "
    <article>
    <header>{<h1 tabIndex=-1>hero#2</><span data-tone=busy>in work</>}<p><p>background remove, for hero</></><div role=alert>
    <section aria-labelledby=P0-27>{<h2>Credits</>}<p>It is in work.</><div role=progressbar aria-label=hero#2: in work aria-valuemin=0 aria-valuemax=100><i></><dl><button>Cancel</></></>",
      ],
      [
        "revoke {"id":"hero.jump","hash":"HASH"}",
        "cancel {"id":"hero.portrait","hash":"HASH"}",
        "cancel {"id":"hero.portrait","hash":"HASH"}",
        "cancel {"id":"hero#2","hash":"HASH"}",
        "offer {"ids":["coin.turn","coin.spin"],"adopt":false}",
      ],
    ]
  `)
})

test('what programs ask is shown with its reason; it is approved by its names, or dismissed', async () => {
  const requests = [
    { id: 'r1', verb: 'approve', names: ['hero', 'coin'], credits: '3', why: 'The level needs them.', from: 'mcp', at: 0 },
    { id: 'r2', verb: 'answer', names: ['hero.portrait'], why: 'It waits.', from: 'shell', at: 0 },
  ]
  const page = await openPanelPage('', { requests, open: [] })
  const lines = page.all('section.notice').map((one) => one.textContent)
  await press(page, 'Approve…')
  await page.do(() => page.all('section.notice button', 'Dismiss')[1]!.fire('click'))
  expect([lines, page.acts]).toEqual([
    [
      'approve hero coin, about 3 credits: “The level needs them.” A tool of an agent, –Approve…Dismiss',
      'answer hero.portrait: “It waits.” The shell of an agent, –Dismiss',
    ],
    [
      ['offer', { ids: ['hero', 'coin'], adopt: false }],
      ['dismiss', { id: 'r2' }],
    ],
  ])
  await page.become({ access: { mayAct: true, mayBuy: false, words: 'CI' } })
  expect(isOff(page, 'Approve…')).toBe(true)
})
