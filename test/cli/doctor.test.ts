import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { ContractFinding, ContractRequest, OpenapiDifference } from '../../src/workshop.ts'
import { createWorld, runBoth } from './world.ts'

const kept: ContractFinding = { clause: 'C1', title: 'a key is asked for', verdict: 'kept', words: '', profilePart: '' }
const broken: ContractFinding = {
  clause: 'C20',
  title: 'the balance can be read',
  verdict: 'broken',
  words: 'Expected {"credits"}, found available.',
  profilePart: 'readBalance',
}
const unasked: ContractFinding = { clause: 'C30', title: 'three rate limits', verdict: 'not checked', words: '', profilePart: '' }

describe('doctor --contract', () => {
  test('C39: prints every clause with its verdict, the words, and the part of the profile to change; a broken one ends with 1', async () => {
    const world = createWorld({ workshop: { contract: async () => [kept, broken, unasked] } })
    expect(await world.run('doctor', '--contract')).toBe(1)
    expect(world.out()).toBe(
      [
        '  clause  what                     verdict',
        '  C1      a key is asked for       kept',
        '  C20     the balance can be read  broken',
        '  C30     three rate limits        not checked',
        '',
        '  C20 broken Expected {"credits"}, found available. Change readBalance in service.profile.',
        '',
        '1 promise broken; 1 kept, 0 not checkable, 1 not checked.',
        'Nothing was submitted. --spend C lets one execution of seven frames be bought under a ceiling of C credits.',
        '',
      ].join('\n'),
    )
  })

  test('is one JSON document with --json, and ends with 0 where nothing is broken', async () => {
    const world = createWorld({ workshop: { contract: async () => [kept, unasked] } })
    expect(await world.run('doctor', '--contract', '--json')).toBe(0)
    expect(world.json()).toMatchObject({ kept: 1, broken: 0, notChecked: 1, findings: [{ clause: 'C1' }, { clause: 'C30' }] })
  })

  test('C15: spends only with --spend, and hands the ceiling on as it is', async () => {
    const asked: ContractRequest[] = []
    const workshop = {
      contract: async (request: ContractRequest = {}) => {
        asked.push(request)
        return [kept]
      },
    }
    await createWorld({ workshop }).run('doctor', '--contract')
    await createWorld({ workshop }).run('doctor', '--contract', '--spend', '2.5')
    expect(asked.map(({ spend }) => spend)).toEqual([undefined, parseCredits('2.5')])
  })

  test.each([
    ['--spend without --contract', ['--spend', '2']],
    ['--contract and --openapi together', ['--contract', '--openapi', 'a.json']],
  ])('%s is wrong usage', async (found, args) => {
    const world = createWorld()
    expect(await world.run('doctor', ...args, '--json')).toBe(2)
    expect(world.json()).toMatchObject({ error: { code: 'SW_USAGE', facts: { found } } })
  })
})

describe('doctor --openapi', () => {
  const matters = {
    where: 'POST /v1/execute',
    words: 'style is required, ours lacks it.',
    matters: true,
    profilePart: 'executeBody',
  } as const
  const extra = { where: 'POST /v1/videos', words: 'It is described.', matters: false, profilePart: '' } as const

  test('prints what matters first and ends with 1', async () => {
    const files: string[] = []
    const compareOpenapi = async (file: string): Promise<OpenapiDifference[]> => {
      files.push(file)
      return [extra, matters]
    }
    const world = createWorld({ workshop: { compareOpenapi } })
    expect(await world.run('doctor', '--openapi', 'service.yaml')).toBe(1)
    expect(files).toEqual(['service.yaml'])
    expect(world.out()).toBe(
      '  ✗ POST /v1/execute  style is required, ours lacks it. Change executeBody in service.profile.\n  · POST /v1/videos  It is described.\n\n1 difference that matters.\n',
    )
  })

  test('ends with 0 where nothing matters', async () => {
    const world = createWorld({ workshop: { compareOpenapi: async () => [extra] } })
    expect(await world.run('doctor', '--openapi', 'service.yaml', '--json')).toBe(0)
    expect(world.json()).toMatchObject({ matters: 0, differences: [{ where: 'POST /v1/videos' }] })
  })
})

