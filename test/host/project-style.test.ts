import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText, encodingOf, inProjectStyle } from '../../src/host/project-style.ts'
import { MemoryDisk } from '../kit/memory-disk.ts'
import { toUtf16 } from '../kit/windows-texts.ts'

const ascii = fc.constantFrom('{', '#', 'a', '\n', '\r', ' ')

test('a text as Windows writes it is decoded, with a byte order mark or without', () => {
  fc.assert(
    fc.property(ascii, fc.string({ unit: 'binary' }), fc.constantFrom('', '\uFEFF'), fc.boolean(), (first, rest, mark, isBig) => {
      // A text of one character and a zero is one of zeros.
      const text = `${first}${rest.replaceAll('\0', '')}`
      expect(decodeText(toUtf16(mark + text, isBig), { fatal: true })).toBe(text)
      expect(decodeText(new TextEncoder().encode(mark + text), { fatal: true })).toBe(text)
    }),
  )
})

test.each([
  [[], 'utf-8'],
  [[0x7b], 'utf-8'],
  [[0], 'utf-8'],
  [[0, 0, 0], 'utf-8'],
  [[0x7b, 0x7d], 'utf-8'],
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0x7b, 0], 'utf-16le'],
  [[0, 0x7b], 'utf-16be'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
])('bytes %j are in %s', (bytes, encoding) => {
  expect(encodingOf(Uint8Array.from(bytes))).toBe(encoding)
})

test('a text is formatted by the Prettier of the project with its settings for that file, and stays as it is without one', async () => {
  const asked: unknown[] = []
  const prettier = {
    resolveConfig: async (file: string, options: object) => {
      asked.push([file, options])
      return { semi: false }
    },
    format: async (text: string, options: object) => {
      asked.push(options)
      return `${text}!`
    },
  }
  const disk = new MemoryDisk()
  const format = (loadModule: () => Promise<unknown>) => inProjectStyle({ disk, loadModule }, '/game', 'src/a.ts', 'a')
  expect(await format(async () => prettier)).toBe('a')
  disk.files.set('/game/node_modules/prettier/index.cjs', new Uint8Array(1))
  expect(await format(async () => prettier)).toBe('a!')
  expect(asked).toEqual([['/game/src/a.ts', { editorconfig: true, useCache: false }], { semi: false, filepath: '/game/src/a.ts' }])
  expect(await format(() => Promise.reject(new Error('broken')))).toBe('a')
})
