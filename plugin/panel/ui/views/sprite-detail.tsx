import type { ComponentChildren, VNode } from 'preact'
import type { PanelError, PanelOrphan, PanelPaid, PanelStep } from '../../../protocol/protocol.ts'
import { Button } from '../controls/button.tsx'
import { StateMark } from '../controls/state-mark.tsx'
import { DecisionForm } from '../money/decision-form.tsx'
import { MoneyBox } from '../money/money-box.tsx'
import { QuestionForm } from '../money/question-form.tsx'
import { FilmStrip } from '../preview/film-strip.tsx'
import type { Player } from '../preview/playback.ts'
import { Stage } from '../preview/stage.tsx'
import { Transport } from '../preview/transport.tsx'
import { useFrames } from '../preview/use-frames.ts'
import { usePlayer } from '../preview/use-player.ts'
import { type Shown, usePanel } from '../state/panel-context.ts'
import { countWords, progressOf } from '../state/words.ts'
import { Takes } from '../takes/takes.tsx'
import { CodeBox } from './code-box.tsx'
import { Inspector } from './inspector.tsx'
import { PaidFields } from './paid-fields.tsx'
import { ProblemList } from './problem-list.tsx'

/** The properties of an animation's page. */
export interface AnimationDetailProps extends Shown {
  readonly onAdd: () => void
}

/** One animation, with all its data and actions. */
export function AnimationDetail({ sprite, animation, onAdd }: AnimationDetailProps): VNode {
  const { settings } = usePanel()
  const { loop, yoyo, played } = animation
  const player = usePlayer({ durations: played.map((frame) => frame.durationMs), loop, yoyo, speed: settings.speed })
  const isOwn = animation.state === 'own'
  // A bought picture has steps, which are edited in the file, and no playback.
  const hasFields = !isOwn && !animation.isPicture
  const changes = animation.changed.length > 0 ? `, ${animation.changed.join(', ')} changed since the last purchase` : ''
  return (
    <Detail
      paid={animation}
      file={sprite.file}
      words={isOwn ? animation.words : animation.prompt}
      about={`${countWords(animation.frames, 'frame')}${isOwn ? ` of ${sprite.reference}` : `, take ${animation.take}`}${changes}`}
      onAdd={hasFields ? onAdd : undefined}
    >
      <div class="columns">
        <div class="stack">
          <section class="card stage-block" aria-label="Preview">
            <Stage sprite={sprite} animation={animation} player={player} />
            <Transport player={player} count={played.length} />
            {animation.isPlaceholder && <p class="soft small">A placeholder, with the frames and the size of the real one.</p>}
            {animation.isSuperseded && (
              <p class="soft small">Superseded: bought before the spec was changed. It is shown until the new one is here.</p>
            )}
          </section>
          {hasFields && <Delivered sprite={sprite} animation={animation} player={player} />}
          {animation.takes.length > 0 && <Takes sprite={sprite} animation={animation} />}
        </div>
        <div class="stack narrow">
          {!isOwn && <MoneyBox paid={animation} />}
          {hasFields && <PaidFields sprite={sprite} animation={animation} />}
          {hasFields && <Inspector sprite={sprite} animation={animation} />}
          <CodeBox sprite={sprite} animation={animation} />
        </div>
      </div>
    </Detail>
  )
}

/** All delivered frames of an animation. */
function Delivered({ sprite, animation, player }: Shown & { readonly player: Player }): VNode {
  const delivered = useFrames(animation.id, animation.take, `${animation.state} ${sprite.pages.map((page) => page.url).join(' ')}`)
  return <FilmStrip sprite={sprite} animation={animation} player={player} delivered={delivered} />
}

/** One paid step of a reference chain. */
export function StepDetail({ step }: { readonly step: PanelStep }): VNode {
  const { state, approve } = usePanel()
  // A step is bought for animations, and approved with all that they need.
  const approveAll = (): void => {
    const animations = state.sprites.filter(({ name }) => step.sprites.includes(name)).flatMap((sprite) => sprite.animations)
    approve(animations.filter((paid) => paid.canBeApproved || paid.state === 'approved').map(({ id }) => id))
  }
  return (
    <Detail paid={step} words={step.prompt} about={`${step.operation.replaceAll('_', ' ')}, for ${step.sprites.join(', ')}`}>
      <MoneyBox paid={step} onApprove={approveAll} isFor={step.sprites} />
    </Detail>
  )
}

/** A request that no spec asks for any more, with its possible actions but without an approval. */
export function OrphanDetail({ orphan }: { readonly orphan: PanelOrphan }): VNode {
  return (
    <Detail paid={orphan} words={orphan.prompt} about={`${orphan.was}, requested by an earlier version of its spec`}>
      <MoneyBox paid={orphan} />
    </Detail>
  )
}

interface DetailProps {
  readonly paid: PanelPaid
  /** Path of its spec, if it is an animation of one. */
  readonly file?: string
  readonly words: string
  /** A few words about what it is. */
  readonly about: string
  /** Opens the dialog for another animation of the sprite; missing if it is no animation of one. */
  readonly onAdd?: (() => void) | undefined
  readonly children: ComponentChildren
}

/** The page of a request: its head, what waits for a person, and the rest. */
function Detail({ paid, file, words, about, onAdd, children }: DetailProps): VNode {
  const { model, state, store } = usePanel()
  return (
    <article class="page detail stack">
      <header class="detail-head stack tight">
        <div class="spread">
          <h1 tabIndex={-1}>{paid.id}</h1>
          <StateMark paid={paid} progress={progressOf(model.progress, paid)} />
        </div>
        <p class="prompt">{words}</p>
        <p class="soft small">
          {about}
          {file !== undefined && (
            <>
              {' · '}
              <span class="path">{file}</span> <Button label="Open in editor" look="quiet" onClick={() => void store.openInEditor(file)} />
              {onAdd && <Button label="Add an animation…" look="quiet" disabled={!state.access.mayAct} onClick={onAdd} />}
            </>
          )}
        </p>
      </header>
      <Troubles paid={paid} file={file} />
      {children}
    </article>
  )
}

/** The question, decision and errors that wait for a person, above everything else. */
function Troubles({ paid, file }: Pick<DetailProps, 'paid' | 'file'>): VNode {
  const { state } = usePanel()
  // The form of a decision says what the records say.
  const isTold = ({ message }: PanelError): boolean => paid.undecided !== undefined && message === paid.words
  const errors = state.errors.filter(
    (error) => (error.id === paid.id && !isTold(error)) || (file !== undefined && error.file === file && error.id === undefined),
  )
  return (
    <>
      <QuestionForm key={`question ${paid.question?.questionId}`} paid={paid} />
      {/* A dialog's subject never changes under the pointer: another decision is another form. */}
      <DecisionForm key={`decision ${paid.hash} ${paid.attempt} ${paid.undecided}`} paid={paid} />
      <div role="alert">{errors.length > 0 && <ProblemList errors={errors} />}</div>
    </>
  )
}
