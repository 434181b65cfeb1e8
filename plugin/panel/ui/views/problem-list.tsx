import type { VNode } from 'preact'
import type { PanelError } from '../../../protocol/protocol.ts'
import { usePanel } from '../state/panel-context.ts'

/** Errors with their place and what to do, in their own words. */
export function ProblemList({ errors }: { readonly errors: readonly PanelError[] }): VNode {
  return (
    <ul class="stack problems">
      {errors.map((error) => (
        <li
          key={`${error.code}${error.id ?? ''}${error.file ?? ''}${error.line ?? ''}${error.message}`}
          class="notice stack tight"
          data-tone="bad"
        >
          <div class="spread">
            <h2 class={error.id === undefined && error.file !== undefined ? 'path' : ''}>{error.id ?? (placeOf(error) || error.code)}</h2>
            <span class="soft small">{error.code}</span>
          </div>
          <p>{wordsOf(error)}</p>
          {error.id !== undefined && error.file !== undefined && <p class="path">{placeOf(error)}</p>}
        </li>
      ))}
    </ul>
  )
}

/** The page of all problems and warnings. */
export function Problems(): VNode {
  const { state } = usePanel()
  return (
    <div class="page stack">
      <h1 tabIndex={-1}>Problems</h1>
      {state.errors.length === 0 && state.warnings.length === 0 && <p class="soft">Nothing is wrong.</p>}
      <ProblemList errors={state.errors} />
      <ul class="stack problems">
        {state.warnings.map((warning) => (
          <li key={warning} class="notice stack tight" data-tone="warn">
            <p>{warning}</p>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** `sprites/hero.sprite.json:12:5`, as editors and terminals accept it. */
export function placeOf({ file, line, column }: PanelError): string {
  return [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined).join(':')
}

/** The message without the place, where that stands above it. */
export function wordsOf(error: PanelError): string {
  const place = `${placeOf(error)} `
  return error.message.startsWith(place) ? error.message.slice(place.length) : error.message
}
