/**
 * The actions that the panel asks the dev server for; see `protocol.ts` for the transport.
 *
 * @module
 */
import { z } from 'zod'
import type { TouchChallenge } from '../../src/index.ts'
import type { PanelError } from './protocol.ts'
import type { PanelOffer } from './state/offer.ts'

export type { PanelOffer }

/** The name of a sprite. */
export const spriteName: z.ZodString = z.string().min(1).max(400)

const name = spriteName
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const credits = z.string().regex(/^\d{1,15}(?:\.\d{1,4})?$/)
const base64url = z.string().max(8192)
const text = z.string().min(1).max(20_000)
/** A PNG, JPEG or WebP picture of at most 8 MiB. */
const base64 = z.base64().max(11_184_812)
/** An animation whose spec file is written: `hero.walk`, and {@link PanelSprite.digest} of what the person saw. */
const target = { id: name, digest }
/** A sprite whose spec file is written, in the same way. */
const spec = { sprite: name, digest }
/**
 * The request that the person saw: {@link PanelPaid.id}, for messages alone, and {@link PanelPaid.hash}. The action is
 * refused if the id names another request meanwhile.
 */
const paid = { id: name, hash: digest }
const serviceId = z.string().min(1).max(400)
const offer = {
  /** Sprites or animations, whose steps are included; empty for everything that is missing. */
  ids: z.array(name).max(10_000).readonly(),
  /** Ceiling for each line instead of its price. */
  ceiling: credits.optional(),
  /** Takes over requests of another checkout, after a person has checked that it did not buy them. */
  adopt: z.boolean().optional(),
}
/** The terms of a line that a person agrees to. The prompt of a line is for display only: its hash covers it. */
const line = z.object({ id: name, hash: digest, price: credits, ceiling: credits })
/**
 * Free fields of an animation. Their ranges are not checked here: the schema of specs reads the edited spec before it is
 * written.
 */
const animation = z.strictObject({
  fps: z.number().nullable().optional(),
  loop: z.boolean().nullable().optional(),
  yoyo: z.boolean().nullable().optional(),
  durations: z.array(z.number()).readonly().nullable().optional(),
  /** Remarks of the quality check that are meant to be so. */
  meant: z.array(z.string().max(40)).max(40).readonly().nullable().optional(),
})

/** The request of each action. A field that is left out stays as it is, and null removes a field from the spec. */
export const asks = {
  quote: z.strictObject({}),
  offer: z.strictObject(offer),
  /** The offer that the person saw and agreed to: its request, its lines and its sum. */
  approve: z.strictObject({ ...offer, lines: z.array(line).max(20_000).readonly(), sum: credits }),
  /** What the authenticator says to the challenge of `approve`, base64url. */
  touch: z.strictObject({ credential: base64url, authenticatorData: base64url, clientData: base64url, signature: base64url }),
  /** The public key of a new credential: `ES256.CREDENTIAL.SPKI`, or `RS256`. */
  enrol: z.strictObject({ key: z.string().max(4096) }),
  answer: z.strictObject({
    ...paid,
    /** {@link PanelPaid.question} that the person saw. */
    questionId: serviceId,
    text,
    asset: z.strictObject({ name: z.string().max(400), base64 }).optional(),
  }),
  revoke: z.strictObject(paid),
  take: z.strictObject(target),
  'choose-take': z.strictObject({ ...target, take: z.number() }),
  use: z.strictObject({ ...target, use: z.array(z.number()).readonly().nullable() }),
  edit: z.strictObject({
    ...spec,
    size: z
      .union([z.number(), z.strictObject({ width: z.number(), height: z.number() }), z.strictObject({ figure: z.number() })])
      .nullable()
      .optional(),
    anchor: z.strictObject({ x: z.number(), y: z.number() }).nullable().optional(),
    /** By their keys in the spec. */
    animations: z.record(name, animation).optional(),
  }),
  reword: z.strictObject({
    ...spec,
    prompt: text.optional(),
    /** A picture to begin with. It is written beside the spec under a new name, and the earlier picture stays. */
    picture: base64.optional(),
    /** By their keys in the spec. Without a prompt of its own, an animation has only that of the sprite. */
    animations: z.record(name, z.strictObject({ prompt: text.nullable().optional(), frames: z.number().optional() })).optional(),
  }),
  add: z.strictObject({ ...spec, name, prompt: text, frames: z.number() }),
  undo: z.strictObject(spec),
  create: z.strictObject({ name, prompt: text, picture: base64 }),
  /** A decision about the undecided purchase that the person saw. */
  recover: z.strictObject({
    ...paid,
    decision: z.enum(['replay', 'abandon']),
    attempt: z.int().min(1).max(1_000_000),
    /** {@link PanelPaid.undecided}. */
    about: z.enum(['submission', 'answer', 'conflict', 'execution']),
    /** {@link PanelPaid.executionId}, if the decision is about an execution or an answer. */
    executionId: serviceId.optional(),
  }),
  cancel: z.strictObject(paid),
  /** Ends a request of a program, {@link PanelState.requests}. */
  dismiss: z.strictObject({ id: z.uuid() }),
}

