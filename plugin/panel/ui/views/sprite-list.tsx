import type { VNode } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { PanelState, RequestRow, ShownState, SpriteRow } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { CheckField } from '../controls/check-field.tsx'
import { Choice } from '../controls/choice.tsx'
import { inParts, ListPart } from '../controls/list-part.tsx'
import { PlaceLink } from '../controls/place-link.tsx'
import { useRoving } from '../controls/roving.ts'
import { FramePicture } from '../preview/frame-picture.tsx'
import { usePictures } from '../preview/use-frames.ts'
import { usePanel } from '../state/panel-context.ts'
import { allPaid, countWords, creditsWords, isMore, progressOf, sumOf } from '../state/words.ts'
import { PaidRow } from './paid-row.tsx'

/** The properties of the list. */
export interface SpriteListProps {
  /** Id of the open request. */
  readonly shown: string | undefined
  readonly onNew: () => void
}

type Filter = 'all' | 'open' | 'flagged' | 'placeholder' | 'superseded' | ShownState
type Order = 'name' | 'price'

const filters: readonly (readonly [Filter, string])[] = [
  ['all', 'All'],
  ['open', 'Waits for me'],
  ['flagged', 'Flagged'],
  ['placeholder', 'Placeholders'],
  ['superseded', 'Superseded'],
]
const orders = [
  ['name', 'By name'],
  ['price', 'By price'],
] as const

/** Every sprite with its animations and their prices, and the button that approves several at once. */
export function SpriteList({ shown, onNew }: SpriteListProps): VNode {
  const { state, model, approve } = usePanel()
  const [words, setWords] = useState('')
  const [filter, setFilter] = useState<Filter>('all')
  const [order, setOrder] = useState<Order>('name')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { groups, steps, orphans } = useMemo(() => find(state, words, filter, order), [state, words, filter, order])
  const stateWords = useMemo(() => new Map(allPaid(state).map((paid) => [paid.state, paid.word])), [state])
  const states = (Object.keys(state.totals.counts) as ShownState[]).map(
    (one) => [one, `${capital(stateWords.get(one) ?? one)} (${state.totals.counts[one]})`] as const,
  )
  const buyable = groups.flatMap((group) => group.animations.filter((paid) => paid.canBeApproved).map(({ id }) => id))
  const sprites = state.sprites.filter(({ animations }) => animations.some((paid) => paid.canBeApproved && chosen.has(paid.id)))
  const selected = sprites.flatMap(({ animations }) => animations.filter((paid) => paid.canBeApproved && chosen.has(paid.id)))
  const needed = state.steps.filter((step) => step.canBeApproved && sprites.some(({ name }) => step.sprites.includes(name)))
  const choose = (ids: readonly string[], isChosen: boolean): void =>
    setChosen((before) => new Set(isChosen ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))))
  const roving = useRoving()
  // Steps are bought for animations, and approved with them.
  const row = (paid: RequestRow, name: string, isStep = false): VNode => (
    <PaidRow
      key={paid.id}
      {...{ paid, name, progress: progressOf(model.progress, paid), isShown: paid.id === shown, isChosen: chosen.has(paid.id) }}
      {...(isStep ? {} : { onChoose: (isOn: boolean) => choose([paid.id], isOn) })}
    />
  )
  return (
    <div class="list-pane">
      <search class="row list-head">
        <input
          type="search"
          class="input search"
          placeholder="Find a sprite"
          aria-label="Find a sprite"
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
        />
        <Button label="New sprite…" disabled={!state.access.mayAct} onClick={onNew} />
        <Choice aria-label="Show" value={filter} options={[...filters, ...states]} onChoose={setFilter} />
        <Choice aria-label="Order" value={order} options={orders} onChoose={setOrder} />
      </search>
      <div class="list scroll" {...roving}>
        {inParts(groups, perPart).map((part, at) => (
          <ListPart key={at} guess={part.reduce((sum, { animations }) => sum + headPx + animations.length * linePx, 0)}>
            {() =>
              part.map(({ sprite, animations }) => (
                <section key={sprite.name} class="group" aria-label={sprite.name}>
                  <GroupHead sprite={sprite} />
                  <ul>{animations.map((animation) => row(animation, animation.name))}</ul>
                </section>
              ))
            }
          </ListPart>
        ))}
        <OtherGroup title="Reference pictures" lines={steps}>
          {(step) => row(step, `${step.id} · ${step.operation.replaceAll('_', ' ')}`, true)}
        </OtherGroup>
        <OtherGroup title="Earlier requests" lines={orphans}>
          {(orphan) => row(orphan, orphan.was, true)}
        </OtherGroup>
        {groups.length + steps.length + orphans.length === 0 && (
          <p class="page soft">
            {state.sprites.length === 0
              ? 'No spec was found. "npx spritewright init" writes a first one.'
              : 'Nothing fits. Clear the search to see all.'}
          </p>
        )}
      </div>
      {buyable.length + selected.length > 0 && (
        <div class="approval-bar band row">
          <CheckField
            label={
              <span>
                All {buyable.length}
                <span class="visually-hidden"> to buy</span>
              </span>
            }
            value={selected.length > 0 && buyable.every((id) => chosen.has(id))}
            onCommit={(isOn) => choose(buyable, isOn)}
          />
          <span class="number soft end">{selected.length > 0 ? total(selected, needed) : allTotal(state)}</span>
          <Button
            label={selected.length > 0 ? `Approve ${selected.length}…` : 'Tick to approve'}
            look="primary"
            disabled={selected.length === 0 || !state.access.mayBuy}
            onClick={() => approve(selected.map((paid) => paid.id))}
          />
        </div>
      )}
    </div>
  )
}

