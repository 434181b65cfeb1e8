import type { VNode } from 'preact'
import { IconButton } from '../controls/button.tsx'
import { Choice } from '../controls/choice.tsx'
import { usePanel } from '../state/panel-context.ts'
import { speeds, type ViewSettings, zooms } from '../state/view-settings.ts'
import type { Player } from './playback.ts'
import { usePlace } from './use-player.ts'

/** The properties of the controls below a stage. */
export interface TransportProps {
  readonly player: Player
  /** Number of played frames. */
  readonly count: number
}

/** The controls to play, step and scrub, and to change the view. */
export function Transport({ player, count }: TransportProps): VNode {
  return (
    <div class="transport stack tight">
      <PlayControls player={player} count={count} />
      <LookControls />
    </div>
  )
}

/** The controls to play, step and scrub. */
export function PlayControls({ player, count }: TransportProps): VNode {
  const { place, isPlaying } = usePlace(player)
  return (
    <div class="beside tight">
      <IconButton icon="back" label="One frame back" onClick={() => player.step(-1)} />
      <IconButton
        icon={isPlaying ? 'pause' : 'play'}
        label={isPlaying ? 'Pause' : 'Play'}
        onClick={() => player.setPlaying(!player.isPlaying)}
      />
      <IconButton icon="forward" label="One frame on" onClick={() => player.step(1)} />
      <input
        type="range"
        class="grow"
        aria-label="Frame"
        min={0}
        max={Math.max(0, count - 1)}
        value={place}
        aria-valuetext={`${place + 1} of ${count}`}
        onInput={(event) => player.seek(Number(event.currentTarget.value))}
      />
      <span class="number soft frame-number">
        {place + 1} / {count}
      </span>
    </div>
  )
}

const grounds = [
  ['checker', 'Checker'],
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['colour', 'Colour'],
] as const

const toggles = [
  ['hasOnion', 'onion', 'Onion skin: the frame before in red, the next in blue', 'Onion skin'],
  ['hasAnchor', 'anchor', 'Show the anchor', 'Anchor'],
] as const

function LookControls(): VNode {
  const { settings, changeSettings } = usePanel()
  return (
    <div class="row">
      <Choice
        label="Zoom"
        value={settings.zoom}
        options={zooms.map((zoom) => [zoom, zoomWords(zoom)])}
        onChoose={(zoom) => changeSettings({ zoom })}
      />
      <Choice
        label="Speed"
        value={settings.speed}
        options={speeds.map((speed) => [speed, `${speed}×`])}
        onChoose={(speed) => changeSettings({ speed })}
      />
      <fieldset class="row tight">
        <legend class="visually-hidden">Background</legend>
        {grounds.map(([ground, name]) => (
          <input
            key={ground}
            type="radio"
            name="ground"
            class="ground"
            data-ground={ground}
            title={name}
            aria-label={name}
            checked={settings.ground === ground}
            style={ground === 'colour' ? { background: settings.colour } : {}}
            onChange={() => changeSettings({ ground })}
          />
        ))}
        {settings.ground === 'colour' && (
          <input
            type="color"
            aria-label="Background colour"
            value={settings.colour}
            onInput={(event) => changeSettings({ colour: event.currentTarget.value })}
          />
        )}
      </fieldset>
      {toggles.map(([key, icon, label, title]) => (
        <IconButton
          key={key}
          {...{ icon, label, title }}
          aria-pressed={settings[key]}
          onClick={() => changeSettings({ [key]: !settings[key] })}
        />
      ))}
    </div>
  )
}

function zoomWords(zoom: ViewSettings['zoom']): string {
  if (zoom === 'fit') return 'Fit'
  return zoom === 1 ? '1:1' : `${zoom}×`
}
