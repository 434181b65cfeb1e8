import { expect, test } from 'vitest'
import { killTen } from '../../scripts/kill-ten.mjs'
import { patienceMs } from '../kit/patience.ts'

test('I1, I4, I10: killed ten times while it buys ten sprites, the CLI ends with ten charges and ten results', {
  timeout: 3 * patienceMs,
}, async () => {
  const lines: string[] = []
  const outcome = await killTen({ seed: 4, print: (line) => lines.push(line) })
  console.log(lines.join('\n'))
  expect(outcome, outcome.stderr).toMatchObject({ kills: 10, code: 0, charges: 10, requests: 10, held: 0, results: 10, furtherRequests: 0 })
})
