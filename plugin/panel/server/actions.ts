import {
  type FieldEdit,
  type FieldValue,
  type Overview,
  type OverviewItem,
  revokedWords,
  type SpecEditRequest,
  SpritewrightError,
  type Workshop,
} from '../../../src/index.ts'
import { takePath } from '../../../src/sprite-spec/request.ts'
import { nameInSprite } from '../../../src/sprite-spec/spec.ts'
import type { ActionAnswers, ActionName, ActionRequest } from '../../protocol/actions.ts'
import { approveOffer, readOffer } from './approval-offer.ts'
import { atService, type DevBuyer } from './buyer.ts'
import { type AskTouch, createTouching } from './touching.ts'

/** The dependencies of the actions. */
export interface ActionPorts {
  readonly workshop: Workshop
  readonly buyer: DevBuyer
  /**
   * Whether a person watches the terminal that shows the token. If not, a program that started the server can
   * read it.
   */
  readonly isAttended: boolean
  /** The panel's own origin at `localhost`, the only one at which a touch counts. */
  touchOrigin(): string
  /** The states of all requests, as the panel shows them. */
  overview(): Promise<Overview>
  /** Requests prices and balance again. */
  quote(): Promise<void>
  /**
   * Notifies pages that the state has changed, and returns its revision.
   *
   * @param paths Files that were written, absolute, or {@link atService}.
   */
  changed(paths: readonly string[]): number
}

/**
 * The panel's actions. Each throws `SpritewrightError`. The guard has decided before whether they may run.
 */
export type Actions = { readonly [Name in ActionName]: (ask: ActionRequest<Name>) => Promise<ActionAnswers[Name]> }

/** Actions that may lead to a charge, or that send something to an execution. */
export const spendingActions: ReadonlySet<ActionName> = new Set(['approve', 'touch', 'answer', 'recover', 'cancel'])

/** The actions of a running dev server. */
export function createActions(ports: ActionPorts): Actions {
  const { workshop, buyer, isAttended } = ports
  const touching = createTouching(workshop.host, ports.touchOrigin, buyer.closing)
  const done = (): { revision: number } => ({ revision: ports.changed(atService) })
  const write = async (sprite: string, digest: string, edit: SpecEditRequest['edit'], picture?: Uint8Array) => {
    const written = await workshop.editSpec({ sprite, digest, edit, picture })
    return { digest: written.digest, revision: ports.changed([written.file]) }
  }
  const writeTake = async (item: OverviewItem, digest: string, take: number) =>
    write(item.spec.name, digest, () => [{ path: takePath(item.spec, item.animation), value: take }])
  return {
    quote: async () => {
      await ports.quote()
      return done()
    },
    offer: (ask) => readOffer(workshop, ask),
    approve: async (ask) => {
      refuseUnlessBuying(workshop)
      const given = (await workshop.trust.touchState()) ? 'touched' : isAttended ? 'clicked' : 'unattended'
      const run = (touch: AskTouch): Promise<void> =>
        buyer.run([], async (_onProgress, signal, onWritten) => {
          await approveOffer(workshop, ask, { given, onWritten, touch }, signal)
          return []
        })
      const touch = await touching.begin(run)
      if (touch) return { ...done(), touch }
      void buyer.retry()
      return done()
    },
    touch: async (assertion) => {
      refuseUnlessBuying(workshop)
      await touching.answer(assertion)
      void buyer.retry()
      return done()
    },
    enrol: async ({ key }) => ({ word: workshop.trust.wordOf(key) }),
    revoke: async ({ id, hash }) => {
      if ((await findItem(ports, id)).hash !== hash) {
        const message = `Expected the request of "${id}" that was shown; it has changed since. Nothing was taken back. Check its state, and decide again.`
        throw new SpritewrightError('SW_CHANGED', { message, facts: { id } })
      }
      const words = revokedWords(await workshop.revoke([id])).join(' ')
      return { ...done(), words }
    },
    answer: async ({ id, text, asset, ...shown }) => {
      refuseUnlessBuying(workshop)
      const picture = asset && { path: asset.name, bytes: fromBase64(asset.base64) }
      // If nobody confirms the answer, the buyer sends it again under its key.
      await buyer.run([id], async (onProgress, signal) => {
        await workshop.answer({ name: id, text, asset: picture, shown, onProgress }, signal)
        return []
      })
      return done()
    },
    take: async ({ id, digest }) => {
      const item = await findItem(ports, id)
      const take = Math.max(...item.takes.map((one) => one.take)) + 1
      return { ...(await writeTake(item, digest, take)), take }
    },
    'choose-take': async ({ id, digest, take }) => writeTake(await findItem(ports, id), digest, take),
    use: async ({ id, digest, use }) => {
      const { spec, animation } = await findItem(ports, id)
      return write(spec.name, digest, (now) => useEdits(now, animation.name, use))
    },
    edit: (ask) => write(ask.sprite, ask.digest, (spec) => freeEdits(spec, ask)),
    reword: ({ picture, ...ask }) =>
      write(ask.sprite, ask.digest, (spec) => paidEdits(spec, ask), picture === undefined ? undefined : fromBase64(picture)),
    add: async ({ sprite, digest, ...ask }) => {
      const written = await write(sprite, digest, (spec) => newEdits(spec, ask))
      return { ...written, id: `${sprite}.${ask.name}` }
    },
    undo: async (target) => {
      const written = await workshop.undoSpecEdit(target)
      return { digest: written.digest, revision: ports.changed([written.file]) }
    },
    create: async ({ name, prompt, picture }) => {
      const { file } = await workshop.createSprite({ name, prompt, picture: fromBase64(picture) })
      return { revision: ports.changed([file]), id: `${name}.idle` }
    },
    recover: async ({ id, decision, ...shown }) => {
      if (decision === 'replay') {
        refuseUnlessBuying(workshop)
        await buyer.run(
          [id],
          async (onProgress, signal) => (await workshop.recover({ name: id, decision, shown, onProgress }, signal)).bought,
        )
      } else await workshop.recover({ name: id, decision, shown })
      return done()
    },
    cancel: async ({ id, hash }) => {
      const [ended] = await workshop.cancel(id, undefined, hash)
      return { ...done(), status: ended?.status ?? 'unknown' }
    },
    dismiss: async ({ id }) => {
      await workshop.requests.remove(id)
      return done()
    },
  }
}

