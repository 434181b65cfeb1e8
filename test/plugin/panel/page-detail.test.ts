import { expect, test, vi } from 'vitest'
import { hero, heroWith, openPanelPage, press, said } from './page-world.ts'

/** A state with one sprite and one animation, which is quick to draw. */
const little = (own: object = {}, ofWalk: object = {}) => {
  const [slim] = heroWith(own, { played: [], takes: [], flags: [], ...ofWalk }).open
  return { sprites: [slim], open: [slim], steps: [], orphans: [] }
}

test('the page of an animation has its frames, its flags, its takes, its money, its fields and its code', async () => {
  const page = await openPanelPage('?show=hero.walk')
  expect(page.one('article').toText()).toMatchInlineSnapshot(`
    "
    <article>
    <header>{<h1 tabIndex=-1>hero.walk</><span data-tone=good>bought</>}<p>walks</><p>8 frames, take 2, prompt, frames changed since the last purchase · sprites/hero.sprite.json <button>Open in editor</><button>Add an animation…</></></><div role=alert>{{
    <section aria-label=Preview><div role=group tabIndex=0 aria-label=Preview of hero.walk. Space plays and pauses, the arrows step, plus and minus zoom, O shows the neighbours. data-ground=checker><div style={"width":"160px","height":"80px"}><canvas role=img aria-label=hero.walk><button aria-label=Anchor of hero: 0.5 across, 1 down. Drag it, or move it with the arrow keys. aria-disabled=false style={"left":"50%","top":"100%"}></></>{{<button aria-label=One frame back><button aria-label=Play><button aria-label=One frame on><input aria-label=Frame min=0 max=2 aria-valuetext=1 of 3 value=0>1 / 3}{<label>Zoom<select value=fit><option value=fit>Fit</><option value=1>1:1</><option value=2>2×</><option value=3>3×</><option value=4>4×</><option value=5>5×</><option value=6>6×</><option value=7>7×</><option value=8>8×</></></><label>Speed<select value=1><option value=0.1>0.1×</><option value=0.25>0.25×</><option value=0.5>0.5×</><option value=1>1×</><option value=2>2×</></></>
    <fieldset><legend>Background</><input name=ground data-ground=checker title=Checker aria-label=Checker checked><input name=ground data-ground=light title=Light aria-label=Light><input name=ground data-ground=dark title=Dark aria-label=Dark><input name=ground data-ground=colour title=Colour aria-label=Colour style={"background":"#5a8f5a"}></><button aria-label=Onion skin: the frame before in red, the next in blue title=Onion skin aria-pressed=false><button aria-label=Show the anchor title=Anchor aria-pressed>}}</>
    <section aria-labelledby=P0-2>{<h2>Frames</>3 frames played, 1 dropped}<ol>
    <li><button data-frame data-ground=checker title=touched up by hand tabIndex=0 aria-current aria-label=Frame 2, number 1, touched up by hand aria-keyshortcuts=Delete Alt+ArrowLeft Alt+ArrowRight draggable><canvas>2<span aria-hidden=true> ✎</></></>
    <li><button data-frame data-ground=checker data-flagged title=Frame 0 is empty. tabIndex=-1 aria-current=false aria-label=Frame 0, number 2. To check: Frame 0 is empty. aria-keyshortcuts=Delete Alt+ArrowLeft Alt+ArrowRight draggable><canvas>0</></>
    <li><button data-frame data-ground=checker data-flagged title=Look at frame 1. tabIndex=-1 aria-current=false aria-label=Frame 1, number 3. To check: Look at frame 1. aria-keyshortcuts=Delete Alt+ArrowLeft Alt+ArrowRight draggable><canvas>1</></></>{Frame 2<button>Drop</><button disabled>Earlier</><button>Later </><button>Play all as delivered</>}{<h3>Dropped</><ul>
    <li><button data-ground=checker aria-label=Put frame 3 back><canvas> 3</></></>}{<h3>2 things to look at</><ul>
    <li>Frame 0 is empty. · blank<button aria-label=Show frame 0>0</><button aria-label=Show frame 3>3</><button>Drop them</><button>This is meant</></>
    <li>Look at frame 1. · the service says<button aria-label=Show frame 1>1</><button>Drop it</><button>This is meant</></></><p>Meant to be so: loop. <button>Check it again</></>}</>
    <section aria-labelledby=P0-3>{<h2>Takes</>several results for the same prompt; bought takes stay}<ul>
    <li aria-current=false><div data-ground=checker><canvas role=img aria-label=Take 1 of hero.walk></>{<strong>Take 1</><span data-tone=good>bought</>}<button aria-label=Choose take 1>Choose</></>
    <li aria-current><div data-ground=checker><canvas role=img aria-label=Take 2 of hero.walk></>{<strong>Take 2</><span data-tone=good>bought</>}in the game</>
    <li aria-current=false><div data-ground=checker><canvas role=img aria-label=Take 3 of hero.walk></>{<strong>Take 3</><span data-tone=busy>approved</>}<button aria-label=Choose take 3>Choose</></>
    <li><button>Another take</>The last one cost 2 credits. Nothing is bought before you approve.</></>
    <details open=false><summary>Compare two takes</></></>}{
    <section aria-labelledby=P0-4>{<h2>Credits</>}<p>It is bought.</><dl>{<dt>Ceiling</><dd>2.4 credits</>}{<dt>Spent</><dd>2 credits</>}</></>
    <section aria-labelledby=P0-5>{<h2>A new purchase</>a change here is paid for}
    <fieldset aria-label=A new purchase>{{<label for=P0-6>Prompt of walk</><textarea aria-invalid=false defaultValue=walks rows=2 value=walks>}{<label for=P0-7>Frames</><input aria-invalid=false min=7 max=100 step=any defaultValue=8 value=8>}{<label for=P0-8>Prompt of hero, for all its animations</><textarea aria-invalid=false defaultValue=a knight rows=2 value=a knight>}{<label for=P0-9>Another picture instead of ./hero.png</><input accept=image/png,image/jpeg,image/webp aria-describedby=P0-9-words><p>Drop it here. PNG, JPEG or WebP, at most 8 MiB.</>}}</></>
    <section aria-labelledby=P0-10>{<h2>Free to change</>written to the spec at once}
    <fieldset><legend>walk · how it plays</>{{<label for=P0-11>Frames a second</><input aria-invalid=false min=0 max=240 step=any defaultValue=10 value=10>}{<label><input checked>Loop</><label><input>There and back</>}}</>
    <fieldset><legend>hero · all its animations</>{<label>Size<select value=box><option value=delivered>As delivered</><option value=figure>The figure</><option value=longest>Longest side</><option value=box>Fit into a box</></></>{<label for=P0-12>Width, pixels</><input aria-invalid=false min=1 max=4096 step=any defaultValue=64 value=64>}{<label for=P0-13>Height, pixels</><input aria-invalid=false min=1 max=4096 step=any defaultValue=32 value=32>}<p>now 20 × 10 pixels</>}{{<label for=P0-14>Anchor, across</><input aria-invalid=false min=0 max=1 step=0.01 defaultValue=0.5 value=0.5>}{<label for=P0-15>Anchor, down</><input aria-invalid=false min=0 max=1 step=0.01 defaultValue=1 value=1>}{<button aria-label=Anchor: Centre>Centre</><button aria-label=Anchor: Feet disabled>Feet</><button aria-label=Anchor: None>None</>}}</></>
    <details><summary>Code for the game</>
    <section aria-label=Code for Phaser>{<h3>Phaser</><button aria-label=Copy the code for Phaser>Copy</>}<pre tabIndex=0>import { createAnimations, preloadSprites } from 'spritewright/phaser'
    import hero from '../sprites/hero.sprite.json'

    // in preload():
    preloadSprites(this, [hero])

    // in create():
    createAnimations(this, [hero])
    this.add.sprite(200, 260, hero.texture).play('hero/walk')
    </></>
    <section aria-label=Code for PixiJS>{<h3>PixiJS</><button aria-label=Copy the code for PixiJS>Copy</>}<pre tabIndex=0>import { loadSprites } from 'spritewright/pixi'
    import hero from '../sprites/hero.sprite.json'

    const [sheet] = await loadSprites([hero])
    const heroSprite = app.stage.addChild(sheet.create('walk'))
    heroSprite.position.set(200, 260)
    </></></>}}</>"
  `)
  expect([...page.reads].sort()).toEqual(
    [
      'frames hero.walk 1',
      'frames hero.walk 2',
      'frames hero.walk 2',
      'frames hero.walk 3',
      'sprite coin',
      'sprite chest',
      'sprite hero',
    ].sort(),
  )
})