/** The names of the panel's actions. */
export type ActionName = keyof typeof asks

/** The validated request of an action. */
export type ActionRequest<Name extends ActionName> = z.infer<(typeof asks)[Name]>

/** The response of each action. A refusal is a {@link PanelRefusal} with a status of 400 or above. */
export interface ActionAnswers {
  /**
   * Asks the service for balance and prices, which is free. The panel sends this action when it is opened.
   * The server then sends an event.
   */
  readonly quote: Done
  /**
   * Returns what an approval would contain now, with fresh prices. The panel shows it before `approve`.
   * Writes nothing.
   */
  readonly offer: PanelOffer
  /**
   * Approves an offer that was shown. If any part of the offer has changed since, nothing is written, and the
   * refusal contains a new `offer`. After an approval the purchase starts by itself. With `touch`, nothing is written
   * before the action of that name, which must follow within two minutes.
   */
  readonly approve: Done & { readonly touch?: TouchChallenge }
  readonly touch: Done
  /** Returns the word of a key, which `npx spritewright trust --touch KEY` asks for. Writes nothing. */
  readonly enrol: { readonly word: string }
  /** Takes back what was approved and not used, with the steps that it needs. Returns what became of it, in words. */
  readonly revoke: Done & { readonly words: string }
  readonly answer: Done
  /** Writes the next number into the spec's `take`, and returns it. The take is bought once it is approved. */
  readonly take: Edited & { readonly take: number }
  /** Writes a take into the spec. */
  readonly 'choose-take': Edited
  /**
   * Writes which delivered frames are played, and in which order; null for all. Frames that stay keep their
   * `durations`.
   */
  readonly use: Edited
  /** Writes free fields. */
  readonly edit: Edited
  /** Writes paid fields, which makes another request. The bought animation is shown until that is bought. */
  readonly reword: Edited
  /** Writes another animation into a spec. It is bought once it is approved. */
  readonly add: Edited & { readonly id: string }
  /** Undoes the last edit of a spec that this server made, byte for byte. */
  readonly undo: Edited
  /** Writes a spec with one animation, and its picture. */
  readonly create: Done & { readonly id: string }
  /** Applies a decision to the part of a request that is `undecided`, and to nothing else. `replay` may buy. */
  readonly recover: Done
  /**
   * Cancels a picture that is being made; sprite executions cannot be cancelled. Returns the current status
   * at the service, because the picture may have been finished first.
   */
  readonly cancel: Done & { readonly status: string }
  readonly dismiss: Done
}

/** The action is done. */
export interface Done {
  /** A state that shows the result has at least this revision. */
  readonly revision: number
}

/** A spec was written. */
export interface Edited extends Done {
  /** SHA-256 of the spec file after the edit. The next edit sends it, even before a new state arrives. */
  readonly digest: string
}

/** Why an action was refused. */
export interface PanelRefusal {
  readonly error: PanelError
  /** The current offer, if a price or the selection has changed since it was shown. */
  readonly offer?: PanelOffer
}
