import type { VNode } from 'preact'
import type { PanelState } from '../../../protocol/protocol.ts'
import { focusHeading } from '../controls/hooks.ts'
import { PlaceLink } from '../controls/place-link.tsx'
import { ThemeToggle } from '../controls/theme.tsx'
import { addressOf, type Place, views } from '../state/address.ts'
import { usePanel } from '../state/panel-context.ts'
import { creditsWords } from '../state/words.ts'
import { Keys } from './keys.tsx'

/** The project's name, links to the views, and the credits at a glance. Its first link skips it. */
export function Header({ place }: { readonly place: Place }): VNode {
  const { state, model } = usePanel()
  const problems = state.errors.length + state.warnings.length
  return (
    <header class="top band row">
      <a class="visually-hidden" href={addressOf(place)} onClick={skip}>
        Skip to the content
      </a>
      <p class="brand spread">
        <strong class="large cut">{state.project}</strong>
        <span class="soft wide-only">spritewright</span>
      </p>
      <nav aria-label="Views">
        <ul>
          {(Object.keys(views) as Place['view'][]).map((view) => (
            <li key={view}>
              <PlaceLink class="beside" to={{ view }} aria-current={place.view === view ? 'page' : undefined}>
                {views[view]}
                {view === 'problems' && problems > 0 && (
                  <span class="badge" data-tone={state.errors.length > 0 ? 'bad' : 'warn'}>
                    {problems}
                    <span class="visually-hidden"> found</span>
                  </span>
                )}
              </PlaceLink>
            </li>
          ))}
        </ul>
      </nav>
      <div class="row end">
        {model.link === 'lost' && (
          <span class="state" data-tone="bad">
            no connection
          </span>
        )}
        <Purse state={state} />
        <Keys />
        <ThemeToggle />
      </div>
    </header>
  )
}

function skip(event: MouseEvent): void {
  event.preventDefault()
  focusHeading()
}

const modes: Readonly<Partial<Record<PanelState['service']['mode'], string>>> = {
  test: 'test key',
  embedded: 'play money',
  none: 'no service',
}

function Purse({ state: { service, ledger } }: { readonly state: PanelState }): VNode {
  const mode = modes[service.mode]
  return (
    <span class="purse spread">
      {mode !== undefined && <span class="tag">{mode}</span>}
      {service.balance !== undefined && (
        <span class="number" title={service.host}>
          {service.balance}
          <span class="soft"> credits</span>
          <span class="soft wide-only"> available</span>
        </span>
      )}
      {ledger.held !== '0' && (
        <span
          class="number wide-only"
          title={`The service holds ${creditsWords(ledger.held)} for purchases in work. The available credits do not include them.`}
        >
          {ledger.held}
          <span class="soft"> held</span>
          <span class="soft"> for purchases</span>
        </span>
      )}
    </span>
  )
}