test('a placeholder, own art and an animation whose details are not here yet say what they are', async () => {
  const page = await openPanelPage('?show=hero.idle')
  const shown = [
    page.one('header.detail-head').toText(),
    page.one('.stage-block').toText(),
    page
      .all('.narrow section')
      .map((one) => one.toText())
      .join(),
  ]
  const own = { ...hero.animations[0]!, id: 'hero.walk', state: 'own', words: 'Own art.', takes: [], changed: [] }
  const changed = { ...hero, reference: './hero/', animations: [own] }
  await page.become({ sprites: [changed], open: [changed] })
  await page.do(() => page.all('.paid a')[0]!.fire('click', { button: 0 }))
  shown.push(
    page
      .one('article')
      .toText()
      .replace(/import[^<]*/g, ''),
  )
  await page.become({ sprites: [changed], open: [] })
  shown.push(page.one('.detail-pane').toText())
  await page.become({ sprites: [], steps: [], orphans: [] })
  shown.push(page.one('.detail-pane').toText())
  expect(shown).toMatchInlineSnapshot(`
    [
      "
    <header>{<h1 tabIndex=-1>hero.idle</><span data-tone=warn>not bought</>}<p>idles</><p>9 frames, take 1 · sprites/hero.sprite.json <button>Open in editor</><button>Add an animation…</></></>",
      "
    <section aria-label=Preview><div role=group tabIndex=0 aria-label=Preview of hero.idle. Space plays and pauses, the arrows step, plus and minus zoom, O shows the neighbours. data-ground=checker><div style={"width":"160px","height":"80px"}><canvas role=img aria-label=hero.idle, a placeholder><button aria-label=Anchor of hero: 0.5 across, 1 down. Drag it, or move it with the arrow keys. aria-disabled=false style={"left":"50%","top":"100%"}></></>{{<button aria-label=One frame back><button aria-label=Play><button aria-label=One frame on><input aria-label=Frame min=0 max=0 aria-valuetext=1 of 1 value=0>1 / 1}{<label>Zoom<select value=fit><option value=fit>Fit</><option value=1>1:1</><option value=2>2×</><option value=3>3×</><option value=4>4×</><option value=5>5×</><option value=6>6×</><option value=7>7×</><option value=8>8×</></></><label>Speed<select value=1><option value=0.1>0.1×</><option value=0.25>0.25×</><option value=0.5>0.5×</><option value=1>1×</><option value=2>2×</></></>
    <fieldset><legend>Background</><input name=ground data-ground=checker title=Checker aria-label=Checker checked><input name=ground data-ground=light title=Light aria-label=Light><input name=ground data-ground=dark title=Dark aria-label=Dark><input name=ground data-ground=colour title=Colour aria-label=Colour style={"background":"#5a8f5a"}></><button aria-label=Onion skin: the frame before in red, the next in blue title=Onion skin aria-pressed=false><button aria-label=Show the anchor title=Anchor aria-pressed>}}<p>A placeholder, with the frames and the size of the real one.</></>",
      "
    <section aria-labelledby=P0-3>{<h2>Credits</>}<p>It is not bought.</><dl>{<dt>Price</><dd>2.4 credits ≈ 0.24 USD</>}</><button>Approve 2.4 credits…</></>,
    <section aria-labelledby=P0-4>{<h2>A new purchase</>would cost 2.4 credits}
    <fieldset aria-label=A new purchase>{{<label for=P0-5>Prompt of idle</><textarea aria-invalid=false defaultValue=idles rows=2 value=idles>}{<label for=P0-6>Frames</><input aria-invalid=false min=7 max=100 step=any defaultValue=9 value=9>}{<label for=P0-7>Prompt of hero, for all its animations</><textarea aria-invalid=false defaultValue=a knight rows=2 value=a knight>}{<label for=P0-8>Another picture instead of ./hero.png</><input accept=image/png,image/jpeg,image/webp aria-describedby=P0-8-words><p>Drop it here. PNG, JPEG or WebP, at most 8 MiB.</>}}</></>,
    <section aria-labelledby=P0-9>{<h2>Free to change</>written to the spec at once}
    <fieldset><legend>idle · how it plays</>{{<label for=P0-10>Frames a second</><input aria-invalid=false min=0 max=240 step=any defaultValue=12 value=12>}{<label><input>Loop</><label><input checked>There and back</>}}<p>The spec has durations of its own; they win over frames a second. <button>Take them out</></></>
    <fieldset><legend>hero · all its animations</>{<label>Size<select value=box><option value=delivered>As delivered</><option value=figure>The figure</><option value=longest>Longest side</><option value=box>Fit into a box</></></>{<label for=P0-11>Width, pixels</><input aria-invalid=false min=1 max=4096 step=any defaultValue=64 value=64>}{<label for=P0-12>Height, pixels</><input aria-invalid=false min=1 max=4096 step=any defaultValue=32 value=32>}<p>now 20 × 10 pixels</>}{{<label for=P0-13>Anchor, across</><input aria-invalid=false min=0 max=1 step=0.01 defaultValue=0.5 value=0.5>}{<label for=P0-14>Anchor, down</><input aria-invalid=false min=0 max=1 step=0.01 defaultValue=1 value=1>}{<button aria-label=Anchor: Centre>Centre</><button aria-label=Anchor: Feet disabled>Feet</><button aria-label=Anchor: None>None</>}}</></>,
    <section aria-label=Code for Phaser>{<h3>Phaser</><button aria-label=Copy the code for Phaser>Copy</>}<pre tabIndex=0>import { createAnimations, preloadSprites } from 'spritewright/phaser'
    import hero from '../sprites/hero.sprite.json'

    // in preload():
    preloadSprites(this, [hero])

    // in create():
    createAnimations(this, [hero])
    this.add.sprite(200, 260, hero.texture).play('hero/idle')
    </></>,
    <section aria-label=Code for PixiJS>{<h3>PixiJS</><button aria-label=Copy the code for PixiJS>Copy</>}<pre tabIndex=0>import { loadSprites } from 'spritewright/pixi'
    import hero from '../sprites/hero.sprite.json'

    const [sheet] = await loadSprites([hero])
    const heroSprite = app.stage.addChild(sheet.create('idle'))
    heroSprite.position.set(200, 260)
    </></>",
      "
    <article>
    <header>{<h1 tabIndex=-1>hero.walk</><span data-tone=good>bought</>}<p>Own art.</><p>8 frames of ./hero/ · sprites/hero.sprite.json <button>Open in editor</></></><div role=alert>{{
    <section aria-label=Preview><div role=group tabIndex=0 aria-label=Preview of hero.walk. Space plays and pauses, the arrows step, plus and minus zoom, O shows the neighbours. data-ground=checker><div style={"width":"160px","height":"80px"}><canvas role=img aria-label=hero.walk><button aria-label=Anchor of hero: 0.5 across, 1 down. Drag it, or move it with the arrow keys. aria-disabled=false style={"left":"50%","top":"100%"}></></>{{<button aria-label=One frame back><button aria-label=Play><button aria-label=One frame on><input aria-label=Frame min=0 max=2 aria-valuetext=1 of 3 value=0>1 / 3}{<label>Zoom<select value=fit><option value=fit>Fit</><option value=1>1:1</><option value=2>2×</><option value=3>3×</><option value=4>4×</><option value=5>5×</><option value=6>6×</><option value=7>7×</><option value=8>8×</></></><label>Speed<select value=1><option value=0.1>0.1×</><option value=0.25>0.25×</><option value=0.5>0.5×</><option value=1>1×</><option value=2>2×</></></>
    <fieldset><legend>Background</><input name=ground data-ground=checker title=Checker aria-label=Checker checked><input name=ground data-ground=light title=Light aria-label=Light><input name=ground data-ground=dark title=Dark aria-label=Dark><input name=ground data-ground=colour title=Colour aria-label=Colour style={"background":"#5a8f5a"}></><button aria-label=Onion skin: the frame before in red, the next in blue title=Onion skin aria-pressed=false><button aria-label=Show the anchor title=Anchor aria-pressed>}}</>}{
    <details><summary>Code for the game</>
    <section aria-label=Code for Phaser>{<h3>Phaser</><button aria-label=Copy the code for Phaser>Copy</>}<pre tabIndex=0></></>
    <section aria-label=Code for PixiJS>{<h3>PixiJS</><button aria-label=Copy the code for PixiJS>Copy</>}<pre tabIndex=0></></></>}}</>",
      "{<a href=?>‹ All sprites</>
    <article><h1 tabIndex=-1>hero.walk</></>}",
      "{<a href=?>‹ All sprites</><p>hero.walk is not there any more. Choose another one from the list.</>}",
    ]
  `)
})

