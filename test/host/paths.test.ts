import { basename, dirname, join, resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { folderOf, nameOf, pathBeside, pathIn } from '../../src/host/paths.ts'

const name = fc.stringMatching(/^[\w@-][\w. @\\-]{0,8}$/)
const folder = fc.array(name, { maxLength: 4 }).map((names) => resolve(`/${names.join('/')}`))
const file = fc.tuple(folder, name).map(([above, own]) => join(above, own))
const written = fc.oneof(
  fc.array(fc.oneof(name, fc.constantFrom('.', '..', '')), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/')),
  name.map((own) => `./${own}`),
)

test('tidy paths are told as Node tells them', () => {
  fc.assert(
    fc.property(folder, name, name, (above, own, other) => {
      expect(pathIn(above, own)).toBe(join(above, own))
      expect(pathIn(above, `${own}/${other}`)).toBe(join(above, own, other))
    }),
  )
  fc.assert(
    fc.property(fc.oneof(file, folder, name), (path) => {
      expect(folderOf(path)).toBe(dirname(path))
      expect(nameOf(path)).toBe(basename(path))
    }),
  )
})

test('what is written in a file is found beside it, tidy or not', () => {
  fc.assert(
    fc.property(file, written, (path, own) => {
      expect(pathBeside(path, own)).toBe(resolve(dirname(path), own))
    }),
  )
})
