import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConflict, writeConflict } from '../../src/vault/lock-merge.ts'

const lines = (...parts: readonly string[]): string => parts.join('\n')

describe('marks of a merge conflict', () => {
  test('leave each side its own lines and the common ones, any number of times', () => {
    const text = lines('a', '<<<<<<< HEAD', 'b', '=======', 'c', 'd', '>>>>>>> other', 'e', '<<<<<<<', '=======', 'f', '>>>>>>>', 'g')
    expect(readConflict(text)).toEqual({ ours: lines('a', 'b', 'e', 'g'), theirs: lines('a', 'c', 'd', 'e', 'f', 'g') })
  })

  test('with the version before both, which is on neither side', () => {
    for (const base of ['||||||| 1234567', '|||||||']) {
      const text = lines('a', '<<<<<<< ours', 'b', base, 'old', '=======', 'c', '>>>>>>> theirs')
      expect(readConflict(text)).toEqual({ ours: lines('a', 'b'), theirs: lines('a', 'c') })
    }
  })

  test('are found in lines that end as on Windows', () => {
    const text = lines('a', '<<<<<<< ours', 'b', '||||||| 1234567', 'old', '=======', 'c', '>>>>>>> theirs', 'd').replaceAll('\n', '\r\n')
    expect(readConflict(text)).toEqual({ ours: lines('a', 'b', 'd'), theirs: lines('a', 'c', 'd') })
  })

  test('stand alone at the start of a line: anything like them is text', () => {
    const alike = [
      ' <<<<<<< a',
      '<<<<<<<< a',
      '<<<<<<<a',
      ' =======',
      '========',
      '======= a',
      ' >>>>>>> a',
      '>>>>>>>a',
      '| a',
      ' ||||||| a',
    ]
    expect(readConflict(lines(...alike))).toBeUndefined()
    const text = lines('<<<<<<< ours', ...alike, '=======', ...alike, '>>>>>>> theirs')
    expect(readConflict(text)).toEqual({ ours: lines(...alike), theirs: lines(...alike) })
  })

  test.each([
    ['no end', ['<<<<<<< a', 'x', '=======', 'y']],
    ['no middle', ['<<<<<<< a', 'x', '>>>>>>> b']],
    ['no start', ['x', '=======', 'y', '>>>>>>> b']],
    ['one inside of another', ['<<<<<<< a', '<<<<<<< b', '=======', '>>>>>>> b']],
    ['two middles', ['<<<<<<< a', '=======', '=======', '>>>>>>> b']],
    ['a version before both on the wrong side', ['<<<<<<< a', '=======', '||||||| c', '>>>>>>> b']],
  ])('with %s are none that can be read', (_what, text) => {
    const read = readConflict(lines(...text))
    // A mark that is out of place is left in the text, where no lock file can be parsed.
    if (read) expect(`${read.ours}\n${read.theirs}`).toMatch(/^(<{7}|={7}|>{7}|\|{7})/m)
  })

  test('law: what is written of two sides is read back as both, and marks only what differs', () => {
    const side = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 6 })
    fc.assert(
      fc.property(side, side, side, side, (head, one, other, tail) => {
        const [ours, theirs] = [lines(...head, ...one, ...tail), lines(...head, ...other, ...tail)]
        fc.pre(ours !== theirs && ours !== '' && theirs !== '')
        const text = writeConflict({ ours, theirs })
        expect(readConflict(text)).toEqual({ ours, theirs })
        const all = text.split('\n')
        const [start, middle, end] = [all.indexOf('<<<<<<< ours'), all.indexOf('======='), all.indexOf('>>>>>>> theirs')]
        const [before, left, right, after] = [
          all.slice(0, start),
          all.slice(start + 1, middle),
          all.slice(middle + 1, end),
          all.slice(end + 1),
        ]
        // Neither the first nor the last lines of the two parts are equal, or one of them is empty.
        if (left.length > 0 && right.length > 0) expect([left[0] === right[0], left.at(-1) === right.at(-1)]).toEqual([false, false])
        expect([...before, ...left, ...after].join('\n')).toBe(ours)
      }),
    )
  })
})
