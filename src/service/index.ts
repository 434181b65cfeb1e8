/** The public part of `spritewright/service`: a client of the service, for authors of other tools. */
export { type ClientOptions, type ClientPorts, createClient, type ServiceClient } from './client.ts'
export { defaultLimits, type Limits } from './limits/limits.ts'
export {
  type Accepted,
  type DeliveryLayout,
  defaultProfile,
  type EventHint,
  type Profile,
  type ProfileReply,
  type ProfileRequest,
  type RequestPort,
  resolveProfile,
  type StreamEvent,
} from './profile.ts'
export { adviceFor, type PublicReason, reasonAdvice } from './reasons.ts'
export type { AnswerSubmission, ImageSubmission, QuestionAnswer, ReferenceFile, SheetSubmission, Submission } from './submission.ts'
export type {
  Cancellation,
  Capabilities,
  Estimate,
  Execution,
  FinishedAsset,
  FrameReview,
  PublicError,
  Question,
  ServiceEvent,
  SubmissionOutcome,
} from './wire.ts'
