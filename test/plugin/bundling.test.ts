import { expect, test } from 'vitest'
import { findSprite } from '../../plugin/build/bundling.ts'
import type { BuiltSheets } from '../../src/index.ts'

const sheets = { sprites: [{ name: 'hero', file: 'sprites/hero.sprite.json' }], atlases: [] } as unknown as BuiltSheets

test('an imported file that is no spec of the project is named in the error', () => {
  expect(findSprite(sheets, 'sprites/hero.sprite.json').name).toBe('hero')
  expect(() => findSprite(sheets, 'drafts/fox.sprite.json')).toThrow(
    expect.objectContaining({ code: 'SW_SPEC', facts: { file: 'drafts/fox.sprite.json' } }),
  )
})
