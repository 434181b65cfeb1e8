import { expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { JobProgress, LedgerLine } from '../../src/workshop.ts'
import { answering, failing, lost, type Machine, minutes, specOf, team } from '../sim/two-machines.ts'
import { watch } from './acts.ts'

const service = { host: '127.0.0.1:1', keyMode: 'test' } as const
const sums = { held: 0n, settled: 0n, restored: 0n, uncertain: 0n, elsewhere: 0n }
const nothing = { sheets: { sprites: [], atlases: [] }, bought: [], fetched: [], fromVault: 0, failures: [], warnings: [] }

/** The line of a purchase that this machine has made, by its lock file and its records. */
function lineOf(machine: Machine, id: string, over: Partial<LedgerLine> = {}): LedgerLine {
  const { animations, steps = {} } = machine.lock()
  const [hash = '', entry] = Object.entries(id.includes('#') ? steps : (animations[id] ?? {}))[0] ?? []
  const executionId = entry?.execution?.id
  const ended = machine
    .records()
    .find(({ type, body }) => type === 'completed' && 'executionId' in body && body.executionId === executionId)
  const isPicture = id.includes('#')
  return {
    ...{ id, hash, isPicture, service, given: 'unattended', project: 'game', approvedBy: entry?.approval?.buyer, attempt: 1, executionId },
    ...{
      result: entry?.result?.sha256,
      state: 'settled',
      approvedAt: entry?.approval?.at,
      credits: parseCredits('1.6'),
      at: ended?.at ?? 0,
    },
    ...{ origin: 'here', ...over },
  } as LedgerLine
}

/** What a run reports of each request, without repetitions. */
function listener(): { readonly told: readonly string[]; readonly onProgress: (progress: JobProgress) => void } {
  const told: string[] = []
  const onProgress = ({ id, phase, message }: JobProgress): void => {
    const line = `${id} ${phase}${phase === 'running' || message === undefined ? '' : `: ${message}`}`
    if (line !== told.at(-1)) told.push(line)
  }
  return { told, onProgress }
}

test('a chain is bought step by step, then nothing; the ledger and the service agree; a clone fetches, and counts it elsewhere', async () => {
  const made = await team()
  const { first, run, clone } = made
  const chain = { reference: { steps: [{ text: 'a person' }] }, prompt: 'a rogue', animations: { run: { frames: 9 } } }
  first.disk.files.delete('/game/sprites/hero.sprite.json')
  first.write('sprites/rogue.sprite.json', JSON.stringify(chain))
  await first.approve()
  const { init, all } = watch(made)
  const { told, onProgress } = listener()
  const [before, after, said] = ['1000000', '999997.2', '2.8'].map((text) => parseCredits(text)) as [bigint, bigint, bigint]
  const [one, two] = [parseCredits('1'), parseCredits('1.8')]
  expect(await first.build({ onProgress }, init)).toEqual({
    ...nothing,
    bought: [
      { id: 'rogue#1', credits: one },
      { id: 'rogue.run', credits: two },
    ],
    balance: {
      ...{ before, after, said: { least: said, most: said }, isExplained: true },
      words: 'balance 1000000 → 999997.2: 2.8 charged, as the ledger says',
    },
  })
  const sent = ['record frozen', 'record sent', 'POST execute', 'record accepted', 'lock']
  const got = ['record completed', 'GET image-jobs/ID/asset', 'GET /deliveries/ID', 'record stored', 'lock']
  expect(all().filter((act) => !act.startsWith('GET executions'))).toEqual([
    ...['GET balance', 'GET balance', ...sent, ...got],
    ...['GET balance', 'POST reference-assets', 'lock', ...sent, ...got],
    // The sheet of this service cannot be read, so its file is asked for once more.
    ...['GET image-jobs/ID/asset', 'GET /deliveries/ID', 'GET balance'],
  ])
  const phases = ['checking', 'uploading', 'submitting', 'running', 'downloading']
  const again = 'rogue.run downloading: again: the file could not be read'
  expect(told).toEqual([
    ...[...phases, 'bought'].map((phase) => `rogue#1 ${phase}`),
    ...[...phases.map((phase) => `rogue.run ${phase}`), again, 'rogue.run bought'],
  ])
  const second = listener()
  expect([await first.build({ onProgress: second.onProgress }), second.told]).toEqual([{ ...nothing, fromVault: 1 }, []])

  const lines = [
    lineOf(first, 'rogue#1', { credits: one, balanceBefore: before }),
    lineOf(first, 'rogue.run', { credits: two, balanceBefore: parseCredits('999999') }),
  ]
  const money = { ...sums, settled: said }
  const ledger = { lines, ...money, sprites: [{ sprite: 'rogue', ...money }], repaired: 0, warnings: [] }
  const workshop = await first.open()
  expect(await run(workshop.ledger())).toEqual(ledger)
  const read: unknown[] = []
  expect(await run(workshop.verifyLedger({ onRead: (...numbers) => read.push(numbers) }))).toEqual({
    ...{ ...ledger, usd: '0.70', balance: after, host: service.host, isAgreed: true },
    checks: lines.map((line) => ({ line, verdict: 'agrees', service: 'completed', words: '' })),
  })
  expect(read).toEqual([
    [1, 2],
    [2, 2],
  ])

  const other = clone(first)
  expect(await other.build()).toEqual({ ...nothing, fetched: ['rogue.run'] })
  const elsewhere = await run((await other.open()).ledger())
  const theirs = { ...sums, elsewhere: said }
  expect({ ...elsewhere, lines: elsewhere.lines.map(({ id, state, origin, credits }) => [id, state, origin, credits]) }).toEqual({
    lines: [
      ['rogue#1', 'settled', 'elsewhere', one],
      ['rogue.run', 'settled', 'elsewhere', two],
    ],
    ...{ ...theirs, sprites: [{ sprite: 'rogue', ...theirs }], repaired: 0, warnings: [] },
  })
})

test('an execution that fails ends a build with the reason, and costs nothing; a spec that is edited meanwhile is named', async () => {
  const { first, run, world } = await team(failing('for good'))
  await first.approve()
  await expect(first.build()).rejects.toMatchObject({
    code: 'SW_FAILED',
    message:
      'The execution of "hero.walk" failed: it did not come out (generation_failed). Its hold is restored. To try again, approve it again: npx spritewright approve hero.walk',
    facts: { id: 'hero.walk', status: 'failed', reason: 'generation_failed', retryable: false },
  })
  const [failed] = first.records().flatMap(({ type, body }) => (type === 'failed' ? [body] : []))
  const approvedAt = first.entry('hero.walk').approval?.at
  await first.approve()
  const request: typeof world.net.request = (wanted) => {
    if (wanted.url.endsWith('/v1/execute')) first.write('sprites/hero.sprite.json', specOf('a king', 'hero'))
    return world.net.request(wanted)
  }
  const report = await first.build({}, { net: { ...world.net, request } })
  const warning = '/game/sprites/hero.sprite.json was changed during this run, which used the earlier spec: run the command again.'
  expect([report.bought, report.warnings]).toEqual([[{ id: 'hero.walk', credits: parseCredits('1.6') }], [warning]])
  const { checks, lines, ...rest } = await run((await first.open()).verifyLedger())
  expect(checks.map(({ line, ...check }) => [line.attempt, line.state, line.executionId, line.approvedAt, check])).toEqual([
    [1, 'restored', failed?.executionId, approvedAt, { verdict: 'agrees', service: 'failed', words: '' }],
    [2, 'settled', first.entry('hero.walk').execution?.id, expect.any(String), { verdict: 'agrees', service: 'completed', words: '' }],
  ])
  const money = { ...sums, settled: parseCredits('1.6'), restored: parseCredits('1.6') }
  expect([lines, rest]).toEqual([
    checks.map(({ line }) => line),
    {
      ...{ ...money, sprites: [{ sprite: 'hero', ...money }], repaired: 0, warnings: [], usd: '0.40' },
      ...{ balance: parseCredits('999998.4'), host: service.host, isAgreed: true },
    },
  ])
})

test('a submission that nobody answers is open until a person gives it up at its own service, and stays counted', async () => {
  const { first, run, wait } = await team(answering(Array.from({ length: 6 }, () => lost)))
  await first.approve()
  const lastAnswer = 'The service answered with status 500 (an answer that cannot be read).'
  await expect(first.build()).rejects.toMatchObject({
    code: 'SW_UNREACHABLE',
    message: `The service did not answer the submission of "hero.walk" (${lastAnswer}). Run the command again soon (a dev server does it by itself): it repeats the same submission under the same key, so it is paid once.`,
    facts: { id: 'hero.walk', lastAnswer },
  })
  const opened = first.records().find(({ type }) => type === 'sent')?.at ?? 0
  const credits = parseCredits('1.6')
  const line = lineOf(first, 'hero.walk', { state: 'uncertain', credits, balanceBefore: parseCredits('1000000'), at: opened })
  const money = { ...sums, uncertain: credits }
  const verification = (one: object, verdict: string, words: string): object => ({
    ...{ lines: [one], ...money, sprites: [{ sprite: 'hero', ...money }], repaired: 0, warnings: [], usd: '0.00' },
    ...{ checks: [{ line: one, verdict, words }], balance: parseCredits('1000000'), host: service.host, isAgreed: verdict === 'unread' },
  })
  const workshop = await first.open()
  const advice =
    "Sent and never answered, so there is no execution to read. Until a person decides, its ceiling counts as spent. Run npx spritewright build. If it is still unanswered then, check in the service's console whether it was bought, and decide: npx spritewright recover hero.walk --replay, or --abandon."
  expect(await run(workshop.verifyLedger())).toEqual(verification(line, 'open', advice))
  await wait(25 * 60 * minutes)
  const elsewhere = await first.open({ env: { SPRITEWRIGHT_BASE_URL: 'https://other.test' } })
  await expect(run(elsewhere.recover({ name: 'hero', decision: 'replay' }))).rejects.toMatchObject({
    code: 'SW_USAGE',
    message:
      '"hero.walk" was sent to 127.0.0.1:1 with a test key, and here answers other.test with a test key. Nothing was sent. Set the address and the key that it was sent with, or give it up: npx spritewright recover hero.walk --abandon',
    facts: { id: 'hero.walk', host: '127.0.0.1:1', keyMode: 'test' },
  })
  expect(await run(workshop.recover({ name: 'hero', decision: 'abandon' }))).toEqual({
    decided: [{ id: 'hero.walk', about: 'submission', ceiling: credits, balanceBefore: parseCredits('1000000') }],
    balance: parseCredits('1000000'),
    bought: [],
  })
  const givenUp = { ...line, decision: 'abandon' }
  expect(await run(workshop.verifyLedger())).toEqual(
    verification(givenUp, 'unread', 'A person gave it up; its possible cost stays counted.'),
  )
})
