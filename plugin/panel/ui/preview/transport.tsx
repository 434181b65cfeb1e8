import type { VNode } from 'preact'
import { Icon } from '../controls/icons.tsx'
import { speeds, type ViewSettings, zooms } from '../state/view-settings.ts'
import type { Player } from './playback.ts'
import { usePlace } from './use-player.ts'

/** The properties of the controls below a stage. */
export interface TransportProps {
  readonly player: Player
  /** Number of played frames. */
  readonly count: number
  readonly settings: ViewSettings
  readonly onSettings: (change: Partial<ViewSettings>) => void
}

/** The controls to play, step and scrub, and to change the view. */
export function Transport({ player, count, settings, onSettings }: TransportProps): VNode {
  return (
    <div class="transport">
      <PlayControls player={player} count={count} />
      <LookControls settings={settings} onSettings={onSettings} />
    </div>
  )
}

/** The controls to play, step and scrub. */
export function PlayControls({ player, count }: Pick<TransportProps, 'player' | 'count'>): VNode {
  const { place, isPlaying } = usePlace(player)
  return (
    <div class="row play-controls">
      <button type="button" class="button quiet icon-button" aria-label="One frame back" onClick={() => player.step(-1)}>
        <Icon name="back" />
      </button>
      <button
        type="button"
        class="button quiet icon-button"
        aria-label={isPlaying ? 'Pause' : 'Play'}
        onClick={() => player.setPlaying(!player.isPlaying)}
      >
        <Icon name={isPlaying ? 'pause' : 'play'} />
      </button>
      <button type="button" class="button quiet icon-button" aria-label="One frame on" onClick={() => player.step(1)}>
        <Icon name="forward" />
      </button>
      <input
        type="range"
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

function LookControls({ settings, onSettings }: Pick<TransportProps, 'settings' | 'onSettings'>): VNode {
  return (
    <div class="row">
      <label class="field row">
        <span>Zoom</span>
        <select
          class="input"
          value={String(settings.zoom)}
          onChange={(event) => {
            const { value } = event.currentTarget
            onSettings({ zoom: value === 'fit' ? 'fit' : Number(value) })
          }}
        >
          {zooms.map((zoom) => (
            <option key={zoom} value={String(zoom)}>
              {zoom === 'fit' ? 'Fit' : zoom === 1 ? '1:1' : `${zoom}×`}
            </option>
          ))}
        </select>
      </label>
      <label class="field row">
        <span>Speed</span>
        <select class="input" value={String(settings.speed)} onChange={(event) => onSettings({ speed: Number(event.currentTarget.value) })}>
          {speeds.map((speed) => (
            <option key={speed} value={String(speed)}>
              {speed}×
            </option>
          ))}
        </select>
      </label>
      <fieldset class="row tight">
        <legend class="visually-hidden">Background</legend>
        {grounds.map(([ground, name]) => (
          <label key={ground} class="ground" title={name}>
            <input type="radio" name="ground" checked={settings.ground === ground} onChange={() => onSettings({ ground })} />
            <span class="visually-hidden">{name}</span>
            <i data-ground={ground} style={ground === 'colour' ? { background: settings.colour } : {}} />
          </label>
        ))}
        {settings.ground === 'colour' && (
          <input
            type="color"
            aria-label="Background colour"
            value={settings.colour}
            onInput={(event) => onSettings({ colour: event.currentTarget.value })}
          />
        )}
      </fieldset>
      <button
        type="button"
        class="button quiet icon-button"
        aria-pressed={settings.hasOnion}
        aria-label="Onion skin: the frame before in red, the next in blue"
        title="Onion skin"
        onClick={() => onSettings({ hasOnion: !settings.hasOnion })}
      >
        <Icon name="onion" />
      </button>
      <button
        type="button"
        class="button quiet icon-button"
        aria-pressed={settings.hasAnchor}
        aria-label="Show the anchor"
        title="Anchor"
        onClick={() => onSettings({ hasAnchor: !settings.hasAnchor })}
      >
        <Icon name="anchor" />
      </button>
    </div>
  )
}
