import { describe, expect, test } from 'vitest'
import { parseCredits } from '../../src/credit/credits.ts'
import type { ContractFinding, ContractRequest, OpenapiDifference } from '../../src/workshop.ts'
import { createWorld } from './world.ts'

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
