import { expect, vi } from 'vitest'
import { level } from '../level.ts'

/**
 * Milliseconds that one test of a folder may take: about four times the time of its slowest test on two cores
 * that do other work too. They measure nothing and only end a test that hangs.
 */
const timeouts: Readonly<Record<string, number>> = {
  // Some tests kill a process at every step of a purchase, or try thousands of schedules.
  kill: 300_000,
  sim: 300_000,
  security: 180_000,
  // These start Vite, a browser or other processes.
  build: 90_000,
  cli: 90_000,
  e2e: 120_000,
  plugin: 90_000,
  queue: 90_000,
  service: 90_000,
  stores: 90_000,
  worker: 120_000,
  // These try every byte, pixel or frame of something.
  atlas: 60_000,
  embedded: 60_000,
  money: 60_000,
  sheets: 60_000,
}

const folder = /[\\/]test[\\/]([^\\/]+)[\\/]/.exec(expect.getState().testPath ?? '')?.[1] ?? ''
vi.setConfig({ testTimeout: level === 'long' ? 12 * 3_600_000 : (timeouts[folder] ?? 30_000) })
