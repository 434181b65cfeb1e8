import type { VNode } from 'preact'
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks'
import type { PanelError, PanelState } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { useAnswer, useFocusKept } from '../controls/hooks.ts'
import { inParts, ListPart } from '../controls/list-part.tsx'
import { PlaceLink } from '../controls/place-link.tsx'
import { Toast } from '../controls/toast.tsx'
import { ApproveDialog } from '../money/approve-dialog.tsx'
import { RequestList } from '../money/request-list.tsx'
import { AtlasPages } from '../overview/atlas-pages.tsx'
import { BatchBar } from '../overview/batch-bar.tsx'
import { Wall } from '../overview/wall.tsx'
import { type Place, usePlaceInPage } from '../state/address.ts'
import { GoContext, PanelContext, useModel, usePanel } from '../state/panel-context.ts'
import type { PanelStore } from '../state/panel-store.ts'
import { firstSettings, type ViewSettings } from '../state/view-settings.ts'
import { allPaid } from '../state/words.ts'
import { Header } from './header.tsx'
import { Ledger } from './ledger.tsx'
import { NewAnimation } from './new-animation.tsx'
import { NewSprite } from './new-sprite.tsx'
import { Problems, placeOf, wordsOf } from './problem-list.tsx'
import { AnimationDetail, OrphanDetail, StepDetail } from './sprite-detail.tsx'
import { SpriteList } from './sprite-list.tsx'

