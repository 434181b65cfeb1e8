import { expect, test, vi } from 'vitest'
import { heroWith, openPanelPage, press, walk } from './page-world.ts'

test('frames are dropped, moved, put back and put in order, by buttons and by keys, and the place stays with them', async () => {
  const page = await openPanelPage('?show=hero.walk')
  // The state never comes back with the edits, so each of them begins with the order of the spec: 2, 0, 1.
  const places: string[] = []
  const note = (): void => void places.push(page.one('.frame-number').textContent)
  const at = (place: number) => page.all('.film button')[place]!
  const key = async (place: number, name: string, more: object = {}): Promise<void> => {
    await page.do(() => at(place).fire('keydown', { key: name, ...more }))
    note()
  }
  for (const name of ['ArrowRight', 'End', 'Home', 'ArrowLeft', 'x']) await key(0, name)
  await key(0, 'ArrowRight', { altKey: true })
  await key(0, 'ArrowLeft', { altKey: true })
  await key(1, 'Delete')
  await key(2, 'Backspace')
  for (const words of ['Drop', 'Later', 'Earlier', 'Play all as delivered', 'Put frame 3 back']) {
    await press(page, words)
    note()
  }
  await page.do(() => page.all('.flag button', 'Drop it')[0]?.fire('click'))
  await page.do(() => at(2).fire('drop', { dataTransfer: { getData: () => '0' } }))
  await page.do(() => at(1).fire('click'))
  note()
  expect([
    places,
    page.lines,
    (page.document as unknown as { activeElement: { own: Map<string, unknown> } }).activeElement.own.get('aria-label'),
  ]).toMatchInlineSnapshot(`
    [
      [
        "2 / 3",
        "3 / 3",
        "1 / 3",
        "1 / 3",
        "1 / 3",
        "2 / 3",
        "2 / 3",
        "2 / 3",
        "2 / 3",
        "2 / 3",
        "3 / 3",
        "2 / 3",
        "2 / 3",
        "2 / 3",
        "2 / 3",
      ],
      [
        "use {"id":"hero.walk","use":[0,2,1],"digest":"d1"}",
        "use {"id":"hero.walk","use":[2,1],"digest":"d1"}",
        "use {"id":"hero.walk","use":[2,0],"digest":"d1"}",
        "use {"id":"hero.walk","use":[2,1],"digest":"d1"}",
        "use {"id":"hero.walk","use":[2,1,0],"digest":"d1"}",
        "use {"id":"hero.walk","use":[2,1,0],"digest":"d1"}",
        "use {"id":"hero.walk","use":null,"digest":"d1"}",
        "use {"id":"hero.walk","use":[2,0,1,3],"digest":"d1"}",
        "use {"id":"hero.walk","use":[2,0],"digest":"d1"}",
        "use {"id":"hero.walk","use":[0,1,2],"digest":"d1"}",
      ],
      "Frame 1, number 3. To check: Look at frame 1.",
    ]
  `)
})

test('a flag shows its frames, is meant or looked at again; a take is chosen, or another one asked for, and two are compared', async () => {
  const page = await openPanelPage('?show=hero.walk')
  await press(page, 'Show frame 1')
  const shown = [page.one('.frame-number').textContent]
  await press(page, 'Show frame 3')
  shown.push(page.one('.frame-number').textContent)
  for (const button of page.all('.flag button', 'This is meant')) await page.do(() => button.fire('click'))
  for (const words of ['Check it again', 'Choose take 1', 'Choose take 3', 'Another take']) await press(page, words)
  const compare = page.one('details.compare')
  await page.do(() => {
    compare.open = true
    compare.fire('toggle')
  })
  shown.push(compare.toText())
  await page.choose('A', 1)
  shown.push(page.one('details.compare').toText())
  await page.do(() =>
    page
      .all('button')
      .find((one) => one.textContent.startsWith('Choose ') && one.textContent.length === 8)
      ?.fire('click'),
  )
  expect([shown, page.lines]).toMatchInlineSnapshot(`
    [
      [
        "3 / 3",
        "3 / 3",
        "
    <details open><summary>Compare two takes</>{{<div aria-current=false><label>A<select value=1><option value=1>Take 1</><option value=2>Take 2</></></><div data-ground=checker><canvas role=img aria-label=A: take 1 of hero.walk></><button>Choose A</></><div aria-current><label>B<select value=2><option value=1>Take 1</><option value=2>Take 2</></></><div data-ground=checker><canvas role=img aria-label=B: take 2 of hero.walk></>in the game</>}{<button aria-label=One frame back><button aria-label=Play><button aria-label=One frame on><input aria-label=Frame min=0 max=3 aria-valuetext=1 of 4 value=0>1 / 4}<label><input>Onion skin: B in blue below A</>}</>",
        "
    <details open><summary>Compare two takes</>{{<div aria-current><label>A<select value=2><option value=1>Take 1</><option value=2>Take 2</></></><div data-ground=checker><canvas role=img aria-label=A: take 2 of hero.walk></>in the game</><div aria-current><label>B<select value=2><option value=1>Take 1</><option value=2>Take 2</></></><div data-ground=checker><canvas role=img aria-label=B: take 2 of hero.walk></>in the game</>}{<button aria-label=One frame back><button aria-label=Play><button aria-label=One frame on><input aria-label=Frame min=0 max=3 aria-valuetext=1 of 4 value=0>1 / 4}<label><input>Onion skin: B in blue below A</>}</>",
      ],
      [
        "edit {"sprite":"hero","animations":{"walk":{"meant":["loop","blank"]}},"digest":"d1"}",
        "edit {"sprite":"hero","animations":{"walk":{"meant":["loop","inspect"]}},"digest":"d1"}",
        "edit {"sprite":"hero","animations":{"walk":{"meant":null}},"digest":"d1"}",
        "choose-take {"id":"hero.walk","take":1,"digest":"d1"}",
        "choose-take {"id":"hero.walk","take":3,"digest":"d1"}",
        "take {"id":"hero.walk","digest":"d1"}",
      ],
    ]
  `)
})

