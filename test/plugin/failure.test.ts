import { describe, expect, test } from 'vitest'
import { checkBundle } from '../../plugin/bundle.ts'
import { escapeError, type FailingContext, failHook, type PluginFailure, readError, toFailure, toPanelError } from '../../plugin/failure.ts'
import type { PluginSession } from '../../plugin/session.ts'
import { SpritewrightError } from '../../src/errors.ts'

const file = '/game/sprites/hero.sprite.json'
const placed = new SpritewrightError('SW_SPEC', { message: 'fps is wrong', facts: { file, issues: [{ file, line: 3, column: 7 }] } })
const whole = new SpritewrightError('SW_SPEC', { message: 'no JSON', facts: { file: '/game/sprites/coin.sprite.json' } })
const placeless = new SpritewrightError('SW_APPROVAL', { message: 'too dear', facts: { id: 'hero.walk' } })

describe('an error of the workshop, for Vite', () => {
  test('has its code before its words, and the place in the spec', () => {
    expect(toFailure(placed)).toEqual({
      message: 'SW_SPEC: fps is wrong',
      code: 'SW_SPEC',
      stack: '',
      id: file,
      loc: { file, line: 3, column: 7 },
    })
  })

  test('about a whole file is at its start; one about no file has no place', () => {
    expect(toFailure(whole).loc).toEqual({ file: '/game/sprites/coin.sprite.json', line: 1, column: 1 })
    const failure = toFailure(placeless)
    expect([failure.code, failure.id, failure.loc]).toEqual(['SW_APPROVAL', undefined, undefined])
  })

  test('several are one, at the place of the first that has one, with all words', () => {
    const failure = toFailure(new AggregateError([placeless, placed, whole]))
    expect(failure.message.split('\n')).toEqual(['SW_APPROVAL: too dear', 'SW_SPEC: fps is wrong', 'SW_SPEC: no JSON'])
    expect(failure.loc).toEqual({ file, line: 3, column: 7 })
    expect(toFailure(new AggregateError([placeless, new Error('x')])).code).toBe('SW_APPROVAL')
  })

  test('of somebody else keeps its stack, and whatever was thrown has words', () => {
    const failure = toFailure(new Error('of a plugin'))
    expect(failure).toEqual({ message: 'of a plugin' })
    for (const [thrown, message] of [
      ['a text', 'a text'],
      [undefined, 'undefined'],
      [null, 'null'],
    ] as const)
      expect(toFailure(thrown)).toEqual({ message })
    expect(toFailure(Object.assign(new Error('x'), { code: 7 })).code).toBeUndefined()
  })

  test.each([
    ['ESTALE', 'rename', '/game/sprites.lock.json', "'/game/sprites.lock.json'. Check that path and its disk"],
    ['ENOSPC', 'write', '/game/.spritewright/results/a.zip', 'Make room on the disk'],
    ['EACCES', 'open', '/game/sprites.lock.json', 'Make it writable'],
    ['EMFILE', 'watch', '/game', 'CHOKIDAR_USEPOLLING=1'],
    ['EIO', 'rename', '/game/dist/page.png.0123456789abcdef.tmp', 'a file in "/game/dist"'],
  ])('of a disk (%s of %s) is SW_DISK with its path and what to do, to Vite and to the panel (kind: errors of disks)', (...of) => {
    const [code, syscall, path, words] = of
    const error = Object.assign(new Error(`${code}: made up, ${syscall} '${path}' -> 'x'`), { code, syscall, path })
    const failure = toFailure(new AggregateError([error]))
    expect(failure).toMatchObject({ code: 'SW_DISK', stack: '' })
    expect(failure.message.startsWith(`SW_DISK: ${code}: made up`)).toBe(true)
    expect(toPanelError(error, '/game')).toMatchObject({ code: 'SW_DISK' })
    expect(escapeError(error)).toMatchObject({ code: 'SW_DISK' })
    for (const message of [failure.message, toPanelError(error, '/game').message, readError(error).message]) {
      expect(message.replace(" -> 'x'", '')).toContain(words)
      expect(message).not.toContain('.tmp')
    }
  })

  test('writes no control character to the terminal, neither in words nor in names', () => {
    const bad = '/game/\u001b[2Jx.sprite.json'
    const failure = toFailure(new SpritewrightError('SW_SPEC', { message: 'a\u001b[31mb', facts: { file: bad } }))
    expect(JSON.stringify(failure)).not.toContain('\\u001b')
    const frame: FailingContext = {
      error: (failed) => {
        throw Object.assign(new Error(failed.message), { frame: '1 |\t"\u001b[31m"\n  |  ^' })
      },
    }
    const thrown = caught(() => failHook(frame, placed)) as { frame: string; message: string }
    expect(thrown.frame).not.toContain('\u001b')
    expect(thrown.frame.startsWith('1 | "')).toBe(true)
    expect(thrown.frame.split('\n')).toHaveLength(2)
    const several = new AggregateError([new Error('\u001b[1m'), 'no error'], '\u001b[2m')
    expect(escapeError(several)).toBe(several)
    expect([several, several.errors[0]].map(({ message, stack }) => `${message}${stack}`).join()).not.toContain('\u001b')
    expect(escapeError('a text')).toBe('a text')
  })
})

