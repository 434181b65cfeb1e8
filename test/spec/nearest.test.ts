import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nearestName } from '../../src/sprite-spec/nearest.ts'

/** The fewest letters to insert, remove, replace or swap with their neighbour, by its definition. */
function distance(from: string, to: string): number {
  if (from === '' || to === '') return from.length + to.length
  const [own, other] = [from.at(-1), to.at(-1)]
  const steps = [
    distance(from.slice(0, -1), to) + 1,
    distance(from, to.slice(0, -1)) + 1,
    distance(from.slice(0, -1), to.slice(0, -1)) + (own === other ? 0 : 1),
  ]
  if (from.length > 1 && to.length > 1 && own === to.at(-2) && other === from.at(-2))
    steps.push(distance(from.slice(0, -2), to.slice(0, -2)) + 1)
  return Math.min(...steps)
}

describe('the name that was probably meant', () => {
  test.each([
    ['anmations', 'animations'],
    ['animatoins', 'animations'],
    ['animationss', 'animations'],
    ['ANIMATIONS', 'animations'],
    ['promt', 'prompt'],
    // The start of a name is near to it, however long the name is.
    ['an', 'animations'],
    ['backgr', 'background'],
  ])('for %s is %s', (found, meant) => {
    expect(nearestName(found, ['frames', 'prompt', 'animations', 'background', 'fps'])).toBe(meant)
  })

  test.each([
    // More than two letters, and more than a third of them.
    ['motions', ['animations']],
    // One letter says nothing.
    ['a', ['animations']],
    // Less than half of a short name is right.
    ['ab', ['fps']],
    ['anything', []],
  ])('for %s there is none', (found, names) => {
    expect(nearestName(found, names)).toBeUndefined()
  })

  test('of equally near ones is the first', () => {
    expect(nearestName('bat', ['cat', 'hat'])).toBe('cat')
    expect(nearestName('bat', ['hat', 'cat'])).toBe('hat')
    expect(nearestName('bat', ['cats', 'hat'])).toBe('hat')
  })

  test('law: is the nearest by its letters, if at most two, or a third of a long name, differ, and half of it is right', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 })
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 4 }), (found, names) => {
        const near = names
          .map((name) => [name, name.startsWith(found) && found.length >= 2 ? 1 : distance(found, name)] as const)
          .filter(([name, far]) => far <= Math.max(2, Math.floor(found.length / 3)) && far * 2 <= name.length)
        const least = Math.min(...near.map(([, far]) => far))
        expect(nearestName(found, names)).toBe(near.find(([, far]) => far === least)?.[0])
      }),
      { numRuns: 300 },
    )
  })
})