test('the preview plays, steps and zooms by buttons and keys, and draws each frame where it lies, over its neighbours', async () => {
  const page = await openPanelPage(
    '?show=hero.walk',
    heroWith({}, { played: walk.played.map((frame, at) => ({ ...frame, isTurned: at === 1 })) }),
  )
  const stage = page.one('.stage')
  const canvas = page.one('.stage canvas')
  const key = (name: string): Promise<void> => page.do(() => stage.fire('keydown', { key: name }))
  const look = (): string =>
    `${page.one('.frame-number').textContent} ${page.one('.stage-picture').own.get('style') ?? JSON.stringify(page.one('.stage-picture').style)} ${JSON.stringify(canvas.drawn)}`
  const looks = [look()]
  for (const name of ['ArrowRight', 'ArrowLeft', '+', '=', '-', 'o']) {
    await key(name)
    looks.push(`${name} ${look()}`)
  }
  await key('O')
  await key(' ')
  const ticks: string[] = []
  for (const now of [0, 99, 100, 350]) {
    await page.draw(now)
    ticks.push(page.one('.frame-number').textContent)
  }
  await press(page, 'Pause')
  await page.draw(900)
  ticks.push(page.one('.frame-number').textContent)
  for (const words of ['One frame back', 'One frame on', 'One frame on']) await press(page, words)
  ticks.push(page.one('.frame-number').textContent)
  await page.do(() => {
    const range = page.one('input', 'Frame')
    range.value = '1'
    range.fire('input')
  })
  ticks.push(page.one('.frame-number').textContent)
  await page.choose('Zoom', 3)
  await page.choose('Speed', 4)
  await page.tick('Colour', true)
  await press(page, 'Show the anchor')
  looks.push(page.one('.stage-block').toText())
  expect([looks, ticks]).toMatchInlineSnapshot(`
    [
      [
        "1 / 3 {"width":"160px","height":"80px"} [["clearRect",0,0,8,9],["imageSmoothingEnabled",false],["drawImage","pages/p1.png",20,2,4,5,1,2,4,5]]",
        "ArrowRight 2 / 3 {"width":"160px","height":"80px"} [["clearRect",0,0,8,9],["imageSmoothingEnabled",false],["save"],["translate",1,7],["rotate",-1.5707963267948966],["drawImage","pages/p1.png",0,2,5,4,0,0,5,4],["restore"]]",
        "ArrowLeft 1 / 3 {"width":"160px","height":"80px"} [["clearRect",0,0,8,9],["imageSmoothingEnabled",false],["drawImage","pages/p1.png",20,2,4,5,1,2,4,5]]",
        "+ 1 / 3 {"width":"20px","height":"10px"} [["clearRect",0,0,8,9],["imageSmoothingEnabled",false],["drawImage","pages/p1.png",20,2,4,5,1,2,4,5]]",
        "= 1 / 3 {"width":"40px","height":"20px"} [["clearRect",0,0,8,9],["imageSmoothingEnabled",false],["drawImage","pages/p1.png",20,2,4,5,1,2,4,5]]",
        "- 1 / 3 {"width":"20px","height":"10px"} [["clearRect",0,0,8,9],["imageSmoothingEnabled",false],["drawImage","pages/p1.png",20,2,4,5,1,2,4,5]]",
        "o 1 / 3 {"width":"20px","height":"10px"} [["clearRect",0,0,8,9],["globalAlpha",0.45],["drawImage",{"drawn":[["imageSmoothingEnabled",false],["drawImage","pages/p1.png",10,2,4,5,1,2,4,5],["globalCompositeOperation","source-atop"],["fillStyle","#d8342c"],["fillRect",0,0,8,9]]},0,0],["globalAlpha",1],["globalAlpha",0.45],["drawImage",{"drawn":[["imageSmoothingEnabled",false],["save"],["translate",1,7],["rotate",-1.5707963267948966],["drawImage","pages/p1.png",0,2,5,4,0,0,5,4],["restore"],["globalCompositeOperation","source-atop"],["fillStyle","#2b62d9"],["fillRect",0,0,8,9]]},0,0],["globalAlpha",1],["imageSmoothingEnabled",false],["drawImage","pages/p1.png",20,2,4,5,1,2,4,5]]",
        "
    <section aria-label=Preview><div role=group tabIndex=0 aria-label=Preview of hero.walk. Space plays and pauses, the arrows step, plus and minus zoom, O shows the neighbours. data-ground=colour style={"background":"#5a8f5a"}><div style={"width":"60px","height":"30px"}><canvas role=img aria-label=hero.walk></></>{{<button aria-label=One frame back><button aria-label=Play><button aria-label=One frame on><input aria-label=Frame min=0 max=2 aria-valuetext=2 of 3 value=1>2 / 3}{<label>Zoom<select value=3><option value=fit>Fit</><option value=1>1:1</><option value=2>2×</><option value=3>3×</><option value=4>4×</><option value=5>5×</><option value=6>6×</><option value=7>7×</><option value=8>8×</></></><label>Speed<select value=2><option value=0.1>0.1×</><option value=0.25>0.25×</><option value=0.5>0.5×</><option value=1>1×</><option value=2>2×</></></>
    <fieldset><legend>Background</><input name=ground data-ground=checker title=Checker aria-label=Checker checked=false><input name=ground data-ground=light title=Light aria-label=Light><input name=ground data-ground=dark title=Dark aria-label=Dark><input name=ground data-ground=colour title=Colour aria-label=Colour checked style={"background":"#5a8f5a"}><input aria-label=Background colour value=#5a8f5a></><button aria-label=Onion skin: the frame before in red, the next in blue title=Onion skin aria-pressed=false><button aria-label=Show the anchor title=Anchor aria-pressed=false>}}</>",
      ],
      [
        "1 / 3",
        "1 / 3",
        "2 / 3",
        "1 / 3",
        "1 / 3",
        "2 / 3",
        "2 / 3",
      ],
    ]
  `)
})

