import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgePrice } from '../../src/credit/approval.ts'
import { coverByBudget } from '../../src/credit/budget.ts'
import { creditsWords, formatCredits, parseCredits, sumUsd, toUsd, usdWords } from '../../src/credit/credits.ts'
import { createLedger, type LedgerMove } from '../../src/credit/ledger.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'

describe('credits', () => {
  test('law: every text of the pattern is read exactly and written back as the same amount', () => {
    const text = fc
      .tuple(fc.bigInt(0n, 10n ** 14n), fc.stringMatching(/^\d{0,4}$/))
      .map(([whole, part]) => (part === '' ? `${whole}` : `${whole}.${part}`))
    fc.assert(
      fc.property(text, (written) => {
        const amount = parseCredits(written)
        const [whole = '0', part = ''] = written.split('.')
        expect(amount).toBe(BigInt(whole + part.padEnd(4, '0')))
        expect(parseCredits(formatCredits(amount))).toBe(amount)
      }),
    )
  })

  test.each(['', '.5', '2.', '2.40001', '-1', '1e3', '0x1', '2,4', ' 2', '２'])('%j is no amount', (text) => {
    expect(() => parseCredits(text)).toThrow(expect.objectContaining({ code: 'SW_WIRE' }))
  })

  test('an amount has at most fifteen digits before its point, and a text that is none is told without its end', () => {
    expect(parseCredits('9'.repeat(15))).toBe((10n ** 15n - 1n) * 10_000n)
    expect(() => parseCredits('9'.repeat(16), '--max')).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^Expected --max /), facts: { what: '--max' } }),
    )
    expect(() => parseCredits(`${'x'.repeat(40)}secret`)).toThrow(/x"\.$/)
  })

  test.each([
    [[], 10, '0.00'],
    [[{ credits: 24_000n }], 10, '0.24'],
    [[{ credits: 24_001n }], 10, '0.25'],
    [[{ credits: 1n }], 10, '0.01'],
    [[{ credits: 1n }, { credits: 1n }], 10, '0.02'],
    [[{ credits: 10_001n }], 1, '0.02'],
    [[{ credits: 150_000n }], 10, '1.50'],
    [[{ credits: 10_010_000n }], 10, '100.10'],
    [[{ credits: 24_000n, referenceUsd: '0.31' }], 10, '0.31'],
    [[{ credits: 24_000n, referenceUsd: '12.05' }, { credits: 10_000n }], 9, '12.14'],
    [[{ credits: 24_000n, referenceUsd: '1.5' }], 10, '0.24'],
  ])('prices of %o at %i cents a credit are %s USD: each is rounded up, unless it has its own reference', (prices, cents, usd) => {
    expect(toUsd(prices, cents)).toBe(usd)
  })

  test('amounts of USD have a sum only if there is one and each is known', () => {
    expect([sumUsd([]), sumUsd([undefined]), sumUsd(['0.10', undefined])]).toEqual([undefined, undefined, undefined])
    expect([sumUsd(['0.10']), sumUsd(['0.10', '1.95'])]).toEqual(['0.10', '2.05'])
    expect([usdWords(undefined), usdWords('2.05')]).toEqual(['', ' ≈ 2.05 USD'])
  })

  test('law: a difference is written with its sign before the same digits; nothing has none', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 10n ** 19n), (amount) => {
        expect(formatCredits(-amount)).toBe(`-${formatCredits(amount)}`)
      }),
    )
    expect(formatCredits(0n)).toBe('0')
    expect(formatCredits(parseCredits('1') - parseCredits('3.5'))).toBe('-2.5')
  })

  test.each([
    [10_000n, '1 credit'],
    [0n, '0 credits'],
    [9_999n, '0.9999 credits'],
    [11_000n, '1.1 credits'],
    [110_000n, '11 credits'],
  ])('%s ten-thousandths are %s', (amount, words) => {
    expect(creditsWords(amount)).toBe(words)
  })

  test('0.1 and 0.2 are exactly 0.3', () => {
    expect(formatCredits(parseCredits('0.1') + parseCredits('0.2'))).toBe('0.3')
  })
})