describe('an error for the panel', () => {
  test('names its request, its file from the root, and the place', () => {
    expect(toPanelError(placed, '/game')).toEqual({
      code: 'SW_SPEC',
      message: 'fps is wrong',
      file: 'sprites/hero.sprite.json',
      line: 3,
      column: 7,
    })
    expect(toPanelError(placeless, '/game', 'coin.spin')).toEqual({ code: 'SW_APPROVAL', message: 'too dear', id: 'hero.walk' })
    expect(toPanelError(whole, '/game', 'coin.spin')).toMatchObject({ id: 'coin.spin', line: 1, column: 1 })
  })

  test('that nobody expected has a code of its own', () => {
    expect(toPanelError(new Error('x'), '/game')).toEqual({ code: 'SW_INTERNAL', message: 'x' })
    expect(toPanelError(undefined, '/game')).toEqual({ code: 'SW_INTERNAL', message: 'undefined' })
  })
})

describe('a bundle', () => {
  const key = 'sw_live_0123456789'
  const session = {
    keySearch: async () => (bytes: Uint8Array) => new TextDecoder().decode(bytes).includes(key),
  } as Pick<PluginSession, 'keySearch'> as PluginSession
  const check = async (bundle: Parameters<typeof checkBundle>[2]): Promise<PluginFailure | undefined> => {
    const failures: PluginFailure[] = []
    const error = (failure: PluginFailure): never => {
      failures.push(failure)
      throw new Error(failure.message)
    }
    await checkBundle({ error } as Parameters<typeof checkBundle>[0], session, bundle).catch(() => {})
    return failures[0]
  }
  const clean = { fileName: 'clean.js', type: 'chunk', code: 'export {}', map: null }

  test.each([
    ['the code of a chunk', { fileName: 'a.js', type: 'chunk', code: `const k = "${key}"` }],
    ['its source map', { fileName: 'a.js', type: 'chunk', code: 'k', map: { sourcesContent: [`k = "${key}"`] } }],
    ['an asset of text', { fileName: 'a.js', type: 'asset', source: `k=${key}` }],
    ['an asset of bytes', { fileName: 'a.js', type: 'asset', source: new TextEncoder().encode(`\0${key}`) }],
  ])('with the key in %s fails, and names the file', async (_where, file) => {
    expect(await check({ clean, file })).toMatchObject({ code: 'SW_KEY_EXPOSED', message: expect.stringContaining('a.js would ship') })
  })

  test('without it passes', async () => {
    expect(await check({ clean, asset: { fileName: 'b.png', type: 'asset', source: new Uint8Array([1]) } })).toBeUndefined()
  })
})

function caught(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('Expected it to throw.')
}