/** The whole page. */
export function App({ store }: { readonly store: PanelStore }): VNode {
  const model = useModel(store)
  const [approving, approve] = useState<readonly string[]>()
  const [settings, setSettings] = useState(firstSettings)
  const changeSettings = (change: Partial<ViewSettings>): void => setSettings((before) => ({ ...before, ...change }))
  const { state } = model
  const waiting = state ? allPaid(state).filter(({ wantsPerson }) => wantsPerson).length : 0
  useEffect(() => {
    if (state) document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${state.project} · spritewright`
  }, [state?.project, waiting])
  return (
    <>
      {state ? (
        <PanelContext.Provider value={{ store, model, state, settings, changeSettings, approve }}>
          <Page />
          {approving && <ApproveDialog ids={approving} onClose={() => approve(undefined)} />}
        </PanelContext.Provider>
      ) : (
        <>
          <p class="page soft">{model.link === 'lost' ? 'The dev server does not answer. See its terminal.' : 'Loading…'}</p>
          <Names store={store} />
        </>
      )}
      <p class="visually-hidden" role="status">
        {model.status}
      </p>
    </>
  )
}

/** The names of all sprites, until their states are here. */
function Names({ store }: { readonly store: PanelStore }): VNode {
  const [names = []] = useAnswer(store.api.names, [store])
  return (
    <ul>
      {inParts(names, 50).map((part, at) => (
        <ListPart key={at} guess={part.length * 20}>
          {() =>
            part.map((name) => (
              <li key={name} class="group-head">
                {name}
              </li>
            ))
          }
        </ListPart>
      ))}
    </ul>
  )
}

function Page(): VNode {
  const { store, state } = usePanel()
  const [place, go] = usePlaceInPage()
  useQuote(store, state)
  useFocusKept()
  const main = useRef<HTMLElement>(null)
  const moved = useCallback((next: Place): void => {
    go(next)
    setTimeout(() => {
      for (const area of main.current?.querySelectorAll('.detail-pane') ?? []) area.scrollTop = 0
      // Beside the visible list, the focus stays for the next choice. If the list is hidden, or on another
      // page, the focus goes to the opened content.
      const list = main.current?.querySelector('.list-pane')
      if (list?.checkVisibility() && next.id !== undefined) return
      window.scrollTo(0, 0)
      main.current?.querySelector<HTMLElement>('h1')?.focus({ preventScroll: true })
    })
  }, [])
  return (
    <GoContext.Provider value={moved}>
      <div class="frame" data-view={place.view}>
        <Header place={place} />
        <Notices place={place} />
        <main ref={main} class="main scroll" data-open={place.id !== undefined || undefined}>
          {place.view === 'wall' && <Wall />}
          {place.view === 'atlases' && <AtlasPages />}
          {place.view === 'ledger' && <Ledger />}
          {place.view === 'problems' && <Problems />}
          {place.view === 'sprites' && <Sprites place={place} />}
        </main>
        <Toast />
      </div>
    </GoContext.Provider>
  )
}

/**
 * Requests balance and prices when a page that may act is opened, and again when an unbought request has no
 * price yet. This is free. A request that has no price after that stays without; the state has the reason.
 */
function useQuote(store: PanelStore, { access, service, sprites, steps }: PanelState): void {
  const marks = [
    ...sprites.flatMap((sprite) => sprite.animations.map((paid) => ({ paid, mark: `${paid.id} ${paid.take} ${paid.frames}` }))),
    ...steps.map((paid) => ({ paid, mark: paid.id })),
  ]
  const unpriced = marks.flatMap(({ paid, mark }) => (paid.canBeApproved && paid.price === undefined ? [mark] : [])).join('\n')
  const canAsk = access.mayAct && service.mode !== 'none'
  useEffect(() => {
    if (canAsk) void store.api.act('quote', {}).catch(() => undefined)
  }, [store, canAsk, unpriced])
}

function Sprites({ place }: { readonly place: Place }): VNode {
  const { state, store } = usePanel()
  const go = useContext(GoContext)
  const show = (id: string): void => go({ view: 'sprites', id })
  const [isMaking, setMaking] = useState(false)
  const [adding, setAdding] = useState<string>()
  const shown = place.id ?? allPaid(state)[0]?.id
  const row = state.sprites.find((other) => other.animations.some((animation) => animation.id === shown))
  const sprite = state.open.find(({ name }) => name === row?.name)
  const animation = sprite?.animations.find((other) => other.id === shown)
  useEffect(() => store.open(row?.name), [store, row?.name])
  const step = state.steps.find((other) => other.id === shown)
  const orphan = state.orphans.find((other) => other.id === shown)
  return (
    <>
      <SpriteList shown={shown} onNew={() => setMaking(true)} />
      {isMaking && <NewSprite onClose={() => setMaking(false)} onMade={show} />}
      {adding !== undefined && <NewAnimation sprite={adding} onClose={() => setAdding(undefined)} onMade={show} />}
      <div class="detail-pane scroll">
        <PlaceLink class="back-link" to={{ view: 'sprites' }}>
          ‹ All sprites
        </PlaceLink>
        {sprite && animation && (
          <AnimationDetail key={animation.id} sprite={sprite} animation={animation} onAdd={() => setAdding(sprite.name)} />
        )}
        {row && !animation && (
          <article class="page">
            <h1 tabIndex={-1}>{shown}</h1>
          </article>
        )}
        {step && <StepDetail key={step.id} step={step} />}
        {orphan && <OrphanDetail key={orphan.id} orphan={orphan} />}
        {place.id !== undefined && !row && !step && !orphan && (
          <p class="page soft">{place.id} is not there any more. Choose another one from the list.</p>
        )}
      </div>
    </>
  )
}

/** Notices for the whole page: why it is read-only, what went wrong, what was refused. */
function Notices({ place }: { readonly place: Place }): VNode {
  const go = useContext(GoContext)
  const { state, model, store } = usePanel()
  const { access, service } = state
  // The open detail shows its own errors.
  const isTold = (error: PanelError): boolean =>
    place.view === 'problems' || (place.view === 'sprites' && error.id === place.id && error.id !== undefined)
  const worst = state.errors.find((error) => !isTold(error))
  const isOfSpec = ({ code }: PanelError): boolean => code === 'SW_SPEC' || code === 'SW_SPEC_NAME'
  const broken = worst && isOfSpec(worst) ? state.errors.filter(isOfSpec).length : 0
  return (
    <div class="notices">
      <BatchBar />
      <RequestList />
      {access.words !== '' && (
        <div class="notice stack tight" data-tone="warn">
          <h2>{access.mayAct ? 'Nothing can be bought from here' : 'Read-only'}</h2>
          <p>{access.words}</p>
        </div>
      )}
      {service.words !== '' && (
        <div class="notice stack tight" data-tone="warn">
          <p>{service.words}</p>
          {access.mayAct && service.mode !== 'none' && (
            <Button label="Ask again" look="quiet" onClick={() => void store.act('quote', {})} />
          )}
        </div>
      )}
      <div role="alert">
        {worst && (
          <div class="notice stack tight one-line" data-tone="bad">
            <p class="grow cut">
              <strong>{broken > 1 ? `${broken} specs are broken, see Problems.` : placeOf(worst) || worst.id || worst.code}</strong>{' '}
              {broken > 1 ? 'All others can be approved.' : wordsOf(worst)}
            </p>
            <Button
              label={state.errors.length > 1 ? `All ${state.errors.length} problems` : 'More'}
              look="quiet"
              onClick={() => go({ view: 'problems' })}
            />
          </div>
        )}
        {model.refusal && (
          <div class="notice stack tight" data-tone="bad">
            <p>{model.refusal.message}</p>
            <Button label="Dismiss" look="quiet" onClick={() => store.forgetRefusal()} />
          </div>
        )}
      </div>
    </div>
  )
}
