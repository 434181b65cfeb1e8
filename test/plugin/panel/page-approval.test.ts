import { expect, test, vi } from 'vitest'
import { Refused } from '../../../plugin/panel/ui/state/api.ts'
import { dialog, hash, hero, isOff, openPanelPage, type PanelPage, press, said } from './page-world.ts'

const line = (id: string, price: string, ceiling: string, own: object = {}) => ({
  ...{ id, hash: `${hash.slice(0, 63)}${price.length}`, price, ceiling, prompt: `prompt of ${id}`, operation: 'sprite_sheet' },
  ...own,
})
const offer = {
  lines: [
    line('hero.idle', '2.4', '3', { warning: 'It is dear.' }),
    line('hero#1', '1', '1', { operation: 'upscale' }),
    line('coin.spin', '2', '2'),
    line('coin.turn', '3', '4'),
  ],
  ...{ sum: '8.4', ceilings: '10', balance: '8.4', usd: '0.84', worker: 'Where: a worker.', untouched: ['hero.walk', 'gem'] },
}
/** The page with the dialog that approves `hero.idle`, over this offer. */
async function approving(own: object = {}, change: object = {}): Promise<PanelPage> {
  const page = await openPanelPage('', { open: [], ...change })
  page.answers.offer = { ...offer, ...own }
  await page.tick('Choose hero.idle for approval', true)
  await press(page, 'Approve 1…')
  return page
}
const refused = (code: string, message: string, next?: object) =>
  new Refused({ error: { code, message }, ...(next ? { offer: next } : {}) } as never)

/** What an authenticator is asked for, as text; long bytes by their number. */
const bytesOf = (asked: readonly unknown[]): string =>
  JSON.stringify(asked, (_, value: unknown) =>
    value instanceof Uint8Array ? (value.length > 9 ? `${value.length} bytes` : [...value]) : value,
  )

test('a dialog shows the offer of now, and approves these very lines; then it is gone, and the page says what was approved', async () => {
  const page = await approving()
  expect(dialog(page)).toMatchInlineSnapshot(`
    "
    <dialog aria-labelledby=P0-1-title open><h2 tabIndex=-1>Approve 4 purchases</><div role=alert><div aria-live=polite tabIndex=0><p>7.4 credits will be held for hero.idle, coin.spin and coin.turn; at most 9 are charged. 1 credit will be charged on delivery of hero#1; at most 1.</><table><caption>What is approved</><thead>
    <tr><th scope=col>Name</><th scope=col>Price</><th scope=col>Ceiling</></></><tbody>
    <tr><th scope=row>hero.idleprompt of hero.idle<span data-tone=warn>It is dear.</></><td>2.4</><td>3</></>
    <tr><th scope=row>hero#1prompt of hero#1</><td>1</><td>1</></>
    <tr><th scope=row>coin.spinprompt of coin.spin</><td>2</><td>2</></>
    <tr><th scope=row>coin.turnprompt of coin.turn</><td>3</><td>4</></></><tfoot>
    <tr><th scope=row>Total</><td>8.4</><td>10</></></></><p> ≈ 0.84 USD, not binding. 8.4 credits are available.</><p>Where: a worker.</><p>Not changed: hero.walk, gem.</></>
    <details><summary>Another ceiling</>{<label for=P0-2>Ceiling for each, credits; empty for its price</><input aria-invalid=false inputMode=decimal autocomplete=off placeholder=its price defaultValue= value=>}</><button>Use a security key or fingerprint…</>{<button>Cancel</><button>Approve 8.4 credits</>}</>"
  `)
  await press(page, 'Approve 8.4 credits')
  expect([dialog(page), said(page), page.lines]).toMatchInlineSnapshot(`
    [
      "",
      "Approved: 7.4 credits will be held for hero.idle, coin.spin and coin.turn; at most 9 are charged. 1 credit will be charged on delivery of hero#1; at most 1.",
      [
        "offer {"ids":["hero.idle"],"adopt":false}",
        "approve {"ids":["hero.idle"],"adopt":false,"lines":[{"id":"hero.idle","hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa3","price":"2.4","ceiling":"3"},{"id":"hero#1","hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1","price":"1","ceiling":"1"},{"id":"coin.spin","hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1","price":"2","ceiling":"2"},{"id":"coin.turn","hash":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1","price":"3","ceiling":"4"}],"sum":"8.4"}",
      ],
    ]
  `)
})

test('another ceiling asks for another offer; while it is being typed, or is no amount, nothing is approved', async () => {
  const page = await approving()
  const label = 'Ceiling for each, credits; empty for its price'
  const field = page.one('.ceiling input')
  await page.do(() => {
    field.value = ' 5'
    field.fire('input')
  })
  const states = [isOff(page, 'Approve 8.4 credits')]
  for (const text of ['1,5', '1.23456', ' 5 ', '']) {
    await page.type(label, text)
    states.push(isOff(page, 'Approve 8.4 credits'))
  }
  expect([states, page.acts.map(([, asks]) => asks)]).toEqual([
    [true, true, true, false, false],
    [undefined, '5', undefined].map((ceiling) => ({ ids: ['hero.idle'], adopt: false, ...(ceiling ? { ceiling } : {}) })),
  ])
})