test('each free field and each paid one is written as it is typed, in its own range, and refused outside', async () => {
  const page = await openPanelPage('?show=hero.walk', little())
  const wrong: string[] = []
  const type = async (label: string, ...texts: readonly string[]): Promise<void> => {
    for (const text of texts) {
      await page.type(label, text)
      wrong.push(...page.all('.wrong').map((one) => `${label} ${text}: ${one.textContent}`))
    }
  }
  await type('Frames a second', '0', '241', '', '10', '0.5', '240')
  await type('Frames', '6', '101', '8', '7.4', '100')
  await type('Prompt of walk', 'walks', ' runs ', '')
  await type('Prompt of hero, for all its animations', 'a knight', 'a king')
  await type('Width, pixels', '0', '4097', '12.6')
  await type('Height, pixels', '9')
  await type('Anchor, across', '-0.1', '1.1', '0')
  await type('Anchor, down', '0.25')
  for (const place of ['Centre', 'Feet', 'None'])
    if (page.one('button', `Anchor: ${place}`).own.get('disabled') !== true) await press(page, `Anchor: ${place}`)
  await page.tick('Loop', false)
  await page.tick('There and back', true)
  for (const at of [0, 1, 2, 3]) await page.choose('Size', at)
  const drop = { dataTransfer: { files: [{ name: 'a.png', type: 'image/png', size: 1, text: 'hi' }] } }
  await page.fire('.picture-drop', undefined, 'drop', drop)
  expect([wrong, page.lines]).toMatchInlineSnapshot(`
    [
      [
        "Frames a second 0: above 0, at most 240",
        "Frames a second 241: above 0, at most 240",
        "Frames a second : above 0, at most 240",
        "Frames 6: 7 to 100",
        "Frames 101: 7 to 100",
        "Width, pixels 0: 1 to 4096",
        "Width, pixels 4097: 1 to 4096",
        "Anchor, across -0.1: 0 to 1",
        "Anchor, across 1.1: 0 to 1",
      ],
      [
        "edit {"sprite":"hero","animations":{"walk":{"fps":0.5}},"digest":"d1"}",
        "edit {"sprite":"hero","animations":{"walk":{"fps":240}},"digest":"d1"}",
        "reword {"sprite":"hero","animations":{"walk":{"frames":7}},"digest":"d1"}",
        "reword {"sprite":"hero","animations":{"walk":{"frames":100}},"digest":"d1"}",
        "reword {"sprite":"hero","animations":{"walk":{"prompt":"runs"}},"digest":"d1"}",
        "reword {"sprite":"hero","animations":{"walk":{"prompt":null}},"digest":"d1"}",
        "reword {"sprite":"hero","prompt":"a king","digest":"d1"}",
        "edit {"sprite":"hero","size":{"width":13,"height":32},"digest":"d1"}",
        "edit {"sprite":"hero","size":{"width":64,"height":9},"digest":"d1"}",
        "edit {"sprite":"hero","anchor":{"x":0,"y":1},"digest":"d1"}",
        "edit {"sprite":"hero","anchor":{"x":0.5,"y":0.25},"digest":"d1"}",
        "edit {"sprite":"hero","anchor":{"x":0.5,"y":0.5},"digest":"d1"}",
        "edit {"sprite":"hero","anchor":null,"digest":"d1"}",
        "edit {"sprite":"hero","animations":{"walk":{"loop":false}},"digest":"d1"}",
        "edit {"sprite":"hero","animations":{"walk":{"yoyo":true}},"digest":"d1"}",
        "edit {"sprite":"hero","size":null,"digest":"d1"}",
        "edit {"sprite":"hero","size":{"figure":20},"digest":"d1"}",
        "edit {"sprite":"hero","size":20,"digest":"d1"}",
        "edit {"sprite":"hero","size":{"width":20,"height":10},"digest":"d1"}",
        "reword {"sprite":"hero","picture":"aGk=","digest":"d1"}",
      ],
    ]
  `)
})