describe('approvals', () => {
  const approval = { ceiling: parseCredits('2.4'), priceVersion: 'v1', buyer: 'b', at: 't' }
  test('a price at the ceiling fits, a ten-thousandth above does not', () => {
    expect(judgePrice(approval, { credits: 24_000n, priceVersion: 'v1' })).toEqual({ fits: true })
    expect(judgePrice(approval, { credits: 24_001n, priceVersion: 'v1' })).toEqual({ fits: false, why: 'ceiling' })
  })
  test('another price version stops even a lower price', () => {
    for (const credits of [1n, 24_001n])
      expect(judgePrice(approval, { credits, priceVersion: 'v2' })).toEqual({ fits: false, why: 'priceVersion' })
  })
})

describe('standing ceilings', () => {
  const line = (sprite: string, text: string): { sprite: string; credits: bigint } => ({ sprite, credits: parseCredits(text) })
  test('without perSprite nothing is covered', () => {
    expect(coverByBudget({ perRun: 10n ** 9n }, [line('a', '1')], 0n, 0n)).toEqual({ covered: new Set(), refused: new Map() })
  })
  test('a sprite is covered whole or not at all, and the reason is said', () => {
    const { covered, refused } = coverByBudget({ perSprite: parseCredits('3') }, [line('a', '2'), line('a', '2'), line('b', '2')], 0n, 0n)
    expect([...covered]).toEqual(['b'])
    expect(refused.get('a')).toContain('approval.perSprite 3')
  })
  test.each([
    [{ perSprite: 2n }, 0n, 0n, true],
    [{ perSprite: 1n }, 0n, 0n, false],
    [{ perSprite: 2n, perRun: 5n }, 9n, 3n, true],
    [{ perSprite: 2n, perRun: 5n }, 0n, 4n, false],
    [{ perSprite: 2n, total: 9n }, 4n, 3n, true],
    [{ perSprite: 2n, total: 9n }, 5n, 3n, false],
    [{ perSprite: 2n, total: 9n }, 4n, 4n, false],
  ])('under %o, with %d spent and %d approved, a sprite of 2 is covered: %s', (budget, spent, approved, isCovered) => {
    const { covered, refused } = coverByBudget(budget, [{ sprite: 'a', credits: 2n }], spent, approved)
    expect([covered.has('a'), refused.has('a')]).toEqual([isCovered, !isCovered])
  })
  test('sprites are covered by name until the run is full, and the reason has the amounts', () => {
    const lines = ['c', 'a', 'b'].map((sprite) => line(sprite, '2'))
    const { covered, refused } = coverByBudget({ perSprite: parseCredits('2'), perRun: parseCredits('5') }, lines, 0n, parseCredits('1'))
    expect([...covered]).toEqual(['a', 'b'])
    expect(refused.get('c')).toBe('this run would cost 7, above approval.perRun 5')
    const total = coverByBudget({ perSprite: parseCredits('2'), total: parseCredits('9') }, lines, parseCredits('4'), parseCredits('1'))
    expect(total.refused.get('c')).toBe('the project would reach 11, above approval.total 9')
  })
  test('law: what is covered never exceeds a ceiling', () => {
    const amount = fc.bigInt(1n, 50_000n)
    const lines = fc.array(fc.record({ sprite: fc.constantFrom('a', 'b', 'c', 'd'), credits: amount }), { maxLength: 10 })
    fc.assert(
      fc.property(lines, amount, amount, amount, amount, (list, perSprite, perRun, total, spent) => {
        const { covered } = coverByBudget({ perSprite, perRun, total }, list, spent, 0n)
        const sum = list.filter((item) => covered.has(item.sprite)).reduce((all, item) => all + item.credits, 0n)
        expect(sum <= perRun).toBe(true)
        if (sum > 0n) expect(spent + sum <= total).toBe(true)
      }),
    )
  })
})

