import { expect, vi } from 'vitest'
import { agentVariables } from '../../src/host/agent-shell.ts'
import { level } from '../level.ts'
import { patienceMs } from './patience.ts'

/**
 * Milliseconds that one test of a folder may take, if not twice the time that it waits for an event. They measure
 * nothing and only end a test that hangs.
 */
const timeouts: Readonly<Record<string, number>> = {
  // Some tests kill a process at every step of a purchase, or try thousands of schedules.
  kill: 3 * patienceMs,
  sim: 3 * patienceMs,
}

const folder = /[\\/]test[\\/]([^\\/]+)[\\/]/.exec(expect.getState().testPath ?? '')?.[1] ?? ''
vi.setConfig({ testTimeout: level === 'long' ? 12 * 3_600_000 : (timeouts[folder] ?? 2 * patienceMs) })

// The tests of a contributor's agent are the same as those of a person.
for (const name of Object.keys(agentVariables)) delete process.env[name]

// Without this, pictures are compared byte by byte as objects, which takes seconds.
expect.addEqualityTesters([
  (one: unknown, other: unknown) =>
    one instanceof Uint8Array && other instanceof Uint8Array && one.constructor === other.constructor
      ? Buffer.compare(one, other) === 0
      : undefined,
])
