import { describe, expect, test } from 'vitest'
import { SpritewrightError } from '../../src/errors.ts'
import type { RecoverReport, Workshop } from '../../src/workshop.ts'
import { createWorld, runBoth, runColored } from './world.ts'

const vite = { '/game/vite.config.ts': "import spritewright from 'spritewright/vite'" }

describe('recover', () => {
  const asked: unknown[] = []
  const recovering = (report: Partial<RecoverReport>) => ({
    recover: (async ({ onProgress, ...request }: Parameters<Workshop['recover']>[0]) => {
      asked.push(request)
      onProgress?.({ id: 'hero.walk', phase: 'waiting', message: 'the service is busy' })
      return { decided: [], bought: [], ...report }
    }) as never,
  })
  const submission = { id: 'hero.walk', about: 'submission', ceiling: 24_000n, balanceBefore: 50_000n } as const
  const answer = { id: 'hero.run', about: 'answer', ceiling: 24_000n } as const

  test('says of each purchase what was decided, what it may cost, and what follows', async () => {
    const found: string[] = []
    for (const [flag, report, files] of [
      ['--replay', { decided: [submission], bought: [{ id: 'hero.walk', credits: 24_000n }], balance: 26_000n }, {}],
      ['--replay', { decided: [answer] }, vite],
      ['--abandon', { decided: [submission, answer] }, {}],
      ['--abandon', { decided: [{ id: 'hero.walk', about: 'submission' }] }, {}],
      ['--abandon', { decided: [answer] }, {}],
      ['--abandon', { decided: [answer] }, vite],
    ] as const) {
      const world = createWorld({ files, workshop: recovering(report as never) })
      const code = await world.run('recover', 'hero', flag)
      found.push([`${flag}: ${code}, ${world.err().trimEnd()}`, ...world.out().trimEnd().split('\n')].join('\n  '))
    }
    expect(asked.slice(0, 2)).toEqual([
      { name: 'hero', decision: 'replay' },
      { name: 'hero', decision: 'replay' },
    ])
    expect(asked.at(-1)).toEqual({ name: 'hero', decision: 'abandon' })
    expect(`\n${found.join('\n')}\n`).toMatchInlineSnapshot(`
      "
      --replay: 0,   hero.walk: waits: the service is busy.
        hero.walk: sent again.
          Balance before it was first sent: 5 credits; now: 2.6 credits.
        bought hero.walk for 2.4 credits
        Next: npx spritewright build, which makes the atlases, free of charge.
      --replay: 0,   hero.walk: waits: the service is busy.
        hero.run: sent again.
        The Vite plugin makes the atlases, free of charge.
      --abandon: 0,   hero.walk: waits: the service is busy.
        hero.walk: given up. Its ceiling of 2.4 credits stays counted as spent.
          Balance before it was first sent: 5 credits; now: the service could not be asked.
        hero.run: given up.
        To buy it: npx spritewright approve hero.walk, then build.
      --abandon: 0,   hero.walk: waits: the service is busy.
        hero.walk: given up.
        To buy it: npx spritewright approve hero.walk, then build.
      --abandon: 0,   hero.walk: waits: the service is busy.
        hero.run: given up.
        Next: npx spritewright build, which shows whether the question is still open.
      --abandon: 0,   hero.walk: waits: the service is busy.
        hero.run: given up.
        Next: npx spritewright build --buy-only, which shows whether the question is still open.
      "
    `)
  })

  test('its document is the report, and a failure ends the progress', async () => {
    const report = { decided: [submission], bought: [], balance: 1n }
    const { json } = await runBoth({ workshop: recovering(report as never) }, 'recover', 'hero', '--abandon')
    expect(json).toEqual({ decided: [{ ...submission, ceiling: '2.4', balanceBefore: '5' }], bought: [], balance: '0.0001' })
    const failing = async ({ onProgress }: Parameters<Workshop['recover']>[0]) => {
      onProgress?.({ id: 'hero.walk', phase: 'running' })
      throw new SpritewrightError('SW_UNREACHABLE', { message: 'no route' })
    }
    const { code, err } = await runColored({ workshop: { recover: failing as never } }, 'recover', 'hero', '--replay')
    expect([code, err.split('\n').slice(-2)]).toEqual([4, ['red{error} bold{SW_UNREACHABLE} no route', '']])
  })
})

describe('answer', () => {
  const asked: unknown[] = []
  const workshop = {
    answer: (async (request: unknown) => {
      asked.push(request)
      return { id: 'hero.walk', executionId: 'e2' }
    }) as never,
  }

  test('sends all words and the picture, and names the execution and the next command', async () => {
    const files = { '/game/art/x.png': 'AB', ...vite }
    const world = createWorld({ files, workshop })
    expect(await world.run('answer', 'hero.walk', 'with', 'the left', 'hand', '--asset', 'art/x.png')).toBe(0)
    expect(await createWorld({ workshop }).run('answer', 'hero', 'yes')).toBe(0)
    expect(asked).toEqual([
      { name: 'hero.walk', text: 'with the left hand', asset: { path: 'art/x.png', bytes: new Uint8Array([65, 66]) } },
      { name: 'hero', text: 'yes', asset: undefined },
    ])
    expect(world.out()).toBe(
      'Answered hero.walk; the service continues as e2.\nNext: npx spritewright build --buy-only, which follows that execution. The answer costs nothing.\n',
    )
  })
})

test('forget asks about all conversations at once, and each answer has its words and its exit code', async () => {
  const names: string[] = []
  const forget: Workshop['forget'] = async (name, confirm) => {
    names.push(name)
    return (await confirm(['hero.walk', 'hero.run'])) ? ['hero.walk', 'hero.run'] : []
  }
  const found: unknown[] = []
  for (const [answer, ...argv] of [[true], [false], [undefined], [false, '--yes']] as const) {
    const world = createWorld({ canAsk: argv.length === 0, answer, workshop: { forget } })
    found.push([await world.run('forget', 'hero', ...argv), world.questions, world.out() + world.err()])
  }
  expect(names).toEqual(['hero', 'hero', 'hero', 'hero'])
  expect(found).toMatchInlineSnapshot(`
    [
      [
        0,
        [
          "The service deletes all it has of hero.walk, hero.run, for good. The paid results here stay. Delete?",
        ],
        "Forgotten at the service: hero.walk, hero.run. The paid results here stay.
    ",
      ],
      [
        3,
        [
          "The service deletes all it has of hero.walk, hero.run, for good. The paid results here stay. Delete?",
        ],
        "Nothing was deleted.
    ",
      ],
      [
        130,
        [
          "The service deletes all it has of hero.walk, hero.run, for good. The paid results here stay. Delete?",
        ],
        "stopped Interrupted. Nothing was deleted.
    ",
      ],
      [
        0,
        [],
        "Forgotten at the service: hero.walk, hero.run. The paid results here stay.
    ",
      ],
    ]
  `)
})
