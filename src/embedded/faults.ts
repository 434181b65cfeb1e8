/** What goes wrong. */
export interface FaultPlan {
  readonly rules: readonly []
}
