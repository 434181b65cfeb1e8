import fc from 'fast-check'
import { expect, test } from 'vitest'
import { abilities, drawsOf, encodingsFor, formatNames, pageFormats } from '../../atlas/format-abilities.ts'

test.each([
  // The reader of PixiJS chooses, so it gets all that were made, in their order.
  ['pixi', ['webp', 'png', 'ktx2'], ['webp', 'png', 'ktx2']],
  // Another reader gets the first one that it draws.
  ['phaser', ['ktx2', 'avif', 'png'], ['avif']],
  ['godot', ['avif', 'webp', 'png'], ['webp']],
  ['libgdx', ['avif', 'webp'], []],
  // A format that writes its own pictures gets PNG, whatever stands first.
  ['strip', ['avif', 'webp', 'png'], ['png']],
  ['frames', ['ktx2'], []],
] as const)('%s takes from %j: %j', (name, made, expected) => {
  expect(encodingsFor(abilities[name], made)).toEqual(expected)
})

test('a format gets no encoding that its readers cannot draw or that was not made, and one of them if it can', () => {
  fc.assert(
    fc.property(fc.constantFrom(...formatNames), fc.uniqueArray(fc.constantFrom(...pageFormats)), (name, made) => {
      const [draws, chosen] = [drawsOf(abilities[name]), encodingsFor(abilities[name], made)]
      const possible = made.filter((encoding) => draws.includes(encoding))
      expect(possible).toEqual(expect.arrayContaining([...chosen]))
      expect(chosen.length).toBe(abilities[name].chooses ? possible.length : Math.min(1, possible.length))
    }),
  )
  expect(drawsOf({})).toEqual(['png', 'webp', 'avif'])
})