test('a refused approval says why, and shows the offer of now; an offer that no longer holds is taken away', async () => {
  const page = await approving()
  const steps: unknown[] = []
  for (const error of [
    new Error('no answer'),
    refused('SW_CHANGED', 'It has changed.', { ...offer, sum: '9', lines: [line('hero.idle', '9', '9')], balance: '20' }),
    refused('SW_CEILING', 'It is too much.'),
  ]) {
    page.answers.approve = error
    await page.fire('dialog .primary', undefined, 'click')
    steps.push([page.one('dialog [role="alert"]').textContent, page.one('dialog h2').textContent, page.one('dialog .primary').textContent])
  }
  expect(steps).toMatchInlineSnapshot(`
    [
      [
        "no answer",
        "Approve 4 purchases",
        "Approve 8.4 credits",
      ],
      [
        "It has changed.",
        "Approve 1 purchase",
        "Approve 9 credits",
      ],
      [
        "It is too much.",
        "Approve …",
        "Approve",
      ],
    ]
  `)
  page.answers.offer = new Error('The service is away.')
  await page.type('Ceiling for each, credits; empty for its price', '7')
  expect(page.one('dialog [role="alert"]').textContent).toBe('The service is away.')
})

test('nothing is approved that the balance does not pay, that is empty, or on a page that may not buy', async () => {
  const states: unknown[] = []
  for (const [own, change] of [
    [{ balance: '8.3999' }, {}],
    [{ lines: [] }, {}],
    [{}, {}],
  ]) {
    const page = await approving(own, change)
    states.push([
      page.one('dialog h2').textContent,
      page.all('dialog .notice').map((one) => one.textContent),
      page.one('dialog .primary').toText(),
    ])
  }
  const page = await approving()
  await page.become({ access: { mayAct: true, mayBuy: false, words: 'CI' } })
  states.push(page.one('dialog .primary').toText())
  await press(page, 'Cancel')
  expect([states, dialog(page)]).toMatchInlineSnapshot(`
    [
      [
        [
          "Approve 4 purchases",
          [
            "Only 8.3999 credits are available. Choose fewer, or add credits at the service.",
          ],
          "<button disabled>Approve 8.4 credits</>",
        ],
        [
          "Nothing to approve",
          [],
          "<button disabled>Approve</>",
        ],
        [
          "Approve 4 purchases",
          [],
          "<button>Approve 8.4 credits</>",
        ],
        "<button disabled>Approve 8.4 credits</>",
      ],
      "",
    ]
  `)
})

test('the purchase of another checkout is taken over once a person has ticked that', async () => {
  const idle = { ...hero.animations[1]!, next: 'adopt' }
  const page = await approving({ lines: [] }, { sprites: [{ ...hero, animations: [hero.animations[0], idle] }] })
  const label = 'Take over the purchase of another checkout. I have checked that it was not bought there.'
  const before = page.one('dialog h2').textContent
  await page.tick(label, true)
  expect([before, page.one('.offer').textContent, page.acts.map(([, asks]) => asks)]).toEqual([
    'Take over a purchase',
    'Another checkout approved this, and is expected to buy it.',
    [
      { ids: ['hero.idle'], adopt: false },
      { ids: ['hero.idle'], adopt: true },
    ],
  ])
})

test('a touch approves where one is enrolled, at localhost alone; where one is needed, a key is enrolled first', async () => {
  const page = await approving({ touch: 'enrolled' })
  page.answers.approve = { revision: 0, touch: { challenge: '-_8', credentials: ['AQ', 'Ag'] } }
  await press(page, 'Approve 8.4 credits with a touch')
  expect([bytesOf(page.asked), page.lines.slice(-1), said(page) !== '']).toMatchInlineSnapshot(`
    [
      "[{"publicKey":{"challenge":[251,255],"rpId":"localhost","allowCredentials":[{"type":"public-key","id":[1]},{"type":"public-key","id":[2]}],"userVerification":"required"}}]",
      [
        "touch {"credential":"-_A","authenticatorData":"AQ","clientData":"AgM","signature":"-__-"}",
      ],
      true,
    ]
  `)
  const needy = await approving({ touch: 'needed' })
  needy.answers.enrol = { word: 'kilo' }
  const isLocked = needy.one('dialog .primary').own.get('disabled')
  await press(needy, 'Use a security key or fingerprint…')
  expect([
    isLocked,
    needy.lines.at(-1),
    bytesOf(needy.asked),
    needy.all('dialog .notice').map((one) => one.textContent),
  ]).toMatchInlineSnapshot(`
    [
      true,
      "enrol {"key":"ES256.-_A.CQg"}",
      "[{"publicKey":{"rp":{"id":"localhost","name":"spritewright"},"challenge":"32 bytes","user":{"id":"32 bytes","name":"spritewright","displayName":"spritewright"},"pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}],"authenticatorSelection":{"userVerification":"required","residentKey":"discouraged"},"attestation":"none"}}]",
      [
        "Only a touch approves here, and no authenticator is enrolled yet.",
        "Run this in a terminal, and type the word kilo there. Then open this dialog again.npx spritewright trust --touch ES256.-_A.CQg",
      ],
    ]
  `)
  const far = await approving({ touch: 'enrolled' })
  vi.stubGlobal('location', { ...location, hostname: '127.0.0.1' })
  await press(far, 'Cancel')
  await press(far, 'Approve 1…')
  await press(far, 'Open at localhost, to approve with a touch')
  expect([far.reads.includes('localhost'), far.acts.filter(([name]) => name === 'approve')]).toEqual([true, []])
})
