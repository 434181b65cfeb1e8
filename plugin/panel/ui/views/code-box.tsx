import type { VNode } from 'preact'
import type { PanelAnimation, PanelSprite, PanelState } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { type Shown, usePanel } from '../state/panel-context.ts'

/** The code that shows an animation in the game, to be copied. */
export function CodeBox({ sprite, animation }: Shown): VNode {
  const { state, store } = usePanel()
  const copy = (engine: string, code: string): void =>
    void navigator.clipboard.writeText(code).then(
      () => store.say(`The code for ${engine} is copied.`),
      () => store.say('The browser does not let this page copy. Select the code, and copy it.'),
    )
  return (
    <details class="card stack">
      <summary>Code for the game</summary>
      {state.engines.map((own) => {
        const { engine, code } = codeOf(own, sprite, animation)
        return (
          <section key={engine} aria-label={`Code for ${engine}`}>
            <div class="spread">
              <h3 class="soft small">{engine}</h3>
              <Button label="Copy" look="quiet" aria-label={`Copy the code for ${engine}`} onClick={() => copy(engine, code)} />
            </div>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls. */}
            <pre tabIndex={0}>{code}</pre>
          </section>
        )
      })}
    </details>
  )
}

/** Code for a module in `src/`, with the name of its engine. */
function codeOf(engine: PanelState['engines'][number], { name, file }: PanelSprite, animation: PanelAnimation) {
  const from = file.startsWith('src/') ? `./${file.slice(4)}` : `../${file}`
  const constant = name.replace(/[^A-Za-z0-9]+(.?)/g, (_, letter: string) => letter.toUpperCase()).replace(/^(?=\d)/, '_') || 'sprite'
  const key = JSON.stringify(`${name}/${animation.name}`).replaceAll('"', "'")
  if (engine === 'phaser')
    return {
      engine: 'Phaser',
      code: `import { createAnimations, preloadSprites } from 'spritewright/phaser'
import ${constant} from '${from}'

// in preload():
preloadSprites(this, [${constant}])

// in create():
createAnimations(this, [${constant}])
${animation.isPicture ? `this.add.image(200, 260, ${constant}.texture, ${constant}.pictures['${animation.name}'])` : `this.add.sprite(200, 260, ${constant}.texture).play(${key})`}
`,
    }
  return {
    engine: 'PixiJS',
    code: `import { loadSprites } from 'spritewright/pixi'
import ${constant} from '${from}'

const [sheet] = await loadSprites([${constant}])
const ${constant}Sprite = app.stage.addChild(sheet.create('${animation.name}'))
${constant}Sprite.position.set(200, 260)
`,
  }
}