/** Groups, or lines of the other groups, that are drawn together. */
const perPart = 10
/** About how high the head of a group and a line are, in pixels. */
const [headPx, linePx] = [40, 28]

/** The name of a sprite, which opens its first animation, and its picture. */
function GroupHead({ sprite }: { readonly sprite: SpriteRow }): VNode {
  const pictures = usePictures(sprite)
  return (
    <header class="group-head beside">
      <span class="card thumb">
        <FramePicture pages={pictures?.pages ?? []} frame={pictures?.animations[0]?.played[0]} pixelArt={pictures?.pixelArt === true} />
      </span>
      <h2 class="cut">
        <PlaceLink tabIndex={-1} to={{ view: 'sprites', id: sprite.animations[0]?.id }}>
          {sprite.name}
        </PlaceLink>
      </h2>
    </header>
  )
}

/** Requests that belong to no sprite. Nothing if there are none. */
function OtherGroup<T>({
  title,
  lines,
  children,
}: {
  readonly title: string
  readonly lines: readonly T[]
  readonly children: (line: T) => VNode
}): VNode | null {
  if (lines.length === 0) return null
  return (
    <section aria-label={title}>
      <h2 class="group-head">{title}</h2>
      {inParts(lines, perPart).map((part, at) => (
        <ListPart key={at} guess={part.length * linePx}>
          {() => <ul>{part.map(children)}</ul>}
        </ListPart>
      ))}
    </section>
  )
}

function total(selected: readonly RequestRow[], needed: readonly RequestRow[]): string {
  const sum = sumOf([...selected, ...needed].map((paid) => paid.price?.credits))
  return sum === undefined ? countWords(selected.length, 'animation') : creditsWords(sum)
}

function allTotal({ totals }: PanelState): string {
  return totals.price === undefined ? '' : `${creditsWords(totals.price)} in all`
}

/** Everything that has the words in its name or file, and fits the filter. By price, the dearest is first. */
function find(state: PanelState, words: string, filter: Filter, order: Order) {
  const wanted = words.trim().toLowerCase()
  const named = (text: string): boolean => text.toLowerCase().includes(wanted)
  const sort = <T extends RequestRow>(all: readonly T[]): readonly T[] => (order === 'name' ? all : all.toSorted(byPrice))
  const groups = state.sprites.flatMap((sprite) => {
    const animations = sprite.animations.filter(
      (animation) => (named(animation.id) || named(sprite.file)) && (fits(animation, filter) || isShownAs(animation, filter)),
    )
    return animations.length === 0 ? [] : [{ sprite, animations: sort(animations) }]
  })
  const isFound = (paid: RequestRow): boolean => named(paid.id) && fits(paid, filter)
  return {
    groups: order === 'name' ? groups : groups.toSorted((a, b) => byPrice(a.animations[0], b.animations[0])),
    steps: sort(state.steps.filter(isFound)),
    orphans: sort(state.orphans.filter(isFound)),
  }
}

function fits(paid: RequestRow, filter: Filter): boolean {
  return filter === 'all' || filter === paid.state || (filter === 'open' && paid.wantsPerson)
}

function isShownAs({ faults, isPlaceholder, isSuperseded }: SpriteRow['animations'][number], filter: Filter): boolean {
  if (filter === 'flagged') return faults > 0
  if (filter === 'placeholder') return isPlaceholder
  return filter === 'superseded' && isSuperseded
}

/** The dearest first; what has no price last. */
function byPrice(a: RequestRow | undefined, b: RequestRow | undefined): number {
  const [one, other] = [a?.price?.credits, b?.price?.credits]
  if (one === other) return 0
  if (one === undefined || other === undefined) return one === undefined ? 1 : -1
  return isMore(one, other) ? -1 : 1
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
