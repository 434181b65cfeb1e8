import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import type { PanelAtlas, PanelAtlasFrame } from '../../../protocol/protocol.ts'
import { Card } from '../controls/card.tsx'
import { CheckField } from '../controls/check-field.tsx'
import { useAnswer } from '../controls/hooks.ts'
import { usePanel } from '../state/panel-context.ts'
import { countWords } from '../state/words.ts'

/** The parts of an atlas that lie over its picture. */
interface Shown {
  readonly frames: boolean
  readonly hulls: boolean
  readonly slices: boolean
}

/** The atlas groups as a build would pack them now. They are packed again when a sprite has changed. */
export function AtlasPages(): VNode {
  const { state, store } = usePanel()
  const [shown, setShown] = useState<Shown>({ frames: true, hulls: true, slices: true })
  const mark = state.sprites.map(({ art, digest }) => `${digest} ${art}`).join('\n')
  const [packed, fault] = useAnswer(store.api.atlases, [store, mark])
  const check = (key: keyof Shown, label: string): VNode => (
    <CheckField label={label} value={shown[key]} onCommit={(isOn) => setShown({ ...shown, [key]: isOn })} />
  )
  return (
    <div class="page whole stack">
      <div class="spread">
        <h1 tabIndex={-1}>Atlases</h1>
        <div class="row">
          {check('frames', 'Frames')}
          {check('hulls', 'Outlines')}
          {check('slices', 'Nine-slices')}
        </div>
      </div>
      <div role="alert">{fault !== '' && <p class="wrong small">{fault}</p>}</div>
      {!packed && fault === '' && <p class="soft">Packing…</p>}
      <div class="atlases row">
        {packed?.atlases.map((atlas) => (
          <AtlasSection key={`${atlas.name} ${atlas.scale}`} atlas={atlas} shown={shown} />
        ))}
      </div>
    </div>
  )
}

function AtlasSection({ atlas, shown }: { readonly atlas: PanelAtlas; readonly shown: Shown }): VNode {
  const title = atlas.scale === 1 ? atlas.name : `${atlas.name} @${atlas.scale}×`
  return (
    <Card title={title} remark={`${countWords(atlas.frames.length, 'frame')} on ${countWords(atlas.pages.length, 'page')}`}>
      <div class="stack">
        {atlas.pages.map(({ url, width, height, bytes, filled }, index) => (
          <figure class="stack tight" key={url}>
            <figcaption class="soft small number">
              {width} × {height} px · {(bytes / 1024).toFixed(1)} KiB · {Math.round(filled * 100)} % filled
            </figcaption>
            <div class="atlas-page" data-ground="checker">
              <img src={url} width={width} height={height} alt={`Page ${index + 1} of ${title}`} loading="lazy" />
              <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
                {atlas.frames
                  .filter((frame) => frame.page === index)
                  .map((frame) => (
                    <FrameMarks key={frame.name} frame={frame} shown={shown} />
                  ))}
              </svg>
            </div>
          </figure>
        ))}
      </div>
    </Card>
  )
}

function FrameMarks({ frame, shown }: { readonly frame: PanelAtlasFrame; readonly shown: Shown }): VNode {
  const { name, x, y, width, height, isTurned, hull, slices } = frame
  return (
    <g>
      <title>
        {name}: {width} × {height} at {x}, {y}
        {isTurned ? ', turned' : ''}
      </title>
      <rect
        class={shown.frames ? 'frame-line' : ''}
        data-tone={shown.frames ? 'busy' : undefined}
        x={x}
        y={y}
        width={width}
        height={height}
      />
      {shown.hulls && hull && (
        <polygon class="hull-line" data-tone="good" points={hull.map((point) => `${point.x},${point.y}`).join(' ')} />
      )}
      {shown.slices && slices && (
        <path
          class="slice-line"
          data-tone="bad"
          stroke-dasharray="4 3"
          d={[...slices.x.map((at) => `M${at} ${y}v${height}`), ...slices.y.map((at) => `M${x} ${at}h${width}`)].join('')}
        />
      )}
    </g>
  )
}