/** @throws `SW_MISSING` if nothing may be bought here. */
function refuseUnlessBuying({ mayBuy }: Workshop): void {
  if (mayBuy) return
  throw new SpritewrightError('SW_MISSING', {
    message: 'Nothing may be bought here (CI, or build.generate is "never"). Nothing was sent. Approve and buy on a machine that may.',
  })
}

async function findItem(ports: ActionPorts, id: string): Promise<OverviewItem> {
  const item = (await ports.overview()).items.find((one) => one.id === id)
  if (item) return item
  throw new SpritewrightError('SW_USAGE', {
    message: `Expected the name of an animation or picture whose spec is in order, found ${JSON.stringify(id)}.`,
    facts: { name: id },
  })
}

function fromBase64(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'))
}

type Spec = OverviewItem['spec']

/** Frames that stay keep their times; new ones get the time of `fps`. */
function useEdits({ animations }: Spec, name: string, use: readonly number[] | null): readonly FieldEdit[] {
  const animation = animations.find((one) => one.name === name)
  if (!animation) return []
  const { durations, fps, frames } = animation
  const edits = fieldEdits(['animations', name, 'use'], use)
  if (!durations) return edits
  const all = Array.from({ length: frames }, (_, index) => index)
  const times = new Map((animation.use ?? all).map((frame, at) => [frame, durations[at]] as const))
  const played = (use ?? all).map((frame) => times.get(frame) ?? Math.max(1, Math.round(1000 / fps)))
  return [...edits, ...fieldEdits(['animations', name, 'durations'], played)]
}

function freeEdits(spec: Spec, { size, anchor, animations }: ActionRequest<'edit'>): readonly FieldEdit[] {
  const shares = anchor && [roundShare(anchor.x), roundShare(anchor.y)]
  return [...fieldEdits(['size'], size), ...fieldEdits(['anchor'], shares), ...animationEdits(spec, animations)]
}

function paidEdits(spec: Spec, { prompt, animations }: ActionRequest<'reword'>): readonly FieldEdit[] {
  return [...fieldEdits(['prompt'], prompt), ...animationEdits(spec, animations)]
}

/** An animation that is there keeps its fields: the edit is refused. */
function newEdits(spec: Spec, { name, prompt, frames }: Omit<ActionRequest<'add'>, 'sprite' | 'digest'>): readonly FieldEdit[] {
  if (spec.animations.some((animation) => animation.name === name)) {
    throw new SpritewrightError('SW_USAGE', {
      message: `Expected a new name of an animation, found ${JSON.stringify(name)}, which "${spec.name}" has. Nothing was written. Take another name.`,
      facts: { name },
    })
  }
  return fieldEdits(['animations', name], { prompt, frames })
}

function animationEdits(spec: Spec, animations: Readonly<Record<string, object>> = {}): readonly FieldEdit[] {
  return Object.entries(animations).flatMap(([name, fields]) => {
    const found = spec.animations.find((animation) => nameInSprite(spec, animation) === name)
    if (!found) {
      throw new SpritewrightError('SW_USAGE', {
        message: `Expected an animation of "${spec.name}", found ${JSON.stringify(name)}. Nothing was written.`,
        facts: { name },
      })
    }
    return Object.entries(fields).flatMap(([field, value]) =>
      fieldEdits(found.isPicture && !found.meant ? [field, name] : ['animations', name, field], value),
    )
  })
}

/** No edit for `undefined`, and one that removes the field for null. */
function fieldEdits(path: readonly string[], value: FieldValue | null | undefined): readonly FieldEdit[] {
  if (value === undefined) return []
  return [value === null ? { path } : { path, value }]
}

/** Four digits are finer than any pixel, and short in a file. */
function roundShare(share: number): number {
  return Math.round(share * 10_000) / 10_000
}