test('the anchor moves by keys and by the pointer, within the frame, and is written when it rests', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const page = await openPanelPage('?show=hero.walk')
  const anchor = page.one('.anchor')
  const shown: unknown[] = []
  const key = async (name: string, more: object = {}): Promise<void> => {
    await page.do(() => anchor.fire('keydown', { key: name, ...more }))
    shown.push(`${name} ${JSON.stringify(page.one('.anchor').style)}`)
  }
  for (const name of ['ArrowLeft', 'ArrowUp', 'ArrowDown', 'ArrowDown', 'a']) await key(name)
  await key('ArrowRight', { shiftKey: true })
  vi.advanceTimersByTime(349)
  shown.push(page.lines.length)
  await page.do(() => vi.advanceTimersByTime(1))
  shown.push(page.lines.length)
  Object.assign(anchor, { setPointerCapture: () => {} })
  Object.assign(anchor.parentNode!, { getBoundingClientRect: () => ({ left: 100, top: 50 }) })
  await page.do(() => {
    anchor.fire('pointerdown', { button: 0, pointerId: 1 })
    anchor.fire('pointermove', { clientX: 180, clientY: 66 })
  })
  await page.do(() => anchor.fire('lostpointercapture'))
  await page.do(() => anchor.fire('pointermove', { clientX: 100, clientY: 50 }))
  await page.do(() => anchor.fire('blur'))
  vi.useRealTimers()
  expect([shown, page.lines]).toMatchInlineSnapshot(`
    [
      [
        "ArrowLeft {"left":"45%","top":"100%"}",
        "ArrowUp {"left":"45%","top":"90%"}",
        "ArrowDown {"left":"45%","top":"100%"}",
        "ArrowDown {"left":"45%","top":"100%"}",
        "a {"left":"45%","top":"100%"}",
        "ArrowRight {"left":"95%","top":"100%"}",
        0,
        1,
      ],
      [
        "edit {"sprite":"hero","anchor":{"x":0.95,"y":1},"digest":"d1"}",
        "edit {"sprite":"hero","anchor":{"x":0.5,"y":0.2},"digest":"d1"}",
      ],
    ]
  `)
})