test('fields of other forms are those of their spec: a size of the figure or of the longest side, no anchor, and durations', async () => {
  const page = await openPanelPage(
    '?show=hero.walk',
    little({ size: { figure: 30 }, anchor: null, reference: '3 steps' }, { durations: [5], price: { credits: '3' } }),
  )
  await page.type('Figure, pixels', '31')
  await press(page, 'Take them out')
  await page.type('Anchor, down', '1')
  const shown = page.all('.inspector').map((one) => one.toText())
  await page.become(little({ size: 40 }))
  await page.type('Longest side, pixels', '41')
  await page.become(little({ size: null }))
  shown.push(page.all('.inspector fieldset')[2]!.toText())
  await page.become({ access: { mayAct: false, mayBuy: false, words: 'x' } })
  expect([shown, page.lines, page.all('fieldset').map((one) => one.own.get('disabled'))]).toMatchInlineSnapshot(`
    [
      [
        "
    <section aria-labelledby=P0-4>{<h2>A new purchase</>would cost 3 credits}
    <fieldset aria-label=A new purchase>{{<label for=P0-5>Prompt of walk</><textarea aria-invalid=false defaultValue=walks rows=2 value=walks>}{<label for=P0-6>Frames</><input aria-invalid=false min=7 max=100 step=any defaultValue=8 value=8>}{<label for=P0-7>Prompt of hero, for all its animations</><textarea aria-invalid=false defaultValue=a knight rows=2 value=a knight>}<p>Its reference is a chain of 3 steps. Edit them in sprites/hero.sprite.json.</>}</></>",
        "
    <section aria-labelledby=P0-8>{<h2>Free to change</>written to the spec at once}
    <fieldset><legend>walk · how it plays</>{{<label for=P0-9>Frames a second</><input aria-invalid=false min=0 max=240 step=any defaultValue=10 value=10>}{<label><input checked>Loop</><label><input>There and back</>}}<p>The spec has durations of its own; they win over frames a second. <button>Take them out</></></>
    <fieldset><legend>hero · all its animations</>{<label>Size<select value=figure><option value=delivered>As delivered</><option value=figure>The figure</><option value=longest>Longest side</><option value=box>Fit into a box</></></>{<label for=P0-10>Figure, pixels</><input aria-invalid=false min=1 max=4096 step=any defaultValue=30 value=30>}<p>now 20 × 10 pixels</>}{{<label for=P0-11>Anchor, across</><input aria-invalid=false min=0 max=1 step=0.01 defaultValue= value=>}{<label for=P0-12>Anchor, down</><input aria-invalid=false min=0 max=1 step=0.01 defaultValue= value=1>}{<button aria-label=Anchor: Centre>Centre</><button aria-label=Anchor: Feet>Feet</><button aria-label=Anchor: None disabled>None</>}}</></>",
        "
    <fieldset><legend>hero · all its animations</>{<label>Size<select value=delivered><option value=delivered>As delivered</><option value=figure>The figure</><option value=longest>Longest side</><option value=box>Fit into a box</></></><p>now 20 × 10 pixels</>}{{<label for=P0-11>Anchor, across</><input aria-invalid=false min=0 max=1 step=0.01 defaultValue=0.5 value=0.5>}{<label for=P0-12>Anchor, down</><input aria-invalid=false min=0 max=1 step=0.01 defaultValue=1 value=1>}{<button aria-label=Anchor: Centre>Centre</><button aria-label=Anchor: Feet disabled>Feet</><button aria-label=Anchor: None>None</>}}</>",
      ],
      [
        "edit {"sprite":"hero","size":{"figure":31},"digest":"d1"}",
        "edit {"sprite":"hero","animations":{"walk":{"durations":null}},"digest":"d1"}",
        "edit {"sprite":"hero","anchor":{"x":0.5,"y":1},"digest":"d1"}",
        "edit {"sprite":"hero","size":41,"digest":"d1"}",
      ],
      [
        undefined,
        true,
        true,
        true,
      ],
    ]
  `)
})

