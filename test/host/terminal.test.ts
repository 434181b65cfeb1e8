import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { toDiskFailure } from '../../src/host/disk-failure.ts'
import { stateFolder } from '../../src/host/host.ts'
import { isInside } from '../../src/host/real-path.ts'
import { commandWord, escapeJson, escapeLines, escapeText, nodeTerminal, toOneLine } from '../../src/host/terminal.ts'

/** First and last of each range of characters that a terminal obeys, and their neighbours that are only shown. */
const [obeyed, plain] = [
  '\0\b\n\r\x1b\x1f\x7f\x80\x9b\x9f\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\ufeff',
  ' ~\xa0éא\u2027\u2030语😀',
]

test('each character that a terminal obeys is written out, and others stay', () => {
  for (const one of obeyed) {
    const [text, line, json] = [escapeText(`a${one}b`), escapeLines(`a${one}b`), escapeJson(JSON.stringify(`a${one}b`))]
    expect([text.includes(one), json.includes(one), JSON.parse(json)]).toEqual([false, false, `a${one}b`])
    expect(text).toMatch(/^a\\(?:n|x[0-9a-f]{2}|u[0-9a-f]{4})b$/)
    expect(line).toBe(one === '\n' ? 'a\nb' : text)
  }
  expect([escapeText(plain), escapeJson(plain)]).toEqual([plain, plain])
  expect(escapeText('\x1b[2J')).toBe('\\x1b[2J')
  expect(escapeLines('a\r\nb')).toBe('a\\x0d\nb')
  expect(escapeJson('{\n  "a": 1\n}')).toBe('{\n  "a": 1\n}')
})

test('words of several lines become one line', () => {
  expect(toOneLine('one \r\n  two\nthree')).toBe('one two three')
})

test.each([
  ['sprites/hero.png', 'sprites/hero.png'],
  ['my game', '"my game"'],
  ['a$b', '"a$b"'],
  ['', '""'],
])('%s is the word %s of a command line', (path, word) => {
  expect(commandWord(path)).toBe(word)
})

test.each([
  ['/game', true],
  ['/game/a/b', true],
  ['/game/..a', true],
  ['/game/..', false],
  ['/', false],
  ['/game2', false],
  ['/other/game', false],
])('%s is inside of /game: %s', (path, is) => {
  expect(isInside('/game', path)).toBe(is)
})

test('the state of a user lies where XDG says if that is absolute, and else in the home folder', () => {
  const home = () => '/users-own'
  expect(stateFolder({ XDG_STATE_HOME: '/state' }, home)).toBe('/state/spritewright')
  for (const env of [{}, { XDG_STATE_HOME: '' }, { XDG_STATE_HOME: 'state' }, { LOCALAPPDATA: '/local' }])
    expect(stateFolder(env, home)).toBe('/users-own/.local/state/spritewright')
})

const calls = 'close fchmod fchown fdatasync fstat fsync ftruncate futime read scandir uv_cwd write'.split(' ')

test.each<[string, string, string | undefined, RegExp | undefined]>([
  ['EROFS', 'open', '/game/a', /writable/],
  ['EPERM', 'unlink', '/game/a', /writable/],
  ['EDQUOT', 'write', undefined, /Make room/],
  ['ENOSPC', 'fsync', undefined, /Make room/],
  ['ENFILE', 'open', '/game/a', /ulimit/],
  ['ENOSPC', 'watch', '/game', /inotify/],
  ...calls.map((call): [string, string, undefined, RegExp] => ['EIO', call, undefined, /nothing that was paid for is lost/]),
  ...['ECONNRESET', 'EPIPE', 'EHOSTUNREACH', 'ENETDOWN', 'ETIMEDOUT'].flatMap((code) =>
    ['read', 'write', 'close'].map((call): [string, string, undefined, undefined] => [code, call, undefined, undefined]),
  ),
  ['ENOENT', 'spawn git', 'git', undefined],
  ['ECONNREFUSED', 'connect', '/run/redis.sock', undefined],
  ['EADDRINUSE', 'listen', '/run/own.sock', undefined],
  ['ECONNREFUSED', 'connect', undefined, undefined],
  ['ENOENT', '', '/game/a', undefined],
])('%s of "%s" at %s is told as one of a disk with the advice %s', (code, syscall, path, advice) => {
  const error = Object.assign(new Error(`${code}: made up`), { code, syscall, ...(path === undefined ? {} : { path }) })
  const failure = toDiskFailure(error)
  if (!advice) expect(failure).toBeUndefined()
  else {
    expect(failure).toMatchObject({ code: 'SW_DISK', message: expect.stringMatching(advice), cause: error })
    expect(failure?.facts).toEqual({ reason: code, operation: syscall, ...(path === undefined ? {} : { path }) })
  }
})

test.each([undefined, null, 'text', 7, {}, new Error('x')])('%s is no error of a disk', (thrown) => {
  expect(toDiskFailure(thrown)).toBeUndefined()
})

test('a terminal writes to the streams of its process, says which of them a person watches, and outlives a closed one', () => {
  const written: string[] = []
  const stream = (name: string, isTTY: boolean | undefined, columns?: number) =>
    Object.assign(new EventEmitter(), { isTTY, columns, write: (text: string) => written.push(`${name} ${text}`) })
  const [first, stdout, stderr, stdin] = [process, stream('out', true), stream('err', undefined), { isTTY: true }]
  vi.stubGlobal('process', { stdout, stderr, stdin })
  try {
    const terminal = nodeTerminal()
    nodeTerminal()
    // The program sends the output of others to stderr later; its own stays.
    stdout.write = () => expect.fail('written to the stream as it is now')
    terminal.write('a')
    terminal.note('b')
    expect(written).toEqual(['out a', 'err b'])
    const shown = () => [terminal.isOutputTerminal, terminal.isInteractive, terminal.canAsk, terminal.columns]
    expect(shown()).toEqual([true, false, false, 80])
    Object.assign(stderr, { isTTY: true, columns: 120 })
    expect(shown()).toEqual([true, true, true, 120])
    Object.assign(stdin, { isTTY: undefined })
    Object.assign(stdout, { isTTY: undefined })
    expect(shown()).toEqual([false, true, false, 120])
    for (const one of [stdout, stderr]) expect([one.listenerCount('error'), one.emit('error', new Error('EPIPE'))]).toEqual([1, true])
  } finally {
    vi.unstubAllGlobals()
  }
  expect(process).toBe(first)
})