describe('doctor', () => {
  const finding = (check: string, verdict: string, advice = 'do it') => ({ check, verdict, found: 'x', advice })
  test.each([
    [[finding('a', 'bad'), finding('long', 'good', '')], 1, '  ✗ a     x\n          do it\n  ✓ long  x\n\n1 check bad.\n', 1, 0],
    [[finding('a', 'warning')], 0, '  ! a  x\n       do it\n\nNothing is broken; 1 warning.\n', 0, 1],
    [[finding('a', 'good', '')], 0, '  ✓ a  x\n\nAll is well.\n', 0, 0],
  ])('of %j ends with %i', async (findings, exit, shown, bad, warnings) => {
    const { code, text, json } = await runBoth({ workshop: { doctor: async () => findings as never } }, 'doctor')
    expect([code, text, json]).toEqual([exit, shown, { findings, bad, warnings }])
  })

  test('--contract names each clause before it is checked, and counts the verdicts', async () => {
    const clause = (number: number, verdict: string, words = '', profilePart = ''): object => ({
      clause: `C${number}`,
      title: 't',
      verdict,
      words,
      profilePart,
    })
    const findings = [
      ...[clause(1, 'kept'), clause(2, 'not checkable', 'why'), clause(3, 'not checkable'), clause(4, 'broken', 'w', 'p')],
      ...[clause(5, 'broken'), clause(6, 'not checked')],
    ]
    const contract = async ({ onCheck }: { onCheck(one: object): void }): Promise<readonly object[]> => {
      findings.forEach(onCheck)
      return findings
    }
    const { code, text, err, json } = await runBoth({ workshop: { contract } as never }, 'doctor', '--contract', '--spend', '2')
    expect([code, err]).toEqual([1, 'C1 t\nC2 t\nC3 t\nC4 t\nC5 t\nC6 t\n'])
    expect(text).toBe(
      [
        '  clause  what  verdict',
        '  C1      t     kept',
        '  C2      t     not checkable',
        '  C3      t     not checkable',
        '  C4      t     broken',
        '  C5      t     broken',
        '  C6      t     not checked',
        '',
        '  C2 not checkable why',
        '  C4 broken w Change p in service.profile.',
        '',
        '2 promises broken; 1 kept, 2 not checkable, 1 not checked.',
        '',
      ].join('\n'),
    )
    expect(json).toEqual({ findings, kept: 1, broken: 2, notCheckable: 2, notChecked: 1 })
    const kept = await runBoth({ workshop: { contract: async () => [clause(1, 'kept')] } as never }, 'doctor', '--contract')
    expect([kept.code, kept.text]).toEqual([
      0,
      expect.stringContaining('\n\nNo promise is broken; 1 kept, 0 not checkable, 0 not checked.\n'),
    ])
    expect(kept.text).toContain('--spend C')
  })

  test('--openapi says that a description fits, or counts what matters', async () => {
    const differing = (found: readonly object[]) =>
      runBoth({ workshop: { compareOpenapi: async () => found as never } }, 'doctor', '--openapi', 'x')
    const fits = await differing([])
    expect([fits.code, fits.text.split('\n').length, fits.json]).toEqual([0, 2, { differences: [], matters: 0 }])
    const found = [
      { where: 'a', words: 'w', matters: true, profilePart: '' },
      { where: 'b', words: 'v', matters: true, profilePart: 'p' },
    ]
    const { code, text, json } = await differing(found)
    expect([code, text, json]).toEqual([
      1,
      '  ✗ a  w\n  ✗ b  v Change p in service.profile.\n\n2 differences that matter.\n',
      { differences: found, matters: 2 },
    ])
  })
})