test('an edit is told with its file, and is undone; one that is refused leaves the field as it was', async () => {
  const page = await openPanelPage('?show=hero.walk', little())
  await page.tick('Loop', false)
  const words = [page.one('.toast').toText()]
  await press(page, 'Undo')
  words.push(said(page), page.one('[role="status"]').textContent)
  page.answers.edit = new Error('no answer')
  await page.type('Frames a second', '30')
  words.push(String((page.all('.inspector input')[2] as { value?: unknown }).value), page.one('.notices [role="alert"]').textContent)
  await page.do(() => page.all('.notices button', 'Dismiss')[0]!.fire('click'))
  words.push(page.one('.notices [role="alert"]').textContent)
  expect([words, page.lines]).toMatchInlineSnapshot(`
    [
      [
        "
    <section aria-label=Last edit><p>hero.walk: plays once. Written to sprites/hero.sprite.json.</><button aria-describedby=P0-15-words>Undo</><button>Dismiss</></>",
        "",
        "Undone: hero.walk: plays once. Written to sprites/hero.sprite.json.",
        "10",
        "The dev server does not answer (no answer). Check in its terminal that it still runs.Dismiss",
        "",
      ],
      [
        "edit {"sprite":"hero","animations":{"walk":{"loop":false}},"digest":"d1"}",
        "undo {"sprite":"hero","digest":"after"}",
        "edit {"sprite":"hero","animations":{"walk":{"fps":30}},"digest":"d1"}",
      ],
    ]
  `)
})

