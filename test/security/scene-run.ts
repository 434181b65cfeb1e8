import { AssertionError } from 'node:assert'
import { scenes } from './scenes.ts'

/** Exit code of a run that found a broken promise. */
const brokenCode = 3

// Runs in a process of its own, one for each wrong version of a check.
try {
  for (const play of Object.values(scenes)) await play()
} catch (error) {
  if (!(error instanceof AssertionError)) throw error
  process.stdout.write(`${error.message}\n`)
  process.exitCode = brokenCode
}