describe('the ledger', () => {
  const move: LedgerMove = { at: 1, type: 'held', id: 'hero.walk', hash: 'h', attempt: 1, executionId: 'e', credits: 24_000n }
  test('a movement is written once, however often it is told', async () => {
    const disk = new MemoryDisk()
    const ledger = createLedger(disk, '/l')
    await Promise.all([ledger.ensure(move), ledger.ensure({ ...move, at: 2 }), ledger.ensure({ ...move, type: 'settled' })])
    expect(await ledger.read()).toEqual([move, { ...move, type: 'settled' }])
  })
  test('movements of one type are told apart by their attempt and by their request', async () => {
    const ledger = createLedger(new MemoryDisk(), '/l')
    const others = [
      { ...move, attempt: 2 },
      { ...move, hash: 'h2' },
    ]
    await ledger.ensure(move)
    expect(await ledger.ensureAll([move, ...others])).toBe(2)
    expect(await ledger.read()).toEqual([move, ...others])
  })
  test('each movement is one line, with no empty line between two', async () => {
    const disk = new MemoryDisk()
    const ledger = createLedger(disk, '/l')
    await ledger.ensure(move)
    await ledger.ensure({ ...move, type: 'settled' })
    await ledger.ensureAll([{ ...move, type: 'restored' }])
    const lines = new TextDecoder().decode(disk.files.get('/l')).split('\n')
    expect([lines.length, lines.filter((line) => line === '').length, lines.at(-1)]).toEqual([4, 1, ''])
  })

  test('a torn last line is skipped and does not swallow the next', async () => {
    const disk = new MemoryDisk()
    await createLedger(disk, '/l').ensure(move)
    disk.files.set('/l', Buffer.concat([disk.files.get('/l') as Uint8Array, Buffer.from('{"at":5,"ty')]))
    const ledger = createLedger(disk, '/l')
    await ledger.ensure({ ...move, type: 'settled' })
    expect((await ledger.read()).map((line) => line.type)).toEqual(['held', 'settled'])
  })
  test('law: torn after any byte of its last line, it loses no movement but that one, and takes the next', async () => {
    const whole = new MemoryDisk()
    await createLedger(whole, '/l').ensure(move)
    const first = whole.files.get('/l')!.length
    await createLedger(whole, '/l').ensure({ ...move, type: 'settled' })
    const text = whole.files.get('/l')!
    for (let length = first; length <= text.length; length++) {
      const disk = new MemoryDisk()
      disk.files.set('/l', text.slice(0, length))
      const ledger = createLedger(disk, '/l')
      // The line is complete once its brace is there, with or without its end of line.
      const kept = length >= text.length - 1 ? ['held', 'settled'] : ['held']
      expect(
        (await ledger.read()).map(({ type }) => type),
        `${length} bytes`,
      ).toEqual(kept)
      expect(await ledger.ensureAll([move, { ...move, type: 'settled' }, { ...move, type: 'restored' }])).toBe(4 - kept.length - 1)
      expect((await ledger.read()).map(({ type }) => type)).toEqual(['held', 'settled', 'restored'])
    }
  })
  test.each([
    ['null', 'null'],
    ['a text', '"x"'],
    ['another object', '{"at":1}'],
    ['an unknown type', JSON.stringify({ ...move, credits: '2.4', type: 'lost' })],
    ['an amount that is none', JSON.stringify({ ...move, credits: '2,4' })],
    ['an attempt that is a text', JSON.stringify({ ...move, credits: '2.4', attempt: '1' })],
    ['no execution', JSON.stringify({ ...move, credits: '2.4', executionId: undefined })],
    ['no name', JSON.stringify({ ...move, credits: '2.4', id: 1 })],
    ['no time', JSON.stringify({ ...move, credits: '2.4', at: '1' })],
    ['no request', JSON.stringify({ ...move, credits: '2.4', hash: 1 })],
    ['an amount that is a number', JSON.stringify({ ...move, credits: 2 })],
  ])('a whole line that is %s names its place and is not skipped', async (_what, line) => {
    const disk = new MemoryDisk()
    await createLedger(disk, '/l').ensure(move)
    disk.files.set('/l', Buffer.concat([disk.files.get('/l') as Uint8Array, Buffer.from(`${line}\n`)]))
    await expect(createLedger(disk, '/l').read()).rejects.toMatchObject({ code: 'SW_JOURNAL', facts: { file: '/l', line: 2 } })
  })
  test('nothing new is not written', async () => {
    const disk = new MemoryDisk()
    const ledger = createLedger(disk, '/l')
    await ledger.ensure(move)
    const before = disk.calls.length
    expect(await ledger.ensureAll([move, move])).toBe(0)
    expect(disk.calls).toHaveLength(before)
  })
  test('the first line of a new file begins at its beginning, and a failed write keeps no later one from being written', async () => {
    const disk = new MemoryDisk()
    const ledger = createLedger(disk, '/l')
    disk.fault = { call: 'append', code: 'ENOSPC' }
    await expect(ledger.ensure(move)).rejects.toMatchObject({ code: 'ENOSPC' })
    disk.fault = undefined
    await ledger.ensure(move)
    expect(new TextDecoder().decode(disk.files.get('/l'))).toMatch(/^\{"at":1,.*\}\n$/)
  })
})