test('the code names the sprite as a module of the game would; it is copied, and the spec opened in the editor', async () => {
  const page = await openPanelPage(
    '?show=hero.walk',
    little({ name: '9-lives cat', file: 'src/art/9-lives cat.sprite.json' }, { isPicture: true }),
  )
  const code = page.all('pre').map((one) => one.textContent)
  await press(page, 'Copy the code for PixiJS')
  const words = [said(page)]
  await press(page, 'Copy the code for Phaser')
  words.push(said(page))
  const opened: unknown[] = []
  vi.stubGlobal('fetch', async (address: unknown) => {
    opened.push(address)
    return { ok: opened.length === 1 }
  })
  await press(page, 'Open in editor')
  words.push(said(page))
  await press(page, 'Open in editor')
  words.push(said(page))
  expect([code, page.asked.length, words, opened]).toMatchInlineSnapshot(`
    [
      [
        "import { createAnimations, preloadSprites } from 'spritewright/phaser'
    import _9LivesCat from './art/9-lives cat.sprite.json'

    // in preload():
    preloadSprites(this, [_9LivesCat])

    // in create():
    createAnimations(this, [_9LivesCat])
    this.add.image(200, 260, _9LivesCat.texture, _9LivesCat.pictures['walk'])
    ",
        "import { loadSprites } from 'spritewright/pixi'
    import _9LivesCat from './art/9-lives cat.sprite.json'

    const [sheet] = await loadSprites([_9LivesCat])
    const _9LivesCatSprite = app.stage.addChild(sheet.create('walk'))
    _9LivesCatSprite.position.set(200, 260)
    ",
      ],
      2,
      [
        "The code for PixiJS is copied.",
        "The browser does not let this page copy. Select the code, and copy it.",
        "src/art/9-lives cat.sprite.json opens in your editor.",
        "src/art/9-lives cat.sprite.json could not be opened. See the terminal of the dev server.",
      ],
      [
        "__open-in-editor?file=packages%2Fgame%2Fsrc%2Fart%2F9-lives+cat.sprite.json",
        "__open-in-editor?file=packages%2Fgame%2Fsrc%2Fart%2F9-lives+cat.sprite.json",
      ],
    ]
  `)
})
