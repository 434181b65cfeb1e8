import { expect, vi } from 'vitest'

/**
 * Milliseconds that one test of a folder may take: about four times what its slowest test takes on two cores that
 * do other work too. Nothing is measured by them. They only end a test that hangs.
 */
const timeouts: Readonly<Record<string, number>> = {
  // A test kills a process at every step of a purchase, or tries thousands of schedules.
  kill: 300_000,
  sim: 300_000,
  security: 180_000,
  // These start Vite, a browser or other processes.
  build: 90_000,
  cli: 90_000,
  e2e: 120_000,
  plugin: 90_000,
  service: 90_000,
  // These try every byte, pixel or frame of something.
  atlas: 60_000,
  embedded: 60_000,
  money: 60_000,
  sheets: 60_000,
}

/** Long runs of a test take hours; these variables ask for one. */
const isLongRun = ['LONG', 'ATLASES', 'MODEL', 'PICTURES', 'PLANTS', 'SWAPS'].some((name) => process.env[`SPRITEWRIGHT_${name}`])

const folder = /[\\/]test[\\/]([^\\/]+)[\\/]/.exec(expect.getState().testPath ?? '')?.[1] ?? ''
vi.setConfig({ testTimeout: isLongRun ? 12 * 3_600_000 : (timeouts[folder] ?? 30_000) })
