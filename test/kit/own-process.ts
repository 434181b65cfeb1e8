import { PassThrough } from 'node:stream'
import type { OwnProcess } from '../../src/host/own-process.ts'

/** The process of a program that serves no other program. */
export const noOwnProcess: OwnProcess = {
  packageFolder: '/package',
  input: new PassThrough(),
  dropVariable: () => {},
  run: async () => Promise.reject(new Error('No other process in this test.')),
}
