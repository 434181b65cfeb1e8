import { AtlasError } from '../../atlas/errors.ts'

/** The refusal that a call ends with. Another error, or none, fails the test. */
export function refusal(run: () => unknown): AtlasError {
  try {
    run()
  } catch (error) {
    if (error instanceof AtlasError) return error
    throw error
  }
  throw new Error('Expected a refusal, found none.')
}
